// Ways in which a disk loses a file or its content.
import { readFile, rm, truncate, writeFile } from "node:fs/promises";

/** How the file at a path is damaged, by name. */
export const damages: readonly (readonly [name: string, damage: (path: string) => Promise<void>])[] = [
  ["truncated", async (path) => truncate(path, Math.floor((await readFile(path)).length / 2))],
  ["emptied", (path) => truncate(path, 0)],
  ["zeroed", async (path) => writeFile(path, Buffer.alloc((await readFile(path)).length))],
  // Most letters and digits become others.
  ["garbled", async (path) => writeFile(path, garbled(await readFile(path)))],
  ["deleted", (path) => rm(path)],
];

function garbled(bytes: Buffer): Uint8Array {
  return bytes.map((byte, index) => (index % 7 === 3 ? byte ^ 8 : byte));
}
