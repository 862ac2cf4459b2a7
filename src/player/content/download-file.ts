// Downloads one file: resumes a partial download, verifies size and SHA-256, and only then gives the file its name.
import { createHash, type Hash } from "node:crypto";
import { open, rename, rm, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { BackgroundWriter } from "../../base/files/background-writer.ts";
import { syncFolder } from "../../base/files/durable-file.ts";
import { hashFile } from "../../base/files/hash-file.ts";
import { Fault, isFault, hasErrorCode } from "../../base/fault.ts";
import type { DesiredAsset } from "../../protocol/device/desired-state.ts";

/** Opens a file of the service. `resumed`: the body starts at `offset`, else at 0. */
export type OpenFile = (
  asset: DesiredAsset,
  offset: number,
  signal: AbortSignal,
) => Promise<{ body: AsyncIterable<Buffer>; resumed: boolean }>;

/** The first bytes of a file: how many, and their hash, which can be continued. */
interface StoredPart {
  size: number;
  hash: Hash;
}

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
  // Opened before the request, so that a disk that cannot be written leaves no response unread.
  const file = await open(part, "a", 0o600);
  try {
    const { body, resumed } = await openFile(asset, stored.size, signal);
    const start = resumed ? stored : { size: 0, hash: createHash("sha256") };
    if (start.size === 0) await file.truncate();
    onProgress(start.size);
    await receive(body, file, start, asset, onProgress, signal);
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

/** Writes the body behind the bytes that the file has, `start`, and verifies the whole. */
async function receive(
  body: AsyncIterable<Buffer>,
  file: FileHandle,
  start: StoredPart,
  asset: DesiredAsset,
  onProgress: (bytes: number) => void,
  signal: AbortSignal,
): Promise<void> {
  let { size, hash } = start;
  const writer = new BackgroundWriter(file);
  try {
    for await (const bytes of body) {
      signal.throwIfAborted();
      size += bytes.length;
      if (size > asset.size_bytes) throw new Fault("asset-corrupt", `longer than the announced ${asset.size_bytes} bytes`);
      // Hash while the disk writes the bytes before.
      await writer.write(bytes);
      hash.update(bytes);
      onProgress(size);
    }
  } finally {
    // After a broken connection too: the download is resumed behind the last byte that came.
    await writer.flush();
  }
  if (size < asset.size_bytes) throw new Fault("unreachable", `the download ended after ${size} of ${asset.size_bytes} bytes`);
  if (hash.digest("hex") !== asset.sha256) throw new Fault("asset-corrupt", "the bytes do not have the announced SHA-256");
}

/** The bytes that an earlier attempt has stored. Empty if there are none, or if the download cannot be resumed. */
async function readPart(path: string, fullSize: number, signal: AbortSignal): Promise<StoredPart> {
  const none = { size: 0, hash: createHash("sha256") };
  try {
    const stored = await hashFile(path, { signal });
    return stored.size < fullSize ? stored : none;
  } catch (error) {
    signal.throwIfAborted();
    // Without a readable part, the download starts at the first byte.
    if (!hasErrorCode(error, "ENOENT", "EIO")) throw error;
    return none;
  }
}
