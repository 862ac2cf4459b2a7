// Files on disk, named by the SHA-256 of their bytes. A file is either whole and synced under its name, or not there.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { copyFile, link, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { syncFolder } from "../../base/files/durable-file.ts";
import { randomText } from "../people/token-secrets.ts";
import { writeStream } from "./file-writer.ts";
import { ProblemError } from "../http/problem.ts";

/** Bytes that came in and lie in a file of their own: to be kept under their hash, or to be dropped by disposing. */
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

  /** Opens the folder, made if need be, and clears what an earlier process left half received. */
  static async open(folder: string): Promise<Blobs> {
    const blobs = new Blobs(folder);
    await mkdir(blobs.#incoming, { recursive: true, mode: 0o700 });
    for (const name of await readdir(blobs.#incoming)) await rm(join(blobs.#incoming, name), { force: true });
    return blobs;
  }

  /**
   * Writes `bytes` to a temporary file, synced. `onProgress` hears how many have come.
   * @throws Refusal 413 above `mostBytes`; nothing is left behind then.
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

  /** A path at which a program of ours may make a file, to be given to {@link receiveFile} then. Cleared at each start. */
  incomingPath(): string {
    return join(this.#incoming, randomText(20));
  }

  /** Takes a file that was made at an {@link incomingPath} for received. */
  async receiveFile(path: string): Promise<ReceivedFile> {
    return { ...(await this.adopt(path)), [Symbol.asyncDispose]: () => rm(path, { force: true }) };
  }

  /**
   * Takes a file that lies on the same disk for received; its disposing leaves it where it is. It is read and hashed,
   * unless `known` is the hash of all that was written to it.
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
   * Keeps what came in under its hash, as a second name of the same file. Equal bytes that are there already stay as they
   * are. To be called inside the transaction that names them: the sweeper removes what no row names.
   */
  async keep(received: Pick<ReceivedFile, "path" | "sha256" | "sizeBytes">): Promise<void> {
    const folder = join(this.#folder, received.sha256.slice(0, 2));
    const path = this.#path(received.sha256);
    const present = await stat(path).catch(() => null);
    if (present?.size === received.sizeBytes) return;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await rm(path, { force: true });
    await this.#name(received.path, path);
    await syncFolder(folder);
    await syncFolder(this.#folder);
  }

  /** Opens the bytes from `start` to `end`, both included. */
  read(sha256: string, start: number, end: number): Readable {
    return createReadStream(this.#path(sha256), { start, end });
  }

  /** Where the bytes are, for a library that reads files. */
  pathOf(sha256: string): string {
    return this.#path(sha256);
  }

  /** Removes the file; one that is not there is fine. */
  async remove(sha256: string): Promise<void> {
    await rm(this.#path(sha256), { force: true });
  }

  /** The hashes of all files, folder by folder. */
  async *allHashes(): AsyncGenerator<string[]> {
    for (const name of await readdir(this.#folder)) {
      if (/^[0-9a-f]{2}$/.test(name)) yield (await readdir(join(this.#folder, name))).filter((each) => /^[0-9a-f]{64}$/.test(each));
    }
  }

  async #name(from: string, to: string): Promise<void> {
    try {
      await link(from, to);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && ["EPERM", "ENOTSUP", "EOPNOTSUPP"].includes(String(error.code)))) throw error;
      // A disk without second names (FAT): a synced copy under the name.
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

/** Refuses a body above `mostBytes`. */
export function tooLarge(maxBytes: number): ProblemError {
  return new ProblemError("too-large", `The body is larger than the ${maxBytes} bytes that are taken here`);
}
