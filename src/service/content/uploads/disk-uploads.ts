// Keeps the bytes of unfinished uploads in files of the data folder, on the same disk as the blobs.
import { createHash, type Hash } from "node:crypto";
import { mkdir, open, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { hasErrorCode } from "../../../base/fault.ts";
import type { Store } from "../../store/store.ts";
import { writeStream } from "../file-writer.ts";
import type { CollectedUpload, UploadBytes } from "./upload-bytes.ts";

export class DiskUploads implements UploadBytes {
  readonly locker = null;
  readonly #folder: string;
  readonly #store: Store;
  // The running hash of each upload. It is missing after a failed write or a restart; the file is read again then.
  readonly #hashes = new Map<string, { sizeBytes: number; hash: Hash }>();

  private constructor(folder: string, store: Store) {
    this.#folder = folder;
    this.#store = store;
  }

  /** Opens the folder; creates it if necessary. */
  static async open(folder: string, store: Store): Promise<DiskUploads> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return new DiskUploads(folder, store);
  }

  async create(id: string): Promise<void> {
    await writeFile(this.#path(id), "");
  }

  async offsetOf(id: string): Promise<number | null> {
    try {
      return (await stat(this.#path(id))).size;
    } catch (error) {
      if (hasErrorCode(error, "ENOENT")) return null;
      throw error;
    }
  }

  /** The bytes are synced when it resolves. */
  async append(id: string, bytes: Readable, offset: number): Promise<number> {
    const file = await open(this.#path(id), "r+");
    const hash = this.#takeHash(id, offset);
    try {
      const end = offset + (await writeStream(file, bytes, { at: offset, hash }));
      if (hash !== null) this.#hashes.set(id, { sizeBytes: end, hash });
      return end;
    } finally {
      await file.close();
    }
  }

  async collect(id: string): Promise<CollectedUpload> {
    const path = this.#path(id);
    const sizeBytes = (await stat(path)).size;
    const hash = this.#takeHash(id, sizeBytes);
    // The blob store keeps a hard link, so that nothing is copied.
    return { path, known: hash === null ? null : { sha256: hash.digest("hex"), sizeBytes }, [Symbol.asyncDispose]: async () => undefined };
  }

  async remove(id: string): Promise<void> {
    this.#hashes.delete(id);
    await rm(this.#path(id), { force: true });
  }

  /** An earlier process leaves files; no other process does. */
  async leftOver(isFirst: boolean): Promise<string[]> {
    if (!isFirst) return [];
    const { db } = this.#store;
    const left: string[] = [];
    for (const id of await readdir(this.#folder)) {
      const row = await db.selectFrom("uploads").select(["asset_id", "error"]).where("id", "=", id).executeTakeFirst();
      if (row === undefined || row.asset_id !== null || row.error !== null) await rm(join(this.#folder, id), { force: true });
      else left.push(id);
    }
    return left;
  }

  /** Takes the running hash of the first `sizeBytes` of an upload; null when there is none. */
  #takeHash(id: string, sizeBytes: number): Hash | null {
    const known = this.#hashes.get(id);
    this.#hashes.delete(id);
    if (sizeBytes === 0) return createHash("sha256");
    return known?.sizeBytes === sizeBytes ? known.hash : null;
  }

  /** The file of an upload. The service makes the ids, so the path cannot leave the folder. */
  #path(id: string): string {
    return join(this.#folder, id);
  }
}
