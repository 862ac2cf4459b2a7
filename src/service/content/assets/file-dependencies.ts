// The parts that receive, examine and store files.
import type { ServiceCore } from "../../core.ts";
import type { MediaProcessPool } from "../../media/process-pool.ts";
import type { BlobStore } from "../blobs/blob-store.ts";
import type { Thumbnails } from "./thumbnails.ts";

export interface FileDependencies extends ServiceCore {
  blobs: BlobStore;
  media: MediaProcessPool;
  thumbnails: Thumbnails;
  /** The largest size of a file, bytes. */
  maxAssetBytes: number;
}
