// Stores blobs as objects of a bucket that several nodes share. Bytes are received and hashed on the local disk first.
import { createHash } from "node:crypto";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { Clock } from "../../../../base/clock.ts";
import { Fault } from "../../../../base/fault.ts";
import type { Db } from "../../../store/store.ts";
import { BlobCache } from "../blob-cache.ts";
import type { BlobMarks } from "../blob-marks.ts";
import type { BlobName, BlobStore, LinkHeaders, LocalFile, ReceivedFile, Removal } from "../blob-store.ts";
import { IncomingFiles } from "../incoming-files.ts";
import { Bucket } from "./bucket.ts";
import { blobKey, hashOfKey, type S3Config } from "./config.ts";
import { SignedLinks } from "./links.ts";
import { permitRemoval, removalMs } from "./removal.ts";
import { silenceLimited } from "./silence-limit.ts";
import { storeFile } from "./store-file.ts";

interface S3Dependencies {
  marks: BlobMarks;
  clock: Clock;
}

export class S3Blobs implements BlobStore {
  readonly isShared = true;
  readonly bucket: Bucket;
  readonly #dependencies: S3Dependencies;
  readonly #files: IncomingFiles;
  readonly #cache: BlobCache;
  readonly #links: SignedLinks | null;
  /** When a file was found or stored in the bucket, monotonic ms. */
  readonly #preparedAt = new WeakMap<ReceivedFile, number>();

  private constructor(bucket: Bucket, dependencies: S3Dependencies, files: IncomingFiles, cache: BlobCache, links: SignedLinks | null) {
    this.bucket = bucket;
    this.#dependencies = dependencies;
    this.#files = files;
    this.#cache = cache;
    this.#links = links;
  }

  /** @param folder for files that arrive, and for local copies. Connects to nothing yet. */
  static async open(folder: string, config: S3Config, dependencies: S3Dependencies): Promise<S3Blobs> {
    const files = await IncomingFiles.open(join(folder, "incoming"));
    const cache = await BlobCache.open(join(folder, "cache"), config.cacheBytes);
    const bucket = new Bucket(config, () => dependencies.clock.now());
    const links = config.links === null ? null : await SignedLinks.open(bucket, dependencies.clock, config.links.cdn);
    return new S3Blobs(bucket, dependencies, files, cache, links);
  }

  get linkOrigin(): string | null {
    return this.#links?.origin ?? null;
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

  async prepare(received: ReceivedFile): Promise<void> {
    const { clock, marks } = this.#dependencies;
    const startedAt = clock.monotonic();
    // Without a mark, no node deletes the blob before the grace is over, so that it need not be looked for again.
    const mayBeDeleted = await marks.unmarkIfMarked(received.sha256);
    // The node that was about to delete it may have lost its transaction, but not yet its permission.
    if (mayBeDeleted) await clock.wait(removalMs + 1_000);
    await storeFile(this.bucket, received);
    this.#preparedAt.set(received, startedAt);
    await this.#cache.add(received, received.path);
  }

  async keep(db: Db, received: ReceivedFile): Promise<void> {
    const { clock, marks } = this.#dependencies;
    await marks.unmark(db, [received.sha256]);
    const preparedAt = this.#preparedAt.get(received) ?? Number.NEGATIVE_INFINITY;
    if (clock.monotonic() - preparedAt >= marks.lastsMs) await storeFile(this.bucket, received);
  }

  async read(blob: BlobName, start: number, end: number): Promise<Readable> {
    const isWhole = start === 0 && end === blob.sizeBytes - 1;
    const found = await this.bucket.get(blobKey(this.bucket.config, blob.sha256), isWhole ? undefined : { start, end });
    if (found === null) throw missing(blob);
    if (found.totalBytes !== blob.sizeBytes) {
      found.body.destroy();
      throw corrupt(blob);
    }
    return Readable.from(this.#checked(found.body, blob, isWhole, end - start + 1), { objectMode: false });
  }

  async link({ sha256 }: BlobName, headers: LinkHeaders): Promise<string | null> {
    return this.#links === null ? null : this.#links.sign(blobKey(this.bucket.config, sha256), headers);
  }

  localFile(blob: BlobName): Promise<LocalFile> {
    return this.#cache.use(blob, () => this.read(blob, 0, blob.sizeBytes - 1));
  }

  permitRemoval(hashes: readonly string[]): Promise<Removal> {
    return permitRemoval(this.bucket, hashes);
  }

  async *allHashes(): AsyncGenerator<string[]> {
    const { config } = this.bucket;
    for await (const page of this.bucket.list(`${config.prefix}blobs/`)) {
      yield page.map(({ key }) => hashOfKey(config, key)).filter((sha256) => sha256 !== null);
    }
  }

  async check(signal: AbortSignal): Promise<void> {
    for await (const _page of this.bucket.list(`${this.bucket.config.prefix}blobs/`, 1, signal)) return;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.bucket[Symbol.dispose]();
  }

  /** The bytes of an object, all `length` of them. Holds the end of a whole blob back until its hash has been checked. */
  async *#checked(body: Readable, blob: BlobName, isWhole: boolean, length: number): AsyncGenerator<Buffer> {
    const hash = isWhole ? createHash("sha256") : null;
    let held: Buffer | null = null;
    let received = 0;
    try {
      for await (const bytes of silenceLimited(body)) {
        hash?.update(bytes);
        received += bytes.length;
        if (held !== null) yield held;
        held = bytes;
      }
    } catch (error) {
      throw this.bucket.fault(error);
    }
    if (received !== length) throw corrupt(blob);
    if (hash !== null && hash.digest("hex") !== blob.sha256) throw corrupt(blob);
    if (held !== null) yield held;
  }
}

function missing({ sha256 }: BlobName): Fault {
  return new Fault("asset-missing", `the blob ${sha256} is missing in the bucket`);
}

function corrupt({ sha256 }: BlobName): Fault {
  return new Fault("asset-corrupt", `the bucket has other bytes for the blob ${sha256}`);
}
