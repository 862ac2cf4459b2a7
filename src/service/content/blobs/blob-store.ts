// The interface of the blob store: files under their SHA-256 hash, on disk or in a bucket. A stored file is always complete.
import type { Readable } from "node:stream";
import { ProblemError } from "../../http/problem.ts";
import type { Db } from "../../store/store.ts";

/** The name of a blob's bytes, and their number. */
export interface BlobName {
  sha256: string;
  sizeBytes: number;
}

/** A received file on the local disk, not stored yet. {@link BlobStore.keep} stores it; disposing deletes it. */
export interface ReceivedFile extends BlobName, AsyncDisposable {
  path: string;
}

/** A readable file with a blob's bytes. It stays until it is disposed. */
export interface LocalFile extends AsyncDisposable {
  path: string;
}

/** Headers of the response to a link that describe the bytes. */
export interface LinkHeaders {
  /** The media type. */
  type: string;
  /** Content-Disposition. */
  disposition: string;
  cacheControl: string;
}

/** A permission to delete blobs, which a bucket ends after seconds. */
export interface Removal {
  /** Deletes those of the blobs that exist. @throws Fault `blobs-unavailable`, also when the permission has ended. */
  delete(hashes: readonly string[]): Promise<void>;
}

export interface BlobStore extends AsyncDisposable {
  /** True if several nodes use the store. Unreferenced blobs are then deleted only after a time (see {@link BlobMarks}). */
  readonly isShared: boolean;

  /**
   * Writes `bytes` to a temporary file and syncs it. Calls `onProgress` with the number of bytes so far.
   * @throws ProblemError 413 above `maxBytes`, and deletes the file.
   */
  receive(bytes: AsyncIterable<Uint8Array>, maxBytes: number, onProgress?: (sizeBytes: number) => void): Promise<ReceivedFile>;

  /** A path where a media process may write a file for {@link receiveFile}. Each start deletes the files that are left there. */
  incomingPath(): string;

  /** The received file at an {@link incomingPath}. */
  receiveFile(path: string): Promise<ReceivedFile>;

  /**
   * Turns a file of the same disk into a received file. Disposing it does not delete the file. The file is read and hashed
   * unless the caller passes the hash of its bytes as `known`.
   */
  adopt(path: string, known?: BlobName): Promise<ReceivedFile>;

  /**
   * Does the slow part of {@link keep}, outside of the transaction: sends the file to the bucket. On disk there is nothing to do.
   * @throws Fault `blobs-unavailable` when the bucket cannot be reached.
   */
  prepare(received: ReceivedFile): Promise<void>;

  /**
   * Stores the file under its hash. An existing blob with the same hash stays unchanged. Call it inside the transaction `db` that
   * references the blob: the sweeper deletes unreferenced blobs.
   */
  keep(db: Db, received: ReceivedFile): Promise<void>;

  /**
   * The bytes from `start` to `end` inclusive.
   * @throws Fault `asset-missing` or `asset-corrupt`, before the first byte or as the stream's error.
   */
  read(blob: BlobName, start: number, end: number): Promise<Readable>;

  /** The origin of the addresses of {@link link}; null: there are none. */
  readonly linkOrigin: string | null;

  /**
   * An address where anybody can read the blob for some minutes, whole or by range; null: only this service sends it. Does not check
   * that the bucket has the blob. @throws Fault `blobs-unavailable` when the credentials cannot be had.
   */
  link(blob: BlobName, headers: LinkHeaders): Promise<string | null>;

  /** A local file with the blob's bytes, for libraries that read files. @throws Fault `asset-missing` or `asset-corrupt`. */
  localFile(blob: BlobName): Promise<LocalFile>;

  /**
   * Begins the deletion of blobs. Call it before the check that nothing references them, in the same transaction: the permission ends
   * before PostgreSQL ends the transaction of a process that is paused.
   */
  permitRemoval(hashes: readonly string[]): Promise<Removal>;

  /** The hashes of all blobs, page by page. */
  allHashes(): AsyncGenerator<string[]>;

  /** Resolves when the store responds. @throws Fault `blobs-unavailable`. */
  check(signal: AbortSignal): Promise<void>;
}

/** The error for a body above `maxBytes`. */
export function tooLarge(maxBytes: number): ProblemError {
  return new ProblemError("too-large", `The body is larger than the limit of ${maxBytes} bytes`);
}
