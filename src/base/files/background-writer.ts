// Appends to an open file while its caller goes on: all that arrives during a write is written together by the next one.
import type { FileHandle } from "node:fs/promises";

// As much again may be in the write that is running.
const maxWaitingBytes = 1024 * 1024;
// The most that Linux writes in one call (IOV_MAX).
const maxWaitingParts = 1_024;

export class BackgroundWriter {
  readonly #file: FileHandle;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  /** The write that is running, or that has failed; null for none. */
  #writing: Promise<void> | null = null;

  /** The caller closes the file, after {@link flush}. */
  constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Takes the bytes, which must not change any more. Waits for a write while too many are waiting. @throws the error of that write. */
  async write(bytes: Buffer): Promise<void> {
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#writing === null) this.#begin();
    else if (this.#waitingBytes >= maxWaitingBytes || this.#waiting.length >= maxWaitingParts) await this.#writing;
  }

  /** Resolves when all bytes are written, not synced. @throws the error of the first write that failed. */
  async flush(): Promise<void> {
    while (this.#writing !== null) await this.#writing;
  }

  #begin(): void {
    const [parts, bytes] = [this.#waiting, this.#waitingBytes];
    [this.#waiting, this.#waitingBytes] = [[], 0];
    this.#writing = this.#writeAll(parts, bytes).then(() => {
      this.#writing = null;
      if (this.#waiting.length > 0) this.#begin();
    });
    // The caller may be waiting for more bytes. It gets the error when it next waits here, by `flush` at the latest.
    this.#writing.catch(() => undefined);
  }

  async #writeAll(parts: readonly Buffer[], bytes: number): Promise<void> {
    const { bytesWritten } = await this.#file.writev(parts);
    // A full disk takes only a part. Trying the rest gives the error.
    if (bytesWritten < bytes) await this.#file.writeFile(Buffer.concat(parts).subarray(bytesWritten));
  }
}
