// Makes a desired state ready: fetches its missing files and verifies every byte before the state may be shown.
import { retry } from "../../base/async/retry.ts";
import type { Clock } from "../../base/clock.ts";
import { reasonOf } from "../../base/fault.ts";
import { Observable, type Watchable } from "../../base/async/observable.ts";
import type { Log } from "../../base/log.ts";
import type { DesiredState, DesiredAsset } from "../../protocol/device/desired-state.ts";
import { DiskHealth } from "../disk-health.ts";
import { downloadFile, type OpenFile } from "./download-file.ts";
import { distinctFiles, DownloadTracker, type DownloadProgress } from "./download-progress.ts";
import { ProvenFiles } from "./proven-files.ts";

/** A desired state with those of its files that are here and proven: all of them, unless it was restored from a damaged disk. */
export interface ReadyState {
  desired: DesiredState;
  /** Asset id to SHA-256 of the proven file. */
  files: ReadonlyMap<string, string>;
}

const concurrentDownloads = 3;
const backoffBounds = { firstMs: 1_000, longestMs: 300_000 };

export class ContentCache {
  readonly #files: ProvenFiles;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #ready = new Observable<ReadyState | null>(null);
  readonly #progress = new Observable<DownloadProgress>({ is: "idle", revision: null, readyBytes: 0, totalBytes: 0, detail: null });
  /** Media type by hash of the files that may be shown. */
  readonly #mediaTypes = new Map<string, string>();
  /** Hashes of the files of the state before this one. They are kept: the item on screen may still be one of them. */
  #previous = new Set<string>();
  /** Hashes of the files of the state that is being prepared. They are never removed to make room for the rest of it. */
  #target = new Set<string>();

  private constructor(files: ProvenFiles, clock: Clock, log: Log) {
    this.#files = files;
    this.#clock = clock;
    this.#log = log;
  }

  static async open(folder: string, clock: Clock, log: Log, disk = new DiskHealth(log)): Promise<ContentCache> {
    return new ContentCache(await ProvenFiles.open(folder, log, disk), clock, log);
  }

  get ready(): Watchable<ReadyState | null> {
    return this.#ready;
  }

  get progress(): Watchable<DownloadProgress> {
    return this.#progress;
  }

  /** The proven file with this hash; null when neither the present nor the previous state has it. */
  findFile(sha256: string): { folder: string; name: string; mimeType: string } | null {
    const mimeType = this.#mediaTypes.get(sha256);
    return mimeType === undefined ? null : { folder: this.#files.folder, name: sha256, mimeType };
  }

  /**
   * Makes the stored state ready at the start, without the service. Items with damaged files are left out until these are fetched
   * again. The files of `previous` are kept, in case the stored state is damaged at the next start.
   */
  async restore(desired: DesiredState, previous: DesiredState | null = null): Promise<void> {
    this.#previous = new Set(previous?.assets.map(({ sha256 }) => sha256));
    const files = await this.#files.presentOf(desired.assets);
    const missing = desired.assets.length - files.size;
    if (missing > 0) this.#log.error({ missing, revision: desired.revision }, "stored files are damaged or missing: playing without them");
    this.#setReady({ desired, files });
  }

  /** Makes `desired` ready and retries failed downloads. Rejects only when `signal` aborts or with Fault `revoked`. */
  async prepare(desired: DesiredState, openFile: OpenFile, signal: AbortSignal): Promise<void> {
    this.#target = new Set(desired.assets.map((asset) => asset.sha256));
    const present = await this.#files.presentOf(desired.assets);
    const missing = distinctFiles(desired.assets.filter((asset) => !present.has(asset.id)));
    const tracker = new DownloadTracker(this.#progress, desired, missing);
    await this.#downloadAll(missing, openFile, tracker, signal);
    if (missing.length > 0) await this.#files.save();
    const files = new Map(desired.assets.map((asset) => [asset.id, asset.sha256]));
    const before = this.#ready.value;
    if (before?.desired !== desired) this.#previous = new Set(before?.files.values());
    this.#setReady({ desired, files });
    tracker.finish();
    await this.#removeAllBut(new Set([...this.#target, ...this.#previous]));
  }

  /** Removes everything, after a revocation. */
  async purge(): Promise<void> {
    this.#ready.set(null);
    this.#mediaTypes.clear();
    await this.#files.purge();
  }

  #setReady(ready: ReadyState): void {
    for (const { id, sha256, mime_type } of ready.desired.assets) if (ready.files.has(id)) this.#mediaTypes.set(sha256, mime_type);
    this.#ready.set(ready);
  }

  /** Downloads several files at a time. The first worker to fail (revoked, aborted) ends the others. */
  async #downloadAll(assets: readonly DesiredAsset[], openFile: OpenFile, tracker: DownloadTracker, outer: AbortSignal): Promise<void> {
    const failed = new AbortController();
    const signal = AbortSignal.any([outer, failed.signal]);
    const queue = [...assets];
    const worker = async (): Promise<void> => {
      for (let asset = queue.shift(); asset !== undefined; asset = queue.shift()) {
        await this.#downloadUntilProven(asset, openFile, tracker, signal);
      }
    };
    const workers = Array.from({ length: concurrentDownloads }, worker);
    try {
      await Promise.all(workers);
    } finally {
      failed.abort();
      await Promise.allSettled(workers);
    }
  }

  async #downloadUntilProven(asset: DesiredAsset, openFile: OpenFile, tracker: DownloadTracker, signal: AbortSignal): Promise<void> {
    const download = async (): Promise<void> => {
      await downloadFile(this.#files.pathOf(asset.sha256), asset, openFile, (bytes) => tracker.setBytes(asset, bytes), signal);
      await this.#files.add(asset.sha256);
      tracker.setBytes(asset, asset.size_bytes);
    };
    const onFailure = async (error: unknown, retryInMs: number): Promise<void> => {
      if (isDiskFull(error)) await this.#makeRoom();
      this.#log.warn({ asset_id: asset.id, reason: reasonOf(error), retry_in_ms: retryInMs }, "a file could not be fetched");
      tracker.setFailure(asset, reasonOf(error));
    };
    await retry(download, { clock: this.#clock, bounds: backoffBounds, onFailure, signal });
  }

  /** Removes the files of the previous state, because the disk is full. The files that play now are kept. */
  async #makeRoom(): Promise<void> {
    this.#previous.clear();
    await this.#removeAllBut(new Set([...(this.#ready.value?.files.values() ?? []), ...this.#target]));
  }

  async #removeAllBut(kept: ReadonlySet<string>): Promise<void> {
    for (const name of await this.#files.removeAllBut(kept)) this.#mediaTypes.delete(name);
  }
}

function isDiskFull(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOSPC";
}
