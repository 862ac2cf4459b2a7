// Tells when a file or anything in a folder was last changed.
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

/** The latest modification time below `path`, its own included, ms since the epoch. */
export async function newestChange(path: string): Promise<number> {
  const own = await stat(path);
  if (!own.isDirectory()) return own.mtimeMs;
  const names = await readdir(path, { recursive: true });
  const below = await Promise.all(names.map((name) => stat(join(path, name))));
  return Math.max(own.mtimeMs, ...below.map(({ mtimeMs }) => mtimeMs));
}
