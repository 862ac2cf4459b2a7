// The interface to the bytes of unfinished uploads: in a file of this node, or in the bucket that all nodes use.
import type { Readable } from "node:stream";
import type { Locker } from "@tus/server";
import type { BlobName } from "../blobs/blob-store.ts";

/** A local file with all bytes of an upload. Disposing it deletes it if it is a copy. */
export interface CollectedUpload extends AsyncDisposable {
  path: string;
  /** The hash of its bytes; null: it has to be computed. */
  known: BlobName | null;
}

export interface UploadBytes {
  /** Lets one request at a time write an upload, on any node; null: requests of this process only, which the library does. */
  readonly locker: Locker | null;

  /** Begins an upload without bytes. */
  create(id: string): Promise<void>;

  /** The number of received bytes; null: they are gone. */
  offsetOf(id: string): Promise<number | null>;

  /**
   * Appends bytes behind `offset`. Bytes that arrive before an error are kept.
   * @returns the new offset
   * @throws any error of the stream; Fault `blobs-unavailable`; ProblemError when another request has appended meanwhile.
   */
  append(id: string, bytes: Readable, offset: number): Promise<number>;

  /** All bytes of an upload as one file. @throws Fault `asset-missing`, `asset-corrupt` or `blobs-unavailable`. */
  collect(id: string): Promise<CollectedUpload>;

  /** Deletes the bytes. */
  remove(id: string): Promise<void>;

  /** The uploads whose bytes an earlier or another process may have left; each call begins with the bytes that no upload needs. */
  leftOver(isFirst: boolean): Promise<string[]>;
}
