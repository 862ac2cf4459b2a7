// Writes a stream into a file: receiving, hashing, writing and syncing side by side, in pieces of a megabyte.
import type { Hash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";

// Fewer, larger writes: each is a way to the thread pool and back.
const pieceBytes = 1_048_576;
// Sent to the disk while more comes in, so that little is left for the sync at the end.
const syncEveryBytes = 16 * 1_024 * 1_024;

/** What happens with the bytes beside being written. */
export interface WriteOptions {
  /** Where in the file they begin. */
  at: number;
  /** Hears the bytes too; null: nobody does. */
  hash: Hash | null;
  /** Hears how many have come before they are taken; throws to end it. */
  onBytes?: (sizeBytes: number) => void;
}

/**
 * Writes all of `bytes` and syncs them. What came before a failure is in the file all the same.
 * @returns how many there were.
 * @throws what the stream, the file or `onBytes` threw.
 */
export async function writeStream(
  file: FileHandle,
  bytes: AsyncIterable<Uint8Array>,
  { at, hash, onBytes }: WriteOptions,
): Promise<number> {
  const pieces = new Pieces(file, at);
  let sizeBytes = 0;
  try {
    for await (const part of bytes) {
      onBytes?.(sizeBytes + part.length);
      sizeBytes += part.length;
      hash?.update(part);
      await pieces.add(part);
    }
  } finally {
    await pieces.end();
  }
  await file.sync();
  return sizeBytes;
}

/** One piece is written while the next is held: on a slow line each part goes out at once, on a fast one they add up. */
class Pieces {
  readonly #file: FileHandle;
  #at: number;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #unsyncedBytes = 0;
  #isWriting = false;
  #writing: Promise<void> = Promise.resolve();
  #syncing: Promise<void> = Promise.resolve();

  constructor(file: FileHandle, at: number) {
    this.#file = file;
    this.#at = at;
  }

  async add(part: Uint8Array): Promise<void> {
    this.#held.push(part);
    this.#heldBytes += part.length;
    if (!this.#isWriting || this.#heldBytes >= pieceBytes) await this.#write();
  }

  async end(): Promise<void> {
    if (this.#heldBytes > 0) await this.#write();
    await this.#writing;
    await this.#syncing;
  }

  async #write(): Promise<void> {
    await this.#writing;
    const [parts, length, at] = [this.#held, this.#heldBytes, this.#at];
    this.#held = [];
    this.#heldBytes = 0;
    this.#at += length;
    this.#isWriting = true;
    this.#writing = heardLater(writeAll(this.#file, parts, length, at).finally(() => (this.#isWriting = false)));
    this.#unsyncedBytes += length;
    if (this.#unsyncedBytes < syncEveryBytes) return;
    this.#unsyncedBytes = 0;
    await this.#syncing;
    this.#syncing = heardLater(this.#file.datasync());
  }
}

async function writeAll(file: FileHandle, parts: readonly Uint8Array[], length: number, at: number): Promise<void> {
  let { bytesWritten } = await file.writev(parts as Uint8Array<ArrayBuffer>[], at);
  // A write may take less than it was given.
  const whole = bytesWritten < length ? Buffer.concat(parts) : null;
  while (whole !== null && bytesWritten < length) {
    bytesWritten += (await file.write(whole, bytesWritten, length - bytesWritten, at + bytesWritten)).bytesWritten;
  }
}

/** A promise that is awaited further on: until then its failure must not count as unheard. */
function heardLater<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
