// The one error class of the house: a stable code, a sentence for a person, and the cause beneath.

/** Every code a part of this program throws. The action for each stands in `player/recovery.ts` or with its catcher. */
export type FaultCode =
  | "bad-config"
  | "help-asked"
  | "folder-unusable"
  | "data-in-use"
  | "file-corrupt"
  | "asset-corrupt"
  | "asset-missing"
  | "disk-full"
  | "unreachable"
  | "refused"
  | "revoked"
  | "reclaimed"
  | "protocol"
  | "signature"
  | "page-missing"
  | "browser-missing"
  | "browser-failed"
  | "page-dead"
  | "timeout"
  | "unsupported";

/** A broken promise with a stable `code`; the message says what to do about it where that is known. */
export class Fault extends Error {
  readonly code: FaultCode;

  constructor(code: FaultCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = "Fault";
    this.code = code;
  }
}

/** Whether `error` is a Fault, of this code if one is given. */
export function isFault(error: unknown, code?: FaultCode): error is Fault {
  return error instanceof Fault && (code === undefined || error.code === code);
}

/** Whether `error` only says that somebody aborted: never a failure. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}

/** The sentence of an unknown thrown value, its cause included, for a log line. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? "" : ` (${reasonOf(error.cause)})`;
  return `${error.message || error.name}${cause}`;
}
