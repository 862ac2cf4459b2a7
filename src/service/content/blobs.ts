// Stores files on disk under their SHA-256 hash. A stored file is always complete and synced.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { copyFile, link, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { syncFolder } from "../../base/files/durable-file.ts";
import { randomText } from "../people/token-secrets.ts";
import { writeStream } from "./file-writer.ts";
import { ProblemError } from "../http/problem.ts";
import { hasErrorCode } from "../../base/fault.ts";

/** A received file, not stored yet. {@link Blobs.keep} stores it; disposing deletes it. */
export interface ReceivedFile extends AsyncDisposable {
  path: string;
  sha256: string;
  sizeBytes: number;
}

export class Blobs {
  readonly #folder: string;
  readonly #incoming: string;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#incoming = join(folder, "incoming");
  }

  /** Opens the folder, creates it if necessary, and deletes files that an earlier process received only in part. */
  static async open(folder: string): Promise<Blobs> {
    const blobs = new Blobs(folder);
    await mkdir(blobs.#incoming, { recursive: true, mode: 0o700 });
    for (const name of await readdir(blobs.#incoming)) await rm(join(blobs.#incoming, name), { force: true });
    return blobs;
  }

  /**
   * Writes `bytes` to a temporary file and syncs it. Calls `onProgress` with the number of bytes so far.
   * @throws ProblemError 413 above `maxBytes`, and deletes the file.
   */
  async receive(bytes: AsyncIterable<Uint8Array>, maxBytes: number, onProgress?: (sizeBytes: number) => void): Promise<ReceivedFile> {
    const path = join(this.#incoming, randomText(20));
    const discard = () => rm(path, { force: true });
    const hash = createHash("sha256");
    const file = await open(path, "wx", 0o600);
    const onBytes = (sizeBytes: number) => {
      if (sizeBytes > maxBytes) throw tooLarge(maxBytes);
      onProgress?.(sizeBytes);
    };
    try {
      const sizeBytes = await writeStream(file, bytes, { at: 0, hash, onBytes });
      return { path, sha256: hash.digest("hex"), sizeBytes, [Symbol.asyncDispose]: discard };
    } catch (error) {
      await discard();
      throw error;
    } finally {
      await file.close();
    }
  }

  /** A path where a media process may write a file for {@link receiveFile}. Each start deletes the files that are left there. */
  incomingPath(): string {
    return join(this.#incoming, randomText(20));
  }

  /** The received file at an {@link incomingPath}. */
  async receiveFile(path: string): Promise<ReceivedFile> {
    return { ...(await this.adopt(path)), [Symbol.asyncDispose]: () => rm(path, { force: true }) };
  }

  /**
   * Turns a file of the same disk into a received file. Disposing it does not delete the file. The file is read and hashed
   * unless the caller passes the hash of its bytes as `known`.
   */
  async adopt(path: string, known?: Pick<ReceivedFile, "sha256" | "sizeBytes">): Promise<ReceivedFile> {
    if (known !== undefined) return { ...known, path, [Symbol.asyncDispose]: async () => undefined };
    const hash = createHash("sha256");
    let sizeBytes = 0;
    const file = await open(path, "r+");
    try {
      await file.sync();
      for await (const part of file.createReadStream({ autoClose: false, highWaterMark: 1_048_576 }) as AsyncIterable<Buffer>) {
        hash.update(part);
        sizeBytes += part.length;
      }
    } finally {
      await file.close();
    }
    return { path, sha256: hash.digest("hex"), sizeBytes, [Symbol.asyncDispose]: async () => undefined };
  }

  /**
   * Stores the file under its hash as a hard link. An existing blob with the same hash stays unchanged. Call it inside the
   * transaction that references the blob: the sweeper deletes unreferenced blobs.
   */
  async keep(received: Pick<ReceivedFile, "path" | "sha256" | "sizeBytes">): Promise<void> {
    const folder = join(this.#folder, received.sha256.slice(0, 2));
    const path = this.#path(received.sha256);
    const present = await stat(path).catch(() => null);
    if (present?.size === received.sizeBytes) return;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await rm(path, { force: true });
    await this.#link(received.path, path);
    await syncFolder(folder);
    await syncFolder(this.#folder);
  }

  /** The bytes from `start` to `end` inclusive. */
  read(sha256: string, start: number, end: number): Readable {
    return createReadStream(this.#path(sha256), { start, end });
  }

  /** The path of a blob, for libraries that read files. */
  pathOf(sha256: string): string {
    return this.#path(sha256);
  }

  /** Deletes the blob if it exists. */
  async remove(sha256: string): Promise<void> {
    await rm(this.#path(sha256), { force: true });
  }

  /** The hashes of all blobs, folder by folder. */
  async *allHashes(): AsyncGenerator<string[]> {
    for (const name of await readdir(this.#folder)) {
      if (/^[0-9a-f]{2}$/.test(name)) yield (await readdir(join(this.#folder, name))).filter((each) => /^[0-9a-f]{64}$/.test(each));
    }
  }

  async #link(from: string, to: string): Promise<void> {
    try {
      await link(from, to);
    } catch (error) {
      if (!hasErrorCode(error, "EPERM", "ENOTSUP", "EOPNOTSUPP")) throw error;
      // The file system has no hard links (FAT): make a synced copy.
      const copy = join(this.#incoming, randomText(20));
      await copyFile(from, copy);
      const file = await open(copy, "r+");
      await file.sync().finally(() => file.close());
      await rename(copy, to);
    }
  }

  #path(sha256: string): string {
    return join(this.#folder, sha256.slice(0, 2), sha256);
  }
}

/** The error for a body above `maxBytes`. */
export function tooLarge(maxBytes: number): ProblemError {
  return new ProblemError("too-large", `The body is larger than the limit of ${maxBytes} bytes`);
}
