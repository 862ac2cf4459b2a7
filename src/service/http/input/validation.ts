// Validates parameters, queries and bodies against the operation's schemas and names every invalid field.
import type { FastifySchemaCompiler } from "fastify";
import type { z } from "zod";
import { validate } from "./errors.ts";
import { invalidFields, ProblemError, type FieldError } from "../problem.ts";

/**
 * Fastify's validator for zod schemas. A malformed id in the path gives 404. Any other error gives 422 with an RFC 6901 pointer
 * into the body, or `?name` for a query field.
 */
export const validatorCompiler: FastifySchemaCompiler<z.ZodType> = ({ schema, httpPart }) => {
  return (value: unknown) => {
    const outcome = validate(schema, value);
    if ("value" in outcome) return outcome;
    if (httpPart === "params") return { error: new ProblemError("not-found", "Not found: the id is malformed") };
    const place = httpPart === "querystring" ? queryPointer : bodyPointer;
    const errors = outcome.errors.map(({ path, detail }) => ({ pointer: place(path), detail }));
    return { error: invalidFields(errors, outcome.moreErrors) };
  };
};

/** Validates a part of a body on its own. The pointers (RFC 6901) of its errors are relative to that part. */
export function validatePart<T>(schema: z.ZodType<T>, value: unknown): { value: T } | { errors: FieldError[]; moreErrors: number } {
  const outcome = validate(schema, value);
  if ("value" in outcome) return outcome;
  return { errors: outcome.errors.map(({ path, detail }) => ({ pointer: bodyPointer(path), detail })), moreErrors: outcome.moreErrors };
}

type Path = readonly PropertyKey[];

/** An RFC 6901 pointer. */
export function bodyPointer(path: Path): string {
  return path.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

function queryPointer(path: Path): string {
  return `?${path.map(String).join(".")}`;
}
