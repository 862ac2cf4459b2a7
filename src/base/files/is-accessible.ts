// Checks that a file can be used, for code that has something else to do if it cannot.
import { access, constants } from "node:fs/promises";
import { hasErrorCode } from "../fault.ts";

/** True if a file exists, or may be used as `mode` of `fs.access` says. */
export function isAccessible(path: string, mode: number = constants.F_OK): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}

/** True if there is certainly no file: a disk that fails to tell does not count. */
export function isMissing(path: string): Promise<boolean> {
  return access(path).then(
    () => false,
    (error: unknown) => hasErrorCode(error, "ENOENT"),
  );
}
