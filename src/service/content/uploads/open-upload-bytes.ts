// Opens the place for the bytes of unfinished uploads: the bucket if several nodes share one, else the data folder.
import { join } from "node:path";
import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import type { BlobStore } from "../blobs/blob-store.ts";
import type { Store } from "../../store/store.ts";
import { DiskUploads } from "./disk-uploads.ts";
import type { UploadBytes } from "./upload-bytes.ts";

interface Dependencies {
  blobs: BlobStore;
  /** `isShared`: several nodes use the database. */
  nodes: { isShared: boolean };
  store: Store;
  clock: Clock;
  log: Log;
}

export async function openUploadBytes(data: string, { blobs, nodes, ...others }: Dependencies): Promise<UploadBytes> {
  if (!nodes.isShared || !blobs.isShared) return DiskUploads.open(join(data, "uploads"), others.store);
  const { S3Blobs } = await import("../blobs/s3/s3-blobs.ts");
  if (!(blobs instanceof S3Blobs)) return DiskUploads.open(join(data, "uploads"), others.store);
  const { BucketUploads } = await import("./bucket-uploads.ts");
  return new BucketUploads({ blobs, ...others });
}
