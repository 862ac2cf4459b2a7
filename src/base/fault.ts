// The project's error class: a stable code, a message for people, and the cause.

/** Every error code. Callers decide on the reaction to each; `player/surface/recovery.ts` does so for the browser's. */
export type FaultCode =
  | "bad-config"
  | "help-asked"
  | "folder-unusable"
  | "data-in-use"
  | "file-corrupt"
  | "record-unreadable"
  | "asset-corrupt"
  | "asset-missing"
  | "blobs-unavailable"
  | "disk-full"
  | "unreachable"
  | "refused"
  | "revoked"
  | "reclaimed"
  | "unpaired"
  | "reset"
  | "disk-readable"
  | "protocol"
  | "signature"
  | "metadata-rollback"
  | "metadata-expired"
  | "metadata-missing"
  | "page-missing"
  | "browser-missing"
  | "browser-failed"
  | "page-dead"
  | "page-hung"
  | "page-crashed"
  | "browser-gone"
  | "display-off"
  | "not-redacted"
  | "timeout"
  | "unsupported"
  | "not-applied"
  | "too-late"
  | "busy"
  | "store-unavailable"
  | "store-refused"
  | "store-changed"
  | "lease-lost";

/** An error with a stable `code`. Its message names the remedy, where that is known. */
export class Fault extends Error {
  readonly code: FaultCode;

  constructor(code: FaultCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = "Fault";
    this.code = code;
  }
}

/** True if `error` is a Fault, with this code if one is given. */
export function isFault(error: unknown, code?: FaultCode): error is Fault {
  return error instanceof Fault && (code === undefined || error.code === code);
}

/** True if `error` is an abort, which is not a failure. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}

/** To be given to `catch` where an abort is no failure. @throws any other error */
export function ignoreAbort(error: unknown): void {
  if (!isAbort(error)) throw error;
}

/**
 * True if `error` is one of the service's database that only this request, or this round of a background loop, fails by
 * (service/store/database-errors.ts).
 */
export function isOutlived(error: unknown): error is Fault {
  return isFault(error, "store-unavailable") || isFault(error, "store-refused");
}

/** The message of any thrown value, including its causes, for a log line. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? "" : ` (${reasonOf(error.cause)})`;
  return `${error.message || error.name}${cause}`;
}

/** True if an error of Node or a library has one of these codes, such as `ENOENT`. */
export function hasErrorCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
}
