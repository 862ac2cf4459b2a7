// Gathers the bytes of one piece of an upload in a local file, so that slow senders need no memory.
import { createHash } from "node:crypto";
import { open, rm, type FileHandle } from "node:fs/promises";
import { Fault } from "../../../base/fault.ts";

/** The largest piece. It is in memory while it is sent. */
export const pieceBytes = 8 * 1_024 * 1_024;

export class PieceFile implements AsyncDisposable {
  readonly #path: string;
  readonly #file: FileHandle;
  #hash = createHash("sha256");
  #sizeBytes = 0;

  private constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  static async open(path: string): Promise<PieceFile> {
    return new PieceFile(path, await open(path, "wx+", 0o600));
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** Adds bytes. @returns their number */
  async add(bytes: Uint8Array): Promise<number> {
    for (let written = 0; written < bytes.length;) {
      written += (await this.#file.write(bytes, written, bytes.length - written, this.#sizeBytes + written)).bytesWritten;
    }
    this.#hash.update(bytes);
    this.#sizeBytes += bytes.length;
    return bytes.length;
  }

  async read(): Promise<{ bytes: Buffer; sha256: string }> {
    const bytes = Buffer.allocUnsafe(this.#sizeBytes);
    for (let read = 0; read < bytes.length;) {
      const { bytesRead } = await this.#file.read(bytes, read, bytes.length - read, read);
      if (bytesRead === 0) throw new Fault("file-corrupt", "a received file is shorter than it was");
      read += bytesRead;
    }
    return { bytes, sha256: this.#hash.copy().digest("hex") };
  }

  /** Begins the next piece. */
  async empty(): Promise<void> {
    await this.#file.truncate();
    this.#hash = createHash("sha256");
    this.#sizeBytes = 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
    await rm(this.#path, { force: true });
  }
}
