// Downloads one file: resumes a partial download, verifies size and SHA-256, and only then gives the file its name.
import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { syncFolder } from "../../base/files/durable-file.ts";
import { Fault, isFault, hasErrorCode } from "../../base/fault.ts";
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
  const stored = await readPart(part, asset.size_bytes, signal);
  const { body, resumed } = await openFile(asset, stored.size, signal);
  let { size, hash } = resumed ? stored : { size: 0, hash: createHash("sha256") };
  onProgress(size);
  const verified = async function* (): AsyncGenerator<Buffer> {
    for await (const bytes of body) {
      size += bytes.length;
      if (size > asset.size_bytes) throw new Fault("asset-corrupt", `longer than the announced ${asset.size_bytes} bytes`);
      hash.update(bytes);
      onProgress(size);
      yield bytes;
    }
    if (size < asset.size_bytes) throw new Fault("unreachable", `the download ended after ${size} of ${asset.size_bytes} bytes`);
    if (hash.digest("hex") !== asset.sha256) throw new Fault("asset-corrupt", "the bytes do not have the announced SHA-256");
  };
  const file = await open(part, size > 0 ? "a" : "w", 0o600);
  try {
    await file.appendFile(verified(), { signal });
    await file.sync();
  } catch (error) {
    // Keep a part that merely ends early, to resume it. Wrong bytes must be fetched again.
    if (isFault(error, "asset-corrupt")) await rm(part, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  await rename(part, path);
  await syncFolder(dirname(path));
}

/** The size and hash of the part that an earlier attempt has stored. Empty if there is none, or if it cannot be resumed. */
async function readPart(path: string, fullSize: number, signal: AbortSignal): Promise<{ size: number; hash: Hash }> {
  const hash = createHash("sha256");
  let size = 0;
  try {
    for await (const bytes of createReadStream(path, { signal }) as AsyncIterable<Buffer>) {
      size += bytes.length;
      hash.update(bytes);
    }
  } catch (error) {
    signal.throwIfAborted();
    // Without a readable part, the download starts at the first byte.
    if (!hasErrorCode(error, "ENOENT", "EIO")) throw error;
    size = fullSize;
  }
  return size < fullSize ? { size, hash } : { size: 0, hash: createHash("sha256") };
}
