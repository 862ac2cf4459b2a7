// The catalogue of problem types (RFC 9457) and the error that is thrown to respond with one.
import { isFault } from "../../base/fault.ts";
import type { Problem } from "../../protocol/operator/resources.ts";
import { cutEnd, listFaults, mostErrors, mostInLine } from "../../protocol/refusal.ts";

/** Every problem type with its status and title. The key is the last segment of the problem's `type` URL. */
export const problemKinds = {
  "malformed-json": { status: 400, title: "The body is not valid JSON" },
  "bad-request": { status: 400, title: "The request is malformed" },
  "bad-digest": { status: 400, title: "The bytes do not match their digest" },
  unauthorized: { status: 401, title: "A valid access token is required" },
  forbidden: { status: 403, title: "The token does not allow this" },
  "proof-required": { status: 403, title: "Prove again who you are" },
  "not-found": { status: 404, title: "Not found" },
  "unknown-code": { status: 404, title: "No screen shows this code" },
  "enrolment-key-unknown": { status: 404, title: "There is no such enrolment key" },
  "method-not-allowed": { status: 405, title: "This path does not support the method" },
  timeout: { status: 408, title: "The request took too long" },
  conflict: { status: 409, title: "It already exists with different content" },
  "draft-conflicts": { status: 409, title: "Someone else has changed the same" },
  "in-use": { status: 409, title: "It is in use" },
  "already-claimed": { status: 409, title: "The code has already been used" },
  "enrolment-key-used-up": { status: 409, title: "The enrolment key has created all its screens" },
  "enrolment-undecided": { status: 409, title: "The screen of this machine may still run" },
  "wrong-status": { status: 409, title: "Its status does not allow this" },
  "wrong-offset": { status: 409, title: "The upload has a different offset" },
  "no-picture": { status: 409, title: "There is no picture of the screen" },
  gone: { status: 410, title: "It has expired" },
  "enrolment-key-revoked": { status: 410, title: "The enrolment key was revoked" },
  "enrolment-key-expired": { status: 410, title: "The enrolment key has expired" },
  "enrolment-team-deleted": { status: 410, title: "The team of the enrolment key was deleted" },
  "tus-version": { status: 412, title: "This version of tus is not supported" },
  "in-flight": { status: 409, title: "The same request is still running" },
  "precondition-failed": { status: 412, title: "It has changed in the meantime" },
  "too-large": { status: 413, title: "The body is too large" },
  "unsupported-media-type": { status: 415, title: "The type of the body is not supported" },
  "range-not-satisfiable": { status: 416, title: "The file has no such range" },
  "headers-too-large": { status: 431, title: "The request's headers are too large" },
  invalid: { status: 422, title: "A value is not allowed" },
  "bad-file": { status: 422, title: "The file cannot be shown" },
  "key-reused": { status: 422, title: "The idempotency key was used for another request" },
  "too-many": { status: 429, title: "Too many requests" },
  "file-damaged": { status: 500, title: "The stored file is missing or damaged" },
  internal: { status: 500, title: "The service failed" },
  closing: { status: 503, title: "The service is restarting" },
  unavailable: { status: 503, title: "A part of the service cannot be reached" },
  "sso-unreachable": { status: 503, title: "Single sign-on cannot be reached" },
} as const;
export type ProblemKind = keyof typeof problemKinds;

const unavailableRetryS = "5";
// Names in them come from the request, and may be as long as its body.
const longestPointer = 200;
const longestDetail = 2_000;
// A detail may name ten errors with their pointers.
const longestMessage = 25_000;

/** An invalid field: an RFC 6901 pointer into the body, or `?name` for a query field. */
export interface FieldError {
  pointer: string;
  detail: string;
}

/** Thrown to reject a request with a problem. The message is the problem's `detail`: the fault and its remedy. */
export class ProblemError extends Error {
  readonly kind: ProblemKind;
  /** The first of them; see {@link mostErrors}. */
  readonly errors: readonly FieldError[];
  /** How many errors there are beside them. */
  readonly moreErrors: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    kind: ProblemKind,
    detail: string,
    more: { errors?: readonly FieldError[]; moreErrors?: number; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(cutEnd(detail, longestMessage), more.cause === undefined ? undefined : { cause: more.cause });
    this.name = "ProblemError";
    this.kind = kind;
    const errors = more.errors ?? [];
    this.errors = errors.slice(0, mostErrors).map(cutError);
    this.moreErrors = (more.moreErrors ?? 0) + errors.length - this.errors.length;
    // The client of a node that stops finds another one, or this one again, within seconds.
    this.headers = { ...(kind === "closing" ? { "Retry-After": "1" } : {}), ...more.headers };
  }

  get status(): number {
    return problemKinds[this.kind].status;
  }
}

/** The error for one invalid field. */
export function invalidField(pointer: string, detail: string): ProblemError {
  return invalidFields([{ pointer, detail }]);
}

/** The error for several invalid fields; its detail names all of them. */
export function invalidFields(errors: readonly FieldError[], moreErrors = 0): ProblemError {
  const named = errors.slice(0, mostInLine).map(({ pointer, detail }) => `${cutEnd(pointer, longestPointer) || "the body"}: ${detail}`);
  return new ProblemError("invalid", listFaults(named, moreErrors + errors.length - named.length), { errors, moreErrors });
}

/** The error without most of a name or a value that is far too long. */
export function cutError({ pointer, detail }: FieldError): FieldError {
  return { pointer: cutEnd(pointer, longestPointer), detail: cutEnd(detail, longestDetail) };
}

/** The body of a problem response. `type` is a URL at this service that explains the problem type. */
export function problemOf(error: ProblemError, requestId: string): Problem {
  const { status, title } = problemKinds[error.kind];
  return {
    type: `/problems/${error.kind}`,
    title,
    status,
    detail: error.message,
    ...(error.errors.length > 0 ? { errors: [...error.errors] } : {}),
    ...(error.moreErrors > 0 ? { more_errors: error.moreErrors } : {}),
    request_id: requestId,
  };
}

/** Translates an error of Fastify. Any unknown error is internal; its message is not shown to the client. */
export function toProblemError(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  if (isFault(error, "store-unavailable") || isFault(error, "lease-lost")) {
    const headers = { "Retry-After": unavailableRetryS };
    return new ProblemError("unavailable", "The database cannot do this now: try again later", { headers, cause: error });
  }
  if (isFault(error, "blobs-unavailable")) {
    const headers = { "Retry-After": unavailableRetryS };
    return new ProblemError("unavailable", "The store of files cannot be reached: try again later", { headers, cause: error });
  }
  if (isFault(error, "asset-missing") || isFault(error, "asset-corrupt")) {
    return new ProblemError("file-damaged", "The service's store lacks this file, or has other bytes. Upload it again", { cause: error });
  }
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const status = error instanceof Error && "statusCode" in error ? Number(error.statusCode) : 500;
  const message = error instanceof Error ? error.message : String(error);
  if (code === "FST_ERR_CTP_BODY_TOO_LARGE" || status === 413) {
    return new ProblemError("too-large", "The body is too large: at most 1 MB of JSON, or the limit in the description of this path");
  }
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE" || status === 415) {
    return new ProblemError("unsupported-media-type", "Send JSON with Content-Type: application/json");
  }
  if (code === "FST_ERR_CTP_EMPTY_JSON_BODY") {
    return new ProblemError("malformed-json", "The body is empty although its type is application/json");
  }
  if (error instanceof SyntaxError || code === "FST_ERR_CTP_INVALID_JSON_BODY") {
    return new ProblemError("malformed-json", `The body is not valid JSON: ${message}`);
  }
  if (status === 408) return new ProblemError("timeout", message);
  if (status === 404) return new ProblemError("not-found", message);
  if (status >= 400 && status < 500) return new ProblemError("bad-request", message, { cause: error });
  return new ProblemError("internal", "An internal error occurred. The service's log has it under this request id", { cause: error });
}

/** The row, which must exist and belong to the caller's team. @throws ProblemError 404. */
export function found<T>(row: T | undefined, what: string): T {
  if (row === undefined) throw new ProblemError("not-found", `There is no such ${what}`);
  return row;
}
