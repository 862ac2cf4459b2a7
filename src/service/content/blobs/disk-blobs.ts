// Stores files on disk under their SHA-256 hash. A stored file is always complete and synced.
import { access, copyFile, link, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { Fault, hasErrorCode } from "../../../base/fault.ts";
import { syncFolder } from "../../../base/files/durable-file.ts";
import type { Db } from "../../store/store.ts";
import type { BlobMarks } from "./blob-marks.ts";
import type { BlobName, BlobStore, LocalFile, ReceivedFile, Removal } from "./blob-store.ts";
import { IncomingFiles } from "./incoming-files.ts";

export class DiskBlobs implements BlobStore {
  readonly linkOrigin = null;
  readonly #folder: string;
  readonly #files: IncomingFiles;
  readonly #marks: BlobMarks | null;

  private constructor(folder: string, files: IncomingFiles, marks: BlobMarks | null) {
    this.#folder = folder;
    this.#files = files;
    this.#marks = marks;
  }

  /**
   * Opens the folder, creates it if necessary, and deletes files that an earlier process received only in part.
   * @param marks of a database that several nodes share, which then share the folder too; null: this process alone uses it.
   */
  static async open(folder: string, marks: BlobMarks | null = null): Promise<DiskBlobs> {
    return new DiskBlobs(folder, await IncomingFiles.open(join(folder, "incoming")), marks);
  }

  get isShared(): boolean {
    return this.#marks !== null;
  }

  receive(bytes: AsyncIterable<Uint8Array>, maxBytes: number, onProgress?: (sizeBytes: number) => void): Promise<ReceivedFile> {
    return this.#files.receive(bytes, maxBytes, onProgress);
  }

  incomingPath(): string {
    return this.#files.newPath();
  }

  receiveFile(path: string): Promise<ReceivedFile> {
    return this.#files.receiveFile(path);
  }

  adopt(path: string, known?: BlobName): Promise<ReceivedFile> {
    return this.#files.adopt(path, known);
  }

  async prepare(): Promise<void> {
    // A hard link is fast enough for the transaction.
  }

  async keep(db: Db, received: ReceivedFile): Promise<void> {
    await this.#marks?.unmark(db, [received.sha256]);
    const folder = join(this.#folder, received.sha256.slice(0, 2));
    const path = this.#path(received.sha256);
    // A blob that the disk only fails to examine is not removed: others may refer to it.
    const present = await stat(path).catch((error: unknown) => {
      if (hasErrorCode(error, "ENOENT")) return null;
      throw error;
    });
    if (present?.size === received.sizeBytes) return;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await rm(path, { force: true });
    await this.#link(received.path, path);
    await syncFolder(folder);
    await syncFolder(this.#folder);
  }

  async read({ sha256 }: BlobName, start: number, end: number): Promise<Readable> {
    const file = await open(this.#path(sha256)).catch((error: unknown) => {
      throw hasErrorCode(error, "ENOENT") ? missing(sha256, error) : error;
    });
    return file.createReadStream({ start, end });
  }

  async link(): Promise<null> {
    return null;
  }

  async localFile({ sha256 }: BlobName): Promise<LocalFile> {
    const path = this.#path(sha256);
    await access(path).catch((error: unknown) => {
      throw missing(sha256, error);
    });
    return { path, [Symbol.asyncDispose]: async () => undefined };
  }

  async permitRemoval(): Promise<Removal> {
    return {
      delete: async (hashes) => {
        for (const sha256 of hashes) await rm(this.#path(sha256), { force: true });
      },
    };
  }

  /** Folder by folder. */
  async *allHashes(): AsyncGenerator<string[]> {
    for (const name of await readdir(this.#folder)) {
      if (/^[0-9a-f]{2}$/.test(name)) yield (await readdir(join(this.#folder, name))).filter((each) => /^[0-9a-f]{64}$/.test(each));
    }
  }

  async check(): Promise<void> {
    await access(this.#folder).catch((cause: unknown) => {
      throw new Fault("blobs-unavailable", `the folder of the stored files, ${this.#folder}, cannot be read`, { cause });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Nothing stays open between two calls.
  }

  async #link(from: string, to: string): Promise<void> {
    try {
      await link(from, to);
    } catch (error) {
      if (!hasErrorCode(error, "EPERM", "ENOTSUP", "EOPNOTSUPP")) throw error;
      // The file system has no hard links (FAT): make a synced copy.
      const copy = this.#files.newPath();
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

function missing(sha256: string, cause: unknown): Fault {
  return new Fault("asset-missing", `the blob ${sha256} is missing on the disk`, { cause });
}
