// The error for a file that cannot be an asset.
import { ProblemError } from "../http/problem.ts";

/** The error that rejects a file. `detail` names the fault and its remedy. */
export function badFile(detail: string, cause?: unknown): ProblemError {
  return new ProblemError("bad-file", detail, { errors: [{ pointer: "", detail }], cause });
}

/** The first line of a library's error message. */
export function errorSummary(cause: unknown): string {
  return (cause instanceof Error ? cause.message : String(cause)).split("\n")[0]!;
}
