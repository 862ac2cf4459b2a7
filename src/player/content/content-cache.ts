// Turns a desired state into a ready one: fetches what is missing, proves every byte, and only then lets it be shown.
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import { Backoff } from "../../base/async/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import { DurableFile, makeFolder, syncFolder } from "../../base/files/durable-file.ts";
import { Fault, isAbort, isFault, reasonOf } from "../../base/fault.ts";
import { Observable, type Watchable } from "../../base/async/observable.ts";
import type { Log } from "../../base/log.ts";
import type { DesiredState, DesiredAsset } from "../../protocol/device/desired-state.ts";
import { distinctFiles, DownloadTracker, type DownloadProgress } from "./download-progress.ts";

/** A desired state of which every file named in `files` is here and proven. */
export interface ReadyState {
  desired: DesiredState;
  /** Asset id to SHA-256 of the proven file. An asset of a stored state whose file rotted is missing here until mended. */
  files: ReadonlyMap<string, string>;
}

/** Opens a file of the service from `offset` on; `resumed` says whether it began there. */
export type OpenFile = (
  asset: DesiredAsset,
  offset: number,
  signal: AbortSignal,
) => Promise<{ body: AsyncIterable<Buffer>; resumed: boolean }>;

const fetchesAtOnce = 3;
const backoffBounds = { firstMs: 1_000, longestMs: 300_000 };

// What a file looked like when its hash was proven; while it looks the same it is not read again at each start.
const Proof = z.object({ size: z.number(), modifiedMs: z.number(), inode: z.number() });
const Proofs = z.record(z.string(), Proof);
type Proofs = z.infer<typeof Proofs>;

export class ContentCache {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #ready = new Observable<ReadyState | null>(null);
  readonly #progress = new Observable<DownloadProgress>({
    is: "idle",
    revision: null,
    readyBytes: 0,
    totalBytes: 0,
    detail: null,
  });
  readonly #proofFile: DurableFile<Proofs>;
  #proofs: Proofs = {};
  // The files of the state before this one stay: the item on screen may still be one of them.
  #before = new Set<string>();
  // Type by hash of the files that may be shown.
  readonly #types = new Map<string, string>();
  // The files of the state being prepared: never let go to make room for the rest of it.
  #target = new Set<string>();

  private constructor(folder: string, clock: Clock, log: Log) {
    this.#folder = folder;
    this.#clock = clock;
    this.#log = log;
    this.#proofFile = new DurableFile(join(folder, "proofs.json"), (json) => Proofs.parse(json));
  }

  static async open(folder: string, clock: Clock, log: Log): Promise<ContentCache> {
    const cache = new ContentCache(folder, clock, log);
    await makeFolder(folder);
    try {
      const read = await cache.#proofFile.read();
      if (read.is === "found") cache.#proofs = read.value;
    } catch (error) {
      if (!isFault(error, "file-corrupt")) throw error;
      log.warn("the list of proven files is damaged: all are proven anew");
    }
    return cache;
  }

  get ready(): Watchable<ReadyState | null> {
    return this.#ready;
  }

  get progress(): Watchable<DownloadProgress> {
    return this.#progress;
  }

  /** The proven file with this hash and its type; null when no state at hand or just before names it. */
  findFile(sha256: string): { folder: string; name: string; mimeType: string } | null {
    const mimeType = this.#types.get(sha256);
    return mimeType === undefined ? null : { folder: this.#folder, name: sha256, mimeType };
  }

  /**
   * Takes the stored state at the start, before the service is asked: shown with the files that prove themselves;
   * items whose file does not are left out until it has been fetched again.
   */
  async restore(desired: DesiredState): Promise<void> {
    const files = await this.#present(desired);
    const missing = desired.assets.length - files.size;
    if (missing > 0) this.#log.error({ missing, revision: desired.revision }, "stored files are damaged or gone: shown without them");
    this.#setReady({ desired, files });
  }

  /** Makes `desired` ready, through outages and bad bytes. Resolves when it is; rejects only when `signal` aborts or on `revoked`. */
  async prepare(desired: DesiredState, fetch: OpenFile, signal: AbortSignal): Promise<void> {
    this.#target = new Set(desired.assets.map((asset) => asset.sha256));
    const present = await this.#present(desired);
    const missing = distinctFiles(desired.assets.filter((asset) => !present.has(asset.id)));
    const progress = new DownloadTracker(this.#progress, desired, missing);
    const queue = [...missing];
    const worker = async (): Promise<void> => {
      for (let asset = queue.shift(); asset !== undefined; asset = queue.shift()) {
        await this.#fetchUntilProven(asset, fetch, progress, signal);
      }
    };
    // The first to fail (revoked, aborted) ends the others.
    const failed = new AbortController();
    signal = AbortSignal.any([signal, failed.signal]);
    const workers = Array.from({ length: fetchesAtOnce }, worker);
    try {
      await Promise.all(workers);
    } finally {
      failed.abort();
      await Promise.allSettled(workers);
    }
    if (missing.length > 0) await this.#proofFile.write(this.#proofs);
    const files = new Map(desired.assets.map((asset) => [asset.id, asset.sha256]));
    this.#before = new Set(this.#ready.value?.files.values());
    this.#setReady({ desired, files });
    progress.finish();
    await this.#removeAllBut(new Set([...this.#target, ...this.#before]));
  }

  /** Removes everything, after a revocation. */
  async purge(): Promise<void> {
    this.#ready.set(null);
    this.#types.clear();
    this.#proofs = {};
    await rm(this.#folder, { recursive: true, force: true });
    await makeFolder(this.#folder);
  }

  #path(sha256: string): string {
    return join(this.#folder, sha256);
  }

  #setReady(ready: ReadyState): void {
    for (const { id, sha256, mime_type } of ready.desired.assets) if (ready.files.has(id)) this.#types.set(sha256, mime_type);
    this.#ready.set(ready);
  }

  async #present(desired: DesiredState): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    for (const asset of desired.assets) {
      if (await this.#isProven(asset)) found.set(asset.id, asset.sha256);
    }
    return found;
  }

  /** Whether the file is here and still what it was when proven; one that looks different is read and proven anew. */
  async #isProven(asset: DesiredAsset): Promise<boolean> {
    const path = this.#path(asset.sha256);
    const now = await looksOf(path);
    if (now === null) return false;
    const proof = this.#proofs[asset.sha256];
    if (proof !== undefined && proof.size === now.size && proof.modifiedMs === now.modifiedMs && proof.inode === now.inode) return true;
    const hash = createHash("sha256");
    await pipeline(createReadStream(path), hash);
    if (hash.digest("hex") === asset.sha256) {
      this.#proofs[asset.sha256] = now;
      return true;
    }
    this.#log.error({ asset_id: asset.id }, "a stored file is damaged: it is fetched again");
    await rm(path, { force: true });
    return false;
  }

  async #fetchUntilProven(asset: DesiredAsset, fetch: OpenFile, progress: DownloadTracker, signal: AbortSignal): Promise<void> {
    const backoff = new Backoff(backoffBounds);
    for (;;) {
      try {
        await this.#fetchOnce(asset, fetch, progress, signal);
        return;
      } catch (error) {
        if ((isAbort(error) && signal.aborted) || isFault(error, "revoked")) throw error;
        const waitMs = backoff.next();
        if (isDiskFull(error)) await this.#makeRoom();
        this.#log.warn({ asset_id: asset.id, reason: reasonOf(error), retry_in_ms: Math.round(waitMs) }, "a file could not be fetched");
        progress.setFailure(asset, reasonOf(error));
        await this.#clock.wait(waitMs, signal);
      }
    }
  }

  /** Fetches into `<sha256>.part`, going on where an earlier try ended, and renames once the hash is proven. */
  async #fetchOnce(asset: DesiredAsset, fetch: OpenFile, progress: DownloadTracker, signal: AbortSignal): Promise<void> {
    const part = `${this.#path(asset.sha256)}.part`;
    const had = (await looksOf(part))?.size ?? 0;
    const offset = had < asset.size_bytes ? had : 0;
    const { body, resumed } = await fetch(asset, offset, signal);
    const start = resumed ? offset : 0;
    let size = start;
    progress.setBytes(asset, size);
    const bounded = async function* (): AsyncGenerator<Buffer> {
      for await (const bytes of body) {
        size += bytes.length;
        if (size > asset.size_bytes) throw new Fault("asset-corrupt", `longer than the ${asset.size_bytes} bytes announced`);
        progress.setBytes(asset, size);
        yield bytes;
      }
    };
    try {
      await pipeline(bounded, createWriteStream(part, { flags: start > 0 ? "a" : "w", mode: 0o600 }), { signal });
      await prove(part, asset);
    } catch (error) {
      // Bytes that are wrong would be wrong again; a part that merely ends early is gone on with.
      if (isFault(error, "asset-corrupt")) await rm(part, { force: true });
      throw error;
    }
    await rename(part, this.#path(asset.sha256));
    await syncFolder(this.#folder);
    this.#proofs[asset.sha256] = (await looksOf(this.#path(asset.sha256)))!;
    progress.setBytes(asset, asset.size_bytes);
  }

  /** On a full disk the state before this one is let go early; what plays now never is. */
  async #makeRoom(): Promise<void> {
    this.#before.clear();
    await this.#removeAllBut(new Set([...(this.#ready.value?.files.values() ?? []), ...this.#target]));
  }

  async #removeAllBut(kept: ReadonlySet<string>): Promise<void> {
    let removed = 0;
    for (const name of await readdir(this.#folder)) {
      if (name.startsWith("proofs.json") || kept.has(name.replace(/\.part$/, ""))) continue;
      await rm(join(this.#folder, name), { force: true });
      delete this.#proofs[name];
      this.#types.delete(name);
      removed += 1;
    }
    if (removed > 0) await this.#proofFile.write(this.#proofs);
  }
}

/** @throws Fault `asset-corrupt`; resolves once the bytes are right and on the disk. */
async function prove(part: string, asset: DesiredAsset): Promise<void> {
  const handle = await open(part, "r+");
  try {
    const { size } = await handle.stat();
    if (size < asset.size_bytes) throw new Fault("unreachable", `the download ended after ${size} of ${asset.size_bytes} bytes`);
    const hash = createHash("sha256");
    await pipeline(handle.createReadStream({ start: 0, autoClose: false }), hash);
    if (hash.digest("hex") !== asset.sha256) throw new Fault("asset-corrupt", "the bytes do not have the SHA-256 that was announced");
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function looksOf(path: string): Promise<z.infer<typeof Proof> | null> {
  try {
    const { size, mtimeMs, ino } = await stat(path);
    return { size, modifiedMs: mtimeMs, inode: ino };
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

function isDiskFull(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOSPC";
}
