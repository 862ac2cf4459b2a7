// Writes a stream into a file fast: receives, hashes, writes and syncs at the same time, in chunks of a megabyte.
import type { Hash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";

// Fewer and larger writes: each one costs a round trip to the thread pool.
const chunkBytes = 1_048_576;
// Sync while more bytes arrive, so that the sync at the end is short.
const syncEveryBytes = 16 * 1_024 * 1_024;

export interface WriteOptions {
  /** The position in the file where the bytes begin. */
  at: number;
  /** Updated with the bytes; null: not hashed. */
  hash: Hash | null;
  /** Called with the total number of bytes before each chunk is written. It may throw to stop. */
  onBytes?: (sizeBytes: number) => void;
}

/**
 * Writes all of `bytes` and syncs them. After a failure the file holds the bytes received before it.
 * @returns the number of bytes.
 * @throws any error of the stream, the file or `onBytes`.
 */
export async function writeStream(
  file: FileHandle,
  bytes: AsyncIterable<Uint8Array>,
  { at, hash, onBytes }: WriteOptions,
): Promise<number> {
  const writer = new ChunkWriter(file, at);
  let sizeBytes = 0;
  try {
    for await (const part of bytes) {
      onBytes?.(sizeBytes + part.length);
      sizeBytes += part.length;
      hash?.update(part);
      await writer.add(part);
    }
  } finally {
    await writer.end();
  }
  await file.sync();
  return sizeBytes;
}

/** Writes one chunk while it gathers the next. A slow sender's bytes are written at once; a fast sender's add up to chunks. */
class ChunkWriter {
  readonly #file: FileHandle;
  #at: number;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #unsyncedBytes = 0;
  #isWriting = false;
  #writing: Promise<void> = Promise.resolve();
  #syncing: Promise<void> = Promise.resolve();

  constructor(file: FileHandle, at: number) {
    this.#file = file;
    this.#at = at;
  }

  async add(part: Uint8Array): Promise<void> {
    this.#pending.push(part);
    this.#pendingBytes += part.length;
    if (!this.#isWriting || this.#pendingBytes >= chunkBytes) await this.#write();
  }

  async end(): Promise<void> {
    if (this.#pendingBytes > 0) await this.#write();
    await this.#writing;
    await this.#syncing;
  }

  async #write(): Promise<void> {
    await this.#writing;
    const [parts, length, at] = [this.#pending, this.#pendingBytes, this.#at];
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#at += length;
    this.#isWriting = true;
    this.#writing = markHandled(writeAll(this.#file, parts, length, at).finally(() => (this.#isWriting = false)));
    this.#unsyncedBytes += length;
    if (this.#unsyncedBytes < syncEveryBytes) return;
    this.#unsyncedBytes = 0;
    await this.#syncing;
    this.#syncing = markHandled(this.#file.datasync());
  }
}

async function writeAll(file: FileHandle, parts: readonly Uint8Array[], length: number, at: number): Promise<void> {
  let { bytesWritten } = await file.writev(parts as Uint8Array<ArrayBuffer>[], at);
  // A write may be short.
  const whole = bytesWritten < length ? Buffer.concat(parts) : null;
  while (whole !== null && bytesWritten < length) {
    bytesWritten += (await file.write(whole, bytesWritten, length - bytesWritten, at + bytesWritten)).bytesWritten;
  }
}

/** Marks a promise that is awaited later, so that an early rejection does not count as unhandled. */
function markHandled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
