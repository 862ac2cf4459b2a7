// Downloads one bundle of the mirror's source: continues the download of an earlier refresh, and keeps only files with their signed hash.
import { open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { Fault, hasErrorCode, isFault } from "../../base/fault.ts";
import { makeFolder, syncFolder } from "../../base/files/durable-file.ts";
import { verifyTarget } from "../../base/releases/verify-target.ts";
import type { SignedTarget } from "../../base/releases/verify.ts";
import { writeStream } from "../content/file-writer.ts";
import type { MirrorFolder } from "./mirror-folder.ts";
import type { ReleaseSource } from "./source.ts";

/**
 * Stores the bundle among the published files, which do not name it yet.
 * @throws Fault `unreachable` when the download breaks off: its part is kept. `file-corrupt` when the source has other bytes.
 */
export async function downloadBundle(
  source: ReleaseSource,
  folder: MirrorFolder,
  target: SignedTarget,
  signal: AbortSignal,
): Promise<void> {
  const part = folder.partOf(target.sha256);
  const wasResumed = await gather(source, part, target, signal);
  try {
    await verifyTarget(target, part, signal);
  } catch (error) {
    if (!isFault(error, "file-corrupt")) throw error;
    await rm(part, { force: true });
    // The earlier part may have come from a source that lied, so the whole bundle is tried once.
    if (wasResumed) return downloadBundle(source, folder, target, signal);
    throw new Fault("file-corrupt", `${source.name} has other bytes for ${target.name} than were signed`, { cause: error });
  }
  const path = folder.file(target.path);
  await makeFolder(dirname(path));
  await rename(part, path);
  await syncFolder(dirname(path));
}

/** Downloads the missing rest of the file at `part`. @returns true if a part was there before. */
async function gather(source: ReleaseSource, part: string, { name, path, sizeBytes }: SignedTarget, signal: AbortSignal): Promise<boolean> {
  const known = (await stat(part).catch(() => null))?.size ?? 0;
  if (known === sizeBytes) return true;
  const from = known < sizeBytes ? known : 0;
  const stream = await source.openBundle(path, from, signal);
  if (stream === null) throw new Fault("unreachable", `${source.name} does not have ${path}, which its metadata names`);
  const file = await open(part, from === 0 || stream.from === 0 ? "w" : "r+", 0o600);
  let size = stream.from;
  const onBytes = (written: number) => {
    size = stream.from + written;
    if (size > sizeBytes) throw new Fault("file-corrupt", `${source.name} sends more bytes for ${name} than were signed`);
  };
  try {
    await writeStream(file, stream.bytes, { at: stream.from, hash: null, onBytes });
  } catch (error) {
    signal.throwIfAborted();
    // Bytes beyond the signed size, or a full disk: the part is of no use.
    if (isFault(error, "file-corrupt") || hasErrorCode(error, "ENOSPC", "EDQUOT")) {
      await rm(part, { force: true });
      throw error;
    }
    throw new Fault("unreachable", `${source.name} broke off after ${size} of ${sizeBytes} bytes of ${name}`, { cause: error });
  } finally {
    await file.close();
  }
  if (size < sizeBytes) throw new Fault("unreachable", `${source.name} sent only ${size} of ${sizeBytes} bytes of ${name}`);
  return stream.from > 0;
}
