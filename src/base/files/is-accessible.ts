// Whether a file can be used, for code that has something else to do if it cannot.
import { access, constants } from "node:fs/promises";
import { hasErrorCode } from "../fault.ts";

/** Whether a file exists, or may be used as `mode` of `fs.access` says. */
export function isAccessible(path: string, mode: number = constants.F_OK): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}

/** Whether it is certain that there is no file: a disk that fails to tell does not count. */
export function isMissing(path: string): Promise<boolean> {
  return access(path).then(
    () => false,
    (error: unknown) => hasErrorCode(error, "ENOENT"),
  );
}
