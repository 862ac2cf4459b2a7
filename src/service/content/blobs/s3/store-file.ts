// Makes sure that a bucket has a local file's bytes under their hash.
import { readFile } from "node:fs/promises";
import type { BlobName } from "../blob-store.ts";
import type { Bucket } from "./bucket.ts";
import { blobKey } from "./config.ts";
import { partBytes, putParts } from "./multipart.ts";

/** @throws Fault `blobs-unavailable`. */
export async function storeFile(bucket: Bucket, { path, sha256, sizeBytes }: BlobName & { path: string }): Promise<void> {
  const key = blobKey(bucket.config, sha256);
  const present = await bucket.head(key);
  if (present?.sizeBytes === sizeBytes && (present.sha256 ?? sha256) === sha256) return;
  if (sizeBytes > partBytes) return putParts(bucket, key, path, sizeBytes);
  const bytes = await readFile(path);
  // Another node may store it at the same time, which is as good.
  const isStored = await bucket.put(key, bytes, present === null);
  if (!isStored && (await bucket.head(key))?.sizeBytes !== sizeBytes) await bucket.put(key, bytes, false);
}
