// Describes the common parts of responses: their headers and problems.
import { supportsDryRun } from "../http/dry-run.ts";
import { keepsContent, isRead, type Operation } from "../operations/operation.ts";
import { problemKinds, type ProblemKind } from "../http/problem.ts";
import { pascalCase, type Json } from "./json.ts";

const text = (description: string, example: string, isAlways = false): Json => ({
  description,
  ...(isAlways ? { required: true } : {}),
  schema: { type: "string" },
  example,
});

/** Response headers, each described once. */
export const responseHeaders = {
  "Request-Id": text("The request's id in the service's log; quote it when you ask for help", "req_01jd3v8q6m9x2k4n7r5t1w0yzh", true),
  ETag: text("The version of the resource, for `If-Match`; for a file its SHA-256, for `If-None-Match`", '"9f86d081884c7d65"', true),
  Location: text("URL of the created resource", "https://signage.example.com/api/v1/playlists/pls_01jd3v8q6m9x2k4n7r5t1w0yzh", true),
  "Idempotency-Replayed": text("`true` if this is the kept response to an earlier request with the same key", "true"),
  "Dry-Run": text("`true`: nothing was changed", "true"),
  "Retry-After": text("Seconds to wait before the next attempt", "12"),
  "WWW-Authenticate": text("The required kind of token, and what is wrong with the one sent (RFC 6750)", 'Bearer realm="signage-player"'),
  RateLimit: text("The remaining quota (draft-ietf-httpapi-ratelimit-headers)", '"default";r=599;t=60'),
  "RateLimit-Policy": text("The quota", '"default";q=600;w=60'),
  "Accept-Ranges": text("`bytes`: a part can be requested with `Range`", "bytes"),
  "Content-Range": text("The part of the file that this is, or the file's size", "bytes 0-1023/48213"),
} as const satisfies Record<string, Json>;
export type ResponseHeader = keyof typeof responseHeaders;

/** References to headers by their names on the wire. */
export function headerReferences(names: readonly ResponseHeader[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${pascalCase(name)}` }]));
}

const everywhere: readonly ResponseHeader[] = ["Request-Id"];
/** The headers of an operation's successful response. */
export function successHeaders(each: Operation, status: number): ResponseHeader[] {
  const names: ResponseHeader[] = [...everywhere];
  // A file's link.
  if (status === 307) return [...names, "Location", "RateLimit", "RateLimit-Policy"];
  // A proposal has no version: its resource is not published.
  const isProposal = each.drafts === true && status === 202;
  if ((each.version !== undefined && !isProposal) || each.file !== undefined || each.headers?.["If-None-Match"] !== undefined)
    names.push("ETag");
  if (status === 201 && each.version !== undefined) names.push("Location");
  if (isRepeatable(each)) names.push("Idempotency-Replayed");
  if (supportsDryRun(each)) names.push("Dry-Run");
  if (each.file !== undefined) names.push("Accept-Ranges");
  if (status === 206) names.push("Content-Range");
  names.push("RateLimit", "RateLimit-Policy");
  return names;
}

/** True if an operation supports `Idempotency-Key`. */
export function isRepeatable(each: Operation): boolean {
  return each.method === "POST" && each.caller === "operator" && each.session?.setsCookie !== true;
}

/** All problem types that an operation may respond with: its own and those that follow from its input. */
export function problemsOf(each: Operation): ProblemKind[] {
  const kinds = new Set<ProblemKind>(each.errors);
  const add = (...more: ProblemKind[]) => more.forEach((kind) => kinds.add(kind));
  // Requests that never reach the operation: a malformed URL, a missing header.
  add("bad-request");
  if (each.caller !== "anyone") add("unauthorized");
  add("too-many");
  if (each.scope !== undefined || each.session?.wholePerson === true || (each.caller === "operator" && !isRead(each))) add("forbidden");
  if (each.session?.proof !== undefined) add("proof-required");
  if (each.params !== undefined) add("not-found");
  if (each.query !== undefined || (each.caller !== "device" && !isRead(each))) add("invalid");
  if (each.body !== undefined) add("malformed-json", "too-large", "unsupported-media-type", "invalid");
  else if (each.method !== "GET") add("malformed-json", "too-large", "unsupported-media-type");
  if (each.bytes !== undefined) add("too-large");
  if (each.current !== undefined) add("precondition-failed");
  // The draft may not exist, or wait for an approval.
  if (each.drafts === true) add("not-found", "forbidden", "invalid");
  if (each.drafts === true && !keepsContent(each)) add("wrong-status", "in-use", "too-large");
  if (isRepeatable(each)) add("in-flight", "key-reused");
  return [...kinds];
}

const statusHeaders: Readonly<Record<number, readonly ResponseHeader[]>> = {
  401: ["WWW-Authenticate"],
  403: ["WWW-Authenticate"],
  416: ["Content-Range"],
  429: ["Retry-After", "RateLimit", "RateLimit-Policy"],
};

/** Collects the problem responses that operations share: one component for each set of problem types with one status. */
export class ProblemResponses {
  readonly components: Record<string, Json> = {};

  /** The problem responses by status, as references. */
  of(kinds: readonly ProblemKind[]): Record<string, Json> {
    const byStatus = Object.groupBy(kinds, (kind) => problemKinds[kind].status);
    const responses = Object.entries(byStatus).map(([status, some]) => [status, this.#refTo(Number(status), some!.toSorted())] as const);
    return { ...Object.fromEntries(responses), "5XX": this.#refTo(500, ["internal", "closing"]) };
  }

  /** A problem response in full, for an operation that has another response with the same status. */
  resolved(reference: Json): Json {
    return this.components[String(reference["$ref"]).replace(/^.*\//, "")]!;
  }

  #refTo(status: number, kinds: readonly ProblemKind[]): Json {
    const name = kinds.map(pascalCase).join("Or");
    this.components[name] ??= {
      description: kinds.map((kind) => `${problemKinds[kind].title} (\`${kind}\`)`).join("; "),
      headers: headerReferences([...everywhere, ...(statusHeaders[status] ?? [])]),
      content: {
        "application/problem+json": {
          schema: { $ref: "#/components/schemas/Problem" },
          examples: Object.fromEntries(kinds.map((kind) => [kind, { value: problemExample(kind) }])),
        },
      },
    };
    return { $ref: `#/components/responses/${name}` };
  }
}

function problemExample(kind: ProblemKind): Json {
  const { status, title } = problemKinds[kind];
  return {
    type: `/problems/${kind}`,
    title,
    status,
    detail: kind === "invalid" ? "/name: must not be empty" : title,
    ...(kind === "invalid" ? { errors: [{ pointer: "/name", detail: "must not be empty" }] } : {}),
    request_id: "req_01jd3v8q6m9x2k4n7r5t1w0yzh",
  };
}
