// Whether a program of the system is there, for tests that need one.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Looks in the folders of PATH. */
export function isInstalled(program: string): boolean {
  return (process.env["PATH"] ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)));
}
