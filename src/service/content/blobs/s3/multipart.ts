// Sends a large file to a bucket in parts, each with its checksum. The object appears when all parts are there.
import { createHash } from "node:crypto";
import { open, type FileHandle } from "node:fs/promises";
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  UploadPartCommand,
  type CompletedPart,
} from "@aws-sdk/client-s3";
import { Fault } from "../../../../base/fault.ts";
import type { Bucket } from "./bucket.ts";

/** Files up to this size are sent whole; it is also the size of a part. S3 wants 5 MiB at least, and 10,000 parts at most. */
export const partBytes = 16 * 1_024 * 1_024;
const maxParts = 10_000;
const partsAtOnce = 3;

/** @throws Fault `blobs-unavailable`, after it has given up the upload. */
export async function putParts(bucket: Bucket, key: string, path: string, sizeBytes: number): Promise<void> {
  const { client, config } = bucket;
  const target = { Bucket: config.bucket, Key: key };
  await using file = await open(path);
  try {
    const { UploadId } = await client.send(new CreateMultipartUploadCommand({ ...target, ChecksumAlgorithm: "SHA256" }));
    const upload = { ...target, UploadId };
    try {
      const parts = await sendParts(bucket, upload, file, sizeBytes);
      const done = await client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: parts } }));
      checkWhole(done.ChecksumSHA256, parts, key);
    } catch (error) {
      // The remaining parts cost money until a lifecycle rule ends the upload, but are no object.
      await client.send(new AbortMultipartUploadCommand(upload)).catch(() => undefined);
      throw error;
    }
  } catch (error) {
    throw bucket.fault(error);
  }
}

async function sendParts(
  { client }: Bucket,
  upload: { Bucket: string; Key: string; UploadId: string | undefined },
  file: FileHandle,
  sizeBytes: number,
): Promise<CompletedPart[]> {
  const size = Math.max(partBytes, Math.ceil(sizeBytes / maxParts));
  const count = Math.ceil(sizeBytes / size);
  const parts: CompletedPart[] = [];
  let next = 1;
  let hasFailed = false;
  const send = async (): Promise<void> => {
    while (next <= count && !hasFailed) {
      const PartNumber = next;
      next += 1;
      const bytes = await readPart(file, (PartNumber - 1) * size, Math.min(size, sizeBytes - (PartNumber - 1) * size));
      const ChecksumSHA256 = createHash("sha256").update(bytes).digest("base64");
      const { ETag } = await client.send(new UploadPartCommand({ ...upload, PartNumber, Body: bytes, ChecksumSHA256 }));
      parts[PartNumber - 1] = { PartNumber, ETag, ChecksumSHA256 };
    }
  };
  const senders = Array.from({ length: partsAtOnce }, () =>
    send().catch((error: unknown) => {
      hasFailed = true;
      throw error;
    }),
  );
  // All must have ended before the upload is given up.
  for (const sender of await Promise.allSettled(senders)) if (sender.status === "rejected") throw sender.reason;
  return parts;
}

async function readPart(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  for (let read = 0; read < length;) {
    const { bytesRead } = await file.read(bytes, read, length - read, at + read);
    if (bytesRead === 0) throw new Fault("file-corrupt", "the received file is shorter than it was");
    read += bytesRead;
  }
  return bytes;
}

/** S3's checksum of the whole is the hash of the parts' hashes. */
function checkWhole(answered: string | undefined, parts: readonly CompletedPart[], key: string): void {
  if (answered === undefined) return;
  const hashes = Buffer.concat(parts.map(({ ChecksumSHA256 }) => Buffer.from(ChecksumSHA256 ?? "", "base64")));
  const expected = `${createHash("sha256").update(hashes).digest("base64")}-${parts.length}`;
  if (answered !== expected) throw new Fault("blobs-unavailable", `the bucket has stored other bytes for ${key} than were sent`);
}
