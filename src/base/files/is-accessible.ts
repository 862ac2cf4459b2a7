// Whether a file can be used, for code that has something else to do if it cannot.
import { access, constants } from "node:fs/promises";

/** Whether a file exists, or may be used as `mode` of `fs.access` says. */
export function isAccessible(path: string, mode: number = constants.F_OK): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}
