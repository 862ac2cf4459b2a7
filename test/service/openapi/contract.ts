// Checks responses against the API description.
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describeService } from "../../../src/service/openapi/document.ts";
import type { DescribedOperation, Document, Json, Schema } from "../../../src/service/openapi/json.ts";

/** A received response; `body` is the parsed JSON or the bytes. */
export interface ReceivedResponse {
  method: string;
  /** The requested path with its query. */
  path: string;
  status: number;
  headers: Headers;
  body: unknown;
}

/** The API description. */
export const description: Document = describeService("test");

/** All described operations, with a pattern that matches their paths. */
export const described = Object.entries(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    path,
    method: method.toUpperCase(),
    operation,
    pattern: new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`),
  })),
);

/** Resolves a reference; returns any other part unchanged. */
export function resolve<T extends object>(part: T): T {
  const reference = (part as Json)["$ref"];
  if (typeof reference !== "string") return part;
  const target = reference
    .slice(2)
    .split("/")
    .reduce<unknown>((place, name) => (place as Json)[name.replaceAll("~1", "/").replaceAll("~0", "~")], description);
  return resolve(target as T);
}

/** Returns a function that compiles the schema at a JSON pointer of the document. */
function compiler(document: object): (pointer: string) => ValidateFunction {
  // Most schemas are compiled for a few answers: to optimize their code takes longer than it saves.
  const ajv = new Ajv2020({ strict: false, allErrors: true, code: { optimize: false } });
  addFormats.default(ajv);
  ajv.addSchema(document, "api");
  const known = new Map<string, ValidateFunction>();
  return (pointer) => {
    const validate = known.get(pointer) ?? ajv.compile({ $ref: `api#${pointer}` });
    known.set(pointer, validate);
    return validate;
  };
}

const open = compiler(description);
// The description allows unknown fields, since clients must accept new ones. The service itself must not send undescribed fields.
const closed = compiler(closeObjects(description) as object);

/** The errors of a value by the schema at `pointer`. @param isClosed whether undescribed fields are errors */
export function schemaErrors(pointer: string, value: unknown, isClosed = false): string[] {
  const validate = (isClosed ? closed : open)(pointer);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`);
}

export function pointerOf(...parts: readonly string[]): string {
  return parts.map((part) => `/${part.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** The differences between a response and the description; empty if it matches. */
export function differencesFromDescription({ method, path, status, headers, body }: ReceivedResponse): string[] {
  const plainPath = path.split("?")[0]!;
  const candidates = described.filter(({ pattern }) => pattern.test(plainPath));
  // A literal path wins over a path with parameters. HEAD is described as GET.
  const found = candidates
    .filter((each) => each.method === (method === "HEAD" ? "GET" : method))
    .toSorted((a, b) => count(a.path) - count(b.path))[0];
  if (found === undefined) return undescribed(candidates.length > 0, plainPath, status, headers, body);
  return answerFaults(found.operation, found.path, method, status, headers, body);
}

function answerFaults(
  operation: DescribedOperation,
  path: string,
  method: string,
  status: number,
  headers: Headers,
  body: unknown,
): string[] {
  const key = [String(status), `${Math.trunc(status / 100)}XX`].find((each) => operation.responses[each] !== undefined);
  if (key === undefined) return [`status ${status} is not described`];
  const shared = operation.responses[key]!["$ref"];
  const answer = resolve(operation.responses[key]!);
  const missing = Object.entries((answer["headers"] ?? {}) as Record<string, Json>)
    .filter(([name, header]) => resolve(header)["required"] === true && !headers.has(name))
    .map(([name]) => `the header ${name} is missing`);
  if (method === "HEAD") return missing;
  const content = answer["content"] as Record<string, unknown> | undefined;
  const length = body instanceof Uint8Array ? body.length : 1;
  if (content === undefined) return length > 0 ? [...missing, "the response has an undescribed body"] : missing;
  const type = typeOf(headers);
  const described = Object.keys(content).find((each) => each === type || (each.endsWith("/*") && type.startsWith(each.slice(0, -1))));
  if (described === undefined) return [...missing, `the media type ${type || "(none)"} is not described`];
  if (!described.endsWith("json")) return missing;
  const own = pointerOf("paths", path, method.toLowerCase(), "responses", key);
  const answerPlace = typeof shared === "string" ? shared.slice(1) : own;
  return [...missing, ...schemaErrors(`${answerPlace}${pointerOf("content", described, "schema")}`, body, true)];
}

/** The errors of a response that is not described: it must be a problem. */
function undescribed(isKnownPath: boolean, path: string, status: number, headers: Headers, body: unknown): string[] {
  if (!path.startsWith("/api/")) return [];
  if (status < 400) return [`${path} is not described`];
  if (typeOf(headers) !== "application/problem+json") return [`an error response of type ${typeOf(headers)}`];
  if (isKnownPath && status !== 405) return [`status ${status} for a method that is not described`];
  return schemaErrors("/components/schemas/Problem", body, true);
}

function typeOf(headers: Headers): string {
  return (headers.get("content-type") ?? "").split(";")[0]!.trim();
}

function count(path: string): number {
  return path.split("{").length;
}

/** Copies the document with closed objects. Members of an allOf stay open, since each has only some of the fields. */
function closeObjects(part: unknown, isPart = false): unknown {
  if (Array.isArray(part)) return part.map((each) => closeObjects(each, isPart));
  if (typeof part !== "object" || part === null) return part;
  const entries = Object.entries(part).map(([name, value]) => [name, closeObjects(value, name === "allOf")] as const);
  const copy = Object.fromEntries(entries) as Schema;
  const isObject = copy.type === "object" && copy.properties !== undefined && copy["additionalProperties"] === undefined;
  return isObject && !isPart ? { ...copy, additionalProperties: false } : copy;
}
