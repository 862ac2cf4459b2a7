// Checks parameters, queries and bodies against the operation's schemas; every wrong field is named.
import type { FastifySchema, FastifySchemaCompiler } from "fastify";
import type { z } from "zod";
import { queryOf } from "./dry-run.ts";
import type { Operation } from "./operations/operation.ts";
import { Refusal, type FieldError } from "./problem.ts";

type Issue = z.core.$ZodIssue;

/** The schemas that Fastify has checked for an operation. */
export function routeSchema(each: Operation): FastifySchema {
  const { params, body } = each;
  const query = queryOf(each);
  return {
    ...(params === undefined ? {} : { params }),
    ...(query === undefined ? {} : { querystring: query }),
    ...(body === undefined ? {} : { body }),
  };
}

/**
 * Fastify's validator for zod schemas. A malformed id in the path is an unknown thing (404); the rest is 422 with an
 * RFC 6901 pointer into the body, or `?name` for a query field.
 */
export const validatorCompiler: FastifySchemaCompiler<z.ZodType> = ({ schema, httpPart }) => {
  return (value: unknown) => {
    const parsed = schema.safeParse(value);
    if (parsed.success) return { value: parsed.data };
    if (httpPart === "params") return { error: new Refusal("not-found", "There is no such thing: the id is not well formed") };
    const place = httpPart === "querystring" ? queryPointer : bodyPointer;
    const errors = parsed.error.issues.flatMap((issue) => explain(issue, [], place));
    const detail = errors.map((error) => `${error.pointer || "the body"}: ${error.detail}`).join("; ");
    return { error: new Refusal("invalid", detail, { errors }) };
  };
};

/** What is wrong with a part of a body that was parsed by itself; pointers (RFC 6901) go into that part. */
export function faultsOf(error: z.ZodError): FieldError[] {
  return error.issues.flatMap((issue) => explain(issue, [], bodyPointer));
}

type Path = readonly PropertyKey[];

function explain(issue: Issue, above: Path, place: (path: Path) => string): FieldError[] {
  const path = [...above, ...issue.path];
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ pointer: place([...path, key]), detail: "this field is not known here" }));
  }
  if (issue.code === "invalid_union" && issue.errors.length > 0) {
    // Of several shapes the one that fits best says most: the one with the fewest faults.
    const best = issue.errors.toSorted((a, b) => a.length - b.length)[0]!;
    return best.flatMap((inner) => explain(inner, path, place));
  }
  return [{ pointer: place(path), detail: issue.message }];
}

function bodyPointer(path: Path): string {
  return path.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

function queryPointer(path: Path): string {
  return `?${path.map(String).join(".")}`;
}
