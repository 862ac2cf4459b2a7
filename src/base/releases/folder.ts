// Reads a release repository from a folder.
import { open } from "node:fs/promises";
import { join } from "node:path";
import { hasErrorCode } from "../fault.ts";
import type { ReadRelease } from "./verify.ts";

/** Reads at most one byte more than allowed, so that the verification notices a file that is too long. */
export function readFromFolder(folder: string): ReadRelease {
  return async (path, maxBytes) => {
    const file = await open(join(folder, path), "r").catch((error: unknown) => {
      if (hasErrorCode(error, "ENOENT")) return null;
      throw error;
    });
    if (file === null) return null;
    await using _ = file;
    const buffer = Buffer.alloc(Math.min(maxBytes + 1, (await file.stat()).size));
    let length = 0;
    for (let read = -1; read !== 0 && length < buffer.length; length += read) {
      ({ bytesRead: read } = await file.read(buffer, length, buffer.length - length));
    }
    return buffer.subarray(0, length);
  };
}
