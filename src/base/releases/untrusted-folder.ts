// Reads a release repository from a folder of another user, with the rights of root.
import { realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Fault, hasErrorCode } from "../fault.ts";
import { readSafely } from "../files/untrusted-file.ts";
import type { ReadRelease } from "./verify.ts";

/** Refuses links, which could lead to files that only root may read. */
export function readFromUntrustedFolder(repository: string): ReadRelease {
  return async (path, maxBytes) => {
    const folder = await realpath(dirname(join(repository, path))).catch((error: unknown) => {
      if (hasErrorCode(error, "ENOENT")) return null;
      throw error;
    });
    if (folder === null) return null;
    if (folder !== join(await realpath(repository), dirname(path))) throw new Fault("file-corrupt", `${dirname(path)} is a link`);
    return readSafely(join(folder, basename(path)), maxBytes);
  };
}
