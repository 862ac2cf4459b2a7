// Opens the blob store that the configuration asks for. The client of S3 is loaded only if it is used.
import { join } from "node:path";
import type { Clock } from "../../../base/clock.ts";
import type { BlobMarks } from "./blob-marks.ts";
import type { BlobStore } from "./blob-store.ts";
import { DiskBlobs } from "./disk-blobs.ts";
import type { S3Config } from "./s3/config.ts";

/** @param s3 null: the blobs are in the data folder. */
export async function openBlobs(data: string, s3: S3Config | null, dependencies: { marks: BlobMarks; clock: Clock }): Promise<BlobStore> {
  const folder = join(data, "blobs");
  if (s3 === null) return DiskBlobs.open(folder);
  const { S3Blobs } = await import("./s3/s3-blobs.ts");
  return S3Blobs.open(folder, s3, dependencies);
}
