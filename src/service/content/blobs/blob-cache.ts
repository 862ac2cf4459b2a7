// Keeps local copies of blobs for libraries that read files: a bounded number of bytes, the least recently used copies go first.
import { createHash } from "node:crypto";
import { link, mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { Fault, hasErrorCode } from "../../../base/fault.ts";
import { randomText } from "../../people/token-secrets.ts";
import { writeStream } from "../file-writer.ts";
import type { BlobName, LocalFile } from "./blob-store.ts";

interface Copy {
  path: string;
  sizeBytes: number;
  /** How many users have the file; it stays as long as there is one. */
  users: number;
  ready: Promise<void>;
}

export class BlobCache {
  readonly #folder: string;
  readonly #maxBytes: number;
  /** By hash, the least recently used first. */
  readonly #copies = new Map<string, Copy>();

  private constructor(folder: string, maxBytes: number) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
  }

  /** Opens an empty cache: files of an earlier process may be incomplete, and cost less to fetch than to verify. */
  static async open(folder: string, maxBytes: number): Promise<BlobCache> {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return new BlobCache(folder, maxBytes);
  }

  /**
   * The copy of a blob; fetches and verifies it if there is none. Several callers wait for one fetch.
   * @throws Fault `asset-corrupt` when the fetched bytes are others, and any error of `fetch`.
   */
  async use(blob: BlobName, fetch: () => Promise<AsyncIterable<Uint8Array>>): Promise<LocalFile> {
    const copy = this.#copies.get(blob.sha256) ?? this.#startFetch(blob, fetch);
    this.#touch(blob.sha256, copy);
    copy.users += 1;
    try {
      await copy.ready;
    } catch (error) {
      copy.users -= 1;
      if (this.#copies.get(blob.sha256) === copy) this.#copies.delete(blob.sha256);
      throw error;
    }
    await this.#evict();
    let isHeld = true;
    return {
      path: copy.path,
      [Symbol.asyncDispose]: async () => {
        if (isHeld) copy.users -= 1;
        isHeld = false;
        await this.#evict();
      },
    };
  }

  /** Keeps a link to a file that was received, since it is read again soon. */
  async add({ sha256, sizeBytes }: BlobName, path: string): Promise<void> {
    if (sizeBytes > this.#maxBytes || this.#copies.has(sha256)) return;
    const copy = { path: this.#newPath(sha256), sizeBytes, users: 0, ready: Promise.resolve() };
    try {
      await link(path, copy.path);
    } catch (error) {
      // Without hard links it is fetched when it is needed.
      if (hasErrorCode(error, "EPERM", "ENOTSUP", "EOPNOTSUPP", "EXDEV")) return;
      throw error;
    }
    // Another call may have added it meanwhile.
    if (this.#copies.has(sha256)) return rm(copy.path, { force: true });
    this.#touch(sha256, copy);
    await this.#evict();
  }

  #startFetch(blob: BlobName, fetch: () => Promise<AsyncIterable<Uint8Array>>): Copy {
    const path = this.#newPath(blob.sha256);
    const ready = this.#fetch(blob.sha256, path, fetch);
    return { path, sizeBytes: blob.sizeBytes, users: 0, ready };
  }

  async #fetch(sha256: string, path: string, fetch: () => Promise<AsyncIterable<Uint8Array>>): Promise<void> {
    const bytes = await fetch();
    const file = await open(path, "wx", 0o600);
    const hash = createHash("sha256");
    try {
      await writeStream(file, bytes, { at: 0, hash });
      if (hash.digest("hex") !== sha256) throw new Fault("asset-corrupt", `the stored bytes of the blob ${sha256} are others`);
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    } finally {
      await file.close();
    }
  }

  #touch(sha256: string, copy: Copy): void {
    this.#copies.delete(sha256);
    this.#copies.set(sha256, copy);
  }

  async #evict(): Promise<void> {
    let total = [...this.#copies.values()].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    for (const [sha256, copy] of this.#copies) {
      if (total <= this.#maxBytes) return;
      if (copy.users > 0) continue;
      total -= copy.sizeBytes;
      this.#copies.delete(sha256);
      await rm(copy.path, { force: true });
    }
  }

  /** Each copy has a name of its own, so that a deletion never concerns the next copy. */
  #newPath(sha256: string): string {
    return join(this.#folder, `${sha256}-${randomText(8)}`);
  }
}
