// Takes files from a folder, such as one on a USB stick, instead of downloading them: for sites with a slow network or none.
import { createReadStream } from "node:fs";
import { opendir, stat } from "node:fs/promises";
import { join } from "node:path";
import { hashFile } from "../../base/files/hash-file.ts";
import { isSystemError } from "../../base/files/system-error.ts";
import { reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import type { DesiredAsset } from "../../protocol/device/desired-state.ts";
import type { OpenFile } from "./download-file.ts";

// The folder may be a large disk that has other things on it.
const maxEntries = 10_000;

/** Finds a file elsewhere than at the service. Resolves with a function that opens it; null: it is not there. */
export type FindPreloaded = (asset: DesiredAsset, signal: AbortSignal) => Promise<OpenFile | null>;

/** Finds files in `folder` by their bytes, whatever their names. The folder is searched each time, so it may appear later. */
export function preloadFrom(folder: string, log: Log): FindPreloaded {
  return async (asset, signal) => {
    const path = await findFile(folder, asset, log, signal);
    if (path === null) return null;
    log.info({ asset_id: asset.id, path }, "importing a file from the preload folder");
    return async (_asset, offset, end) => {
      const body = createReadStream(path, { start: offset, signal: end });
      return { body: body as AsyncIterable<Buffer>, resumed: offset > 0 };
    };
  };
}

/** The path of a file with the asset's bytes; null if there is none or the folder cannot be read. */
async function findFile(folder: string, { sha256, size_bytes }: DesiredAsset, log: Log, signal: AbortSignal): Promise<string | null> {
  try {
    let entries = 0;
    for await (const entry of await opendir(folder, { recursive: true })) {
      signal.throwIfAborted();
      if ((entries += 1) > maxEntries) break;
      const path = join(entry.parentPath, entry.name);
      if (!entry.isFile() || (await stat(path)).size !== size_bytes) continue;
      const { hash } = await hashFile(path, { signal });
      if (hash.digest("hex") === sha256) return path;
    }
  } catch (error) {
    signal.throwIfAborted();
    if (!isSystemError(error)) throw error;
    // A stick that is not there is normal.
    if (error.code !== "ENOENT") log.warn({ folder, reason: reasonOf(error) }, "the preload folder could not be read");
  }
  return null;
}
