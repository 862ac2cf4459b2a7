// The catalogue of everything this service refuses, and the one error that says so (RFC 9457).
import type { Problem } from "../../protocol/operator/resources.ts";

/** Every kind of problem: its status and its title. The kind is the last part of the problem's `type`. */
export const problemKinds = {
  "malformed-json": { status: 400, title: "The body is not JSON" },
  "bad-request": { status: 400, title: "The request is not understood" },
  "bad-digest": { status: 400, title: "The bytes do not match their digest" },
  unauthorized: { status: 401, title: "A valid access token is needed" },
  forbidden: { status: 403, title: "The token does not allow this" },
  "not-found": { status: 404, title: "There is no such thing" },
  "unknown-code": { status: 404, title: "No screen shows this code" },
  "method-not-allowed": { status: 405, title: "This address does not take that method" },
  timeout: { status: 408, title: "The request took too long" },
  conflict: { status: 409, title: "It already exists with other content" },
  "in-use": { status: 409, title: "Something else uses it" },
  "already-claimed": { status: 409, title: "The code was used already" },
  "wrong-offset": { status: 409, title: "The upload stands elsewhere" },
  gone: { status: 410, title: "It has expired" },
  "tus-version": { status: 412, title: "This version of tus is not spoken here" },
  "in-flight": { status: 409, title: "The same request is still being handled" },
  "precondition-failed": { status: 412, title: "It was changed meanwhile" },
  "too-large": { status: 413, title: "The body is too large" },
  "unsupported-media-type": { status: 415, title: "The body has a type that is not taken here" },
  "range-not-satisfiable": { status: 416, title: "The file has no such range" },
  "headers-too-large": { status: 431, title: "The request's headers are too large" },
  invalid: { status: 422, title: "A value is not as it should be" },
  "bad-file": { status: 422, title: "The file cannot be shown" },
  "key-reused": { status: 422, title: "The idempotency key belongs to another request" },
  "too-many": { status: 429, title: "Too many requests" },
  internal: { status: 500, title: "The service failed" },
  closing: { status: 503, title: "The service is restarting" },
} as const;
export type ProblemKind = keyof typeof problemKinds;

/** One field that is wrong: an RFC 6901 pointer into the body, or `?name` for a query field. */
export interface FieldError {
  pointer: string;
  detail: string;
}

/** Thrown to refuse a request. `detail` tells the caller what is wrong and what to do. */
export class ProblemError extends Error {
  readonly kind: ProblemKind;
  readonly errors: readonly FieldError[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    kind: ProblemKind,
    detail: string,
    more: { errors?: readonly FieldError[]; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(detail, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = "Refusal";
    this.kind = kind;
    this.errors = more.errors ?? [];
    this.headers = more.headers ?? {};
  }

  get status(): number {
    return problemKinds[this.kind].status;
  }
}

/** Refuses a body because of one field. */
export function invalidField(pointer: string, detail: string): ProblemError {
  return invalidFields([{ pointer, detail }]);
}

/** Refuses a body because of fields, all of which its detail names. */
export function invalidFields(errors: readonly FieldError[]): ProblemError {
  return new ProblemError("invalid", errors.map(({ pointer, detail }) => `${pointer}: ${detail}`).join("; "), { errors });
}

/** The body of the answer that refuses. `type` is an address at this service that explains the kind. */
export function problemOf(refusal: ProblemError, requestId: string): Problem {
  const { status, title } = problemKinds[refusal.kind];
  return {
    type: `/problems/${refusal.kind}`,
    title,
    status,
    detail: refusal.message,
    ...(refusal.errors.length > 0 ? { errors: [...refusal.errors] } : {}),
    request_id: requestId,
  };
}

/** What the framework threw, in our words; anything unknown is our own failure and tells nothing of itself. */
export function toProblemError(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const status = error instanceof Error && "statusCode" in error ? Number(error.statusCode) : 500;
  const message = error instanceof Error ? error.message : String(error);
  if (code === "FST_ERR_CTP_BODY_TOO_LARGE" || status === 413) {
    return new ProblemError("too-large", "The body is larger than this address takes: 1 MB of JSON, or the limit in its description");
  }
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE" || status === 415) {
    return new ProblemError("unsupported-media-type", "Send JSON with Content-Type: application/json");
  }
  if (code === "FST_ERR_CTP_EMPTY_JSON_BODY") {
    return new ProblemError("malformed-json", "The body is empty though its type is application/json");
  }
  if (error instanceof SyntaxError || code === "FST_ERR_CTP_INVALID_JSON_BODY") {
    return new ProblemError("malformed-json", `The body is not JSON: ${message}`);
  }
  if (status === 408) return new ProblemError("timeout", message);
  if (status === 404) return new ProblemError("not-found", message);
  if (status >= 400 && status < 500) return new ProblemError("bad-request", message, { cause: error });
  return new ProblemError("internal", "Something failed here; it is in the service's log under this request id", { cause: error });
}

/** The row, which must exist and belong to the caller's team. @throws ProblemError 404. */
export function found<T>(row: T | undefined, what: string): T {
  if (row === undefined) throw new ProblemError("not-found", `There is no such ${what}`);
  return row;
}
