// Copies the blobs of a data folder into a bucket. Blobs that are there already are not sent again: a repeated call goes on.
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Fault, hasErrorCode } from "../../../base/fault.ts";
import { hashFile } from "../../../base/files/hash-file.ts";
import type { Log } from "../../../base/log.ts";
import { blobColumns } from "../../content/blob-sweeper.ts";
import { Bucket } from "../../content/blobs/s3/bucket.ts";
import { blobKey, hashOfKey, type S3Config } from "../../content/blobs/s3/config.ts";
import { storeFile } from "../../content/blobs/s3/store-file.ts";

const copiedAtOnce = 4;
const progressMs = 5_000;

/** The result of a copy. */
export interface CopiedBlobs {
  /** How many blobs the database references, and their bytes. */
  blobs: number;
  bytes: number;
  /** How many of them had to be sent. */
  sent: number;
  /** Blobs that the folder does not have, or with other bytes. The service says of them that they are damaged, as before. */
  damaged: string[];
}

/**
 * Copies every blob that the databases of `folder` reference, each verified by its hash, and compares the sizes in the bucket afterwards.
 * @throws Fault `blobs-unavailable`; `file-corrupt` when the bucket has other sizes; the reason of `signal`.
 */
export async function copyBlobs(folder: string, s3: S3Config, log: Log, signal: AbortSignal): Promise<CopiedBlobs> {
  using bucket = new Bucket(s3);
  const wanted = referencedIn(folder);
  const before = await sizesIn(bucket, signal);
  const copied: CopiedBlobs = { blobs: 0, bytes: 0, sent: 0, damaged: [] };
  const expected = new Map<string, number>();
  let reportedAt = performance.now();
  const next = wanted.values();
  const copyAll = async (): Promise<void> => {
    for (const sha256 of next) {
      signal.throwIfAborted();
      const path = join(folder, "blobs", sha256.slice(0, 2), sha256);
      const sizeBytes = await verifiedSize(path, sha256, before.get(sha256), signal);
      if (sizeBytes === null) {
        copied.damaged.push(sha256);
        log.warn({ sha256 }, "a blob is missing or damaged in the folder");
        continue;
      }
      if (before.get(sha256) !== sizeBytes) {
        await storeFile(bucket, { path, sha256, sizeBytes });
        copied.sent += 1;
      }
      expected.set(sha256, sizeBytes);
      copied.blobs += 1;
      copied.bytes += sizeBytes;
      if (performance.now() - reportedAt < progressMs) continue;
      reportedAt = performance.now();
      log.info({ blobs: copied.blobs, of: wanted.size, bytes: copied.bytes }, "copying blobs");
    }
  };
  await allOf(Array.from({ length: copiedAtOnce }, copyAll));
  await compare(bucket, expected, signal);
  return copied;
}

/** The hashes of all blobs that rows reference. */
function referencedIn(folder: string): Set<string> {
  using file = new DatabaseSync(join(folder, "state.db"), { readOnly: true, timeout: 5_000 });
  const hashes = new Set<string>();
  for (const [table, column] of blobColumns) {
    for (const row of file.prepare(`SELECT "${column}" AS sha256 FROM "${table}" WHERE "${column}" IS NOT NULL`).iterate())
      hashes.add(String(row["sha256"]));
  }
  return hashes;
}

async function sizesIn(bucket: Bucket, signal: AbortSignal): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for await (const page of bucket.list(`${bucket.config.prefix}blobs/`, 1_000, signal)) {
    for (const { key, sizeBytes } of page) {
      const sha256 = hashOfKey(bucket.config, key);
      if (sha256 !== null) sizes.set(sha256, sizeBytes);
    }
  }
  return sizes;
}

/**
 * The size of a file with this hash; null: it is missing, or has other bytes. An object of the file's size was sent with its checksum, so
 * the file is not read again.
 */
async function verifiedSize(path: string, sha256: string, sizeThere: number | undefined, signal: AbortSignal): Promise<number | null> {
  try {
    const { size } = await stat(path);
    if (size === sizeThere) return size;
    const { hash } = await hashFile(path, { signal });
    return hash.digest("hex") === sha256 ? size : null;
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "EIO")) return null;
    throw error;
  }
}

/** @throws Fault `file-corrupt` for a blob that the bucket does not have with its size. */
async function compare(bucket: Bucket, expected: ReadonlyMap<string, number>, signal: AbortSignal): Promise<void> {
  const there = await sizesIn(bucket, signal);
  for (const [sha256, sizeBytes] of expected) {
    if (there.get(sha256) === sizeBytes) continue;
    const found = there.has(sha256) ? `${there.get(sha256)} bytes` : "nothing";
    throw new Fault("file-corrupt", `${bucket.name} has ${found} as ${blobKey(bucket.config, sha256)}, not ${sizeBytes} bytes`);
  }
}

/** Waits until all have ended. @throws the first error */
async function allOf(running: readonly Promise<void>[]): Promise<void> {
  for (const each of await Promise.allSettled(running)) if (each.status === "rejected") throw each.reason;
}
