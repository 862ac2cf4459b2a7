// Downloads one file: resumes a partial download, verifies size and SHA-256, and only then gives the file its name.
import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { syncFolder } from "../../base/files/durable-file.ts";
import { Fault, isFault } from "../../base/fault.ts";
import type { DesiredAsset } from "../../protocol/device/desired-state.ts";

/** Opens a file of the service. `resumed`: the body starts at `offset`, else at 0. */
export type OpenFile = (
  asset: DesiredAsset,
  offset: number,
  signal: AbortSignal,
) => Promise<{ body: AsyncIterable<Buffer>; resumed: boolean }>;

/**
 * Downloads into `${path}.part` and renames it to `path`. @param onProgress called with the bytes so far.
 * @throws Fault `asset-corrupt` for wrong bytes; `unreachable` for too few.
 */
export async function downloadFile(
  path: string,
  asset: DesiredAsset,
  openFile: OpenFile,
  onProgress: (bytes: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const part = `${path}.part`;
  const partBytes = await sizeOf(part);
  const offset = partBytes < asset.size_bytes ? partBytes : 0;
  const { body, resumed } = await openFile(asset, offset, signal);
  const start = resumed ? offset : 0;
  let size = start;
  onProgress(size);
  const bounded = async function* (): AsyncGenerator<Buffer> {
    for await (const bytes of body) {
      size += bytes.length;
      if (size > asset.size_bytes) throw new Fault("asset-corrupt", `longer than the announced ${asset.size_bytes} bytes`);
      onProgress(size);
      yield bytes;
    }
  };
  try {
    await pipeline(bounded, createWriteStream(part, { flags: start > 0 ? "a" : "w", mode: 0o600 }), { signal });
    await verify(part, asset);
  } catch (error) {
    // Keep a part that merely ends early, to resume it. Wrong bytes must be fetched again.
    if (isFault(error, "asset-corrupt")) await rm(part, { force: true });
    throw error;
  }
  await rename(part, path);
  await syncFolder(dirname(path));
}

/** Resolves once the bytes are verified and on the disk. @throws Fault `asset-corrupt`; `unreachable` for too few bytes. */
async function verify(part: string, asset: DesiredAsset): Promise<void> {
  const handle = await open(part, "r+");
  try {
    const { size } = await handle.stat();
    if (size < asset.size_bytes) throw new Fault("unreachable", `the download ended after ${size} of ${asset.size_bytes} bytes`);
    const hash = createHash("sha256");
    await pipeline(handle.createReadStream({ start: 0, autoClose: false }), hash);
    if (hash.digest("hex") !== asset.sha256) throw new Fault("asset-corrupt", "the bytes do not have the announced SHA-256");
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return 0;
    throw error;
  }
}
