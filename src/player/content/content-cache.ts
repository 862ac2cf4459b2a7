// Makes a desired state ready: fetches its missing files and verifies every byte before the state may be shown.
import { retry } from "../../base/async/retry.ts";
import type { Clock } from "../../base/clock.ts";
import { reasonOf } from "../../base/fault.ts";
import { Listeners } from "../../base/async/listeners.ts";
import { Observable, type Watchable } from "../../base/async/observable.ts";
import { makeFolder } from "../../base/files/durable-file.ts";
import type { Log } from "../../base/log.ts";
import type { DesiredState, DesiredAsset } from "../../protocol/device/desired-state.ts";
import { DiskHealth } from "../disk-health.ts";
import { downloadFile, type OpenFile } from "./download-file.ts";
import { FileChecks } from "./file-checks.ts";
import { distinctFiles, DownloadTracker, type DownloadProgress } from "./download-progress.ts";
import { ProvenFiles } from "./proven-files.ts";

/** A desired state with those of its files that are here and proven: all of them, unless the disk has damaged some. */
export interface ReadyState {
  desired: DesiredState;
  /** Asset id to SHA-256 of the proven file. */
  files: ReadonlyMap<string, string>;
}

const concurrentDownloads = 3;
const backoffBounds = { firstMs: 1_000, longestMs: 300_000 };

export class ContentCache {
  readonly #files: ProvenFiles;
  readonly #checks: FileChecks;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #ready = new Observable<ReadyState | null>(null);
  readonly #progress = new Observable<DownloadProgress>({ is: "idle", revision: null, readyBytes: 0, totalBytes: 0, detail: null });
  readonly #restarts = new Listeners<void>();
  /** Media type by hash of the files that may be shown. */
  readonly #mediaTypes = new Map<string, string>();
  /** Hashes of the files of the state before this one. They are kept: the item on screen may still be one of them. */
  #previous = new Set<string>();
  /** Hashes of the files of the state that is being prepared. They are never removed to make room for the rest of it. */
  #target = new Set<string>();

  private constructor(files: ProvenFiles, clock: Clock, log: Log) {
    this.#files = files;
    const current = () => this.#mediaTypes.keys();
    this.#checks = new FileChecks({ files, current, onDamaged: (sha256, reason) => this.#onDamaged(sha256, reason), clock, log });
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

  /** Calls `listener` when {@link prepare} has to be called again: after a loss, or to retry at once. Until `signal` aborts. */
  onRestart(listener: () => void, signal: AbortSignal): void {
    this.#restarts.add(listener, signal);
  }

  /** Retries failed downloads without waiting longer, because the service can be reached again. */
  retryNow(): void {
    if (this.#progress.value.is === "failed") this.#restarts.notify();
  }

  /** Verifies the files of these assets of the ready state soon, because the page could not show them. */
  suspect(assetIds: readonly string[]): void {
    for (const id of assetIds) {
      const sha256 = this.#ready.value?.files.get(id);
      if (sha256 !== undefined) this.#checks.suspect(sha256);
    }
  }

  /** Verifies suspected files at once and all others slowly, until `signal` aborts. */
  verify(signal: AbortSignal): Promise<never> {
    return this.#checks.run(signal);
  }

  /**
   * Makes `desired` ready and retries failed downloads. Meanwhile fetches the files that the ready state has lost.
   * Rejects only when `signal` aborts or with Fault `revoked`.
   */
  async prepare(desired: DesiredState, openFile: OpenFile, signal: AbortSignal): Promise<void> {
    this.#target = new Set(desired.assets.map((asset) => asset.sha256));
    // Repeated, because files may be lost during the downloads.
    for (;;) {
      const files = await this.#files.presentOf(desired.assets);
      const missing = distinctFiles(desired.assets.filter(({ id }) => !files.has(id)));
      const tracker = new DownloadTracker(this.#progress, desired, missing);
      if (missing.length === 0) return this.#complete({ desired, files }, tracker);
      // A file of the ready state may have been removed since the last check.
      for (const { sha256 } of missing) this.#lose(sha256, "the file is missing");
      const complete = new AbortController();
      const download = async (end: AbortSignal): Promise<void> => {
        await this.#downloadAll(missing, openFile, tracker, end);
        complete.abort();
      };
      await runTogether([download, (end) => this.#repair(openFile, AbortSignal.any([end, complete.signal]))], signal);
      await this.#files.save();
    }
  }

  /** Removes everything, after a revocation. */
  async purge(): Promise<void> {
    this.#ready.set(null);
    this.#mediaTypes.clear();
    await this.#files.purge();
  }

  async #complete(ready: ReadyState, tracker: DownloadTracker): Promise<void> {
    const before = this.#ready.value;
    // A state that was prepared again after a loss does not displace the state before it.
    if (before?.desired !== ready.desired) this.#previous = new Set(before?.files.values());
    this.#setReady(ready);
    tracker.finish();
    await this.#removeAllBut(new Set([...this.#target, ...this.#previous]));
  }

  #setReady(ready: ReadyState): void {
    for (const { id, sha256, mime_type } of ready.desired.assets) if (ready.files.has(id)) this.#mediaTypes.set(sha256, mime_type);
    this.#ready.set(ready);
  }

  #onDamaged(sha256: string, reason: string): void {
    if (this.#lose(sha256, reason)) this.#restarts.notify();
  }

  /** Takes a damaged or missing file out of the ready state, so that its items are skipped. Returns whether the state had it. */
  #lose(sha256: string, reason: string): boolean {
    const ready = this.#ready.value;
    if (!this.#mediaTypes.delete(sha256) || ready === null) return false;
    const files = new Map([...ready.files].filter(([, hash]) => hash !== sha256));
    if (files.size === ready.files.size) return false;
    const assetIds = ready.desired.assets.filter((asset) => asset.sha256 === sha256).map(({ id }) => id);
    this.#log.error({ sha256, asset_ids: assetIds, reason }, "a stored file is damaged or missing: fetching it again");
    this.#ready.set({ desired: ready.desired, files });
    return true;
  }

  /** Adds a file that was just fetched to the ready state, if that had lost it. */
  #regain(sha256: string): void {
    const ready = this.#ready.value;
    const lost = ready?.desired.assets.filter((asset) => asset.sha256 === sha256 && !ready.files.has(asset.id)) ?? [];
    if (ready === null || lost.length === 0) return;
    this.#log.info({ sha256, asset_ids: lost.map(({ id }) => id) }, "a lost file is here again");
    this.#setReady({ desired: ready.desired, files: new Map([...ready.files, ...lost.map(({ id }) => [id, sha256] as const)]) });
  }

  /** Fetches the lost files that only the ready state needs, until they are here or `signal` aborts. */
  async #repair(openFile: OpenFile, signal: AbortSignal): Promise<void> {
    const ready = this.#ready.value;
    const lost = ready?.desired.assets.filter(({ id, sha256 }) => !ready.files.has(id) && !this.#target.has(sha256)) ?? [];
    try {
      await this.#downloadAll(distinctFiles(lost), openFile, null, signal);
    } catch (error) {
      // Another state is complete: the files are not needed any more.
      if (!signal.aborted) throw error;
    }
  }

  /** Downloads several files at a time. */
  async #downloadAll(
    assets: readonly DesiredAsset[],
    openFile: OpenFile,
    tracker: DownloadTracker | null,
    signal: AbortSignal,
  ): Promise<void> {
    const queue = [...assets];
    const worker = async (end: AbortSignal): Promise<void> => {
      for (let asset = queue.shift(); asset !== undefined; asset = queue.shift()) {
        await this.#downloadUntilProven(asset, openFile, tracker, end);
      }
    };
    await runTogether(
      Array.from({ length: concurrentDownloads }, () => worker),
      signal,
    );
  }

  async #downloadUntilProven(asset: DesiredAsset, openFile: OpenFile, tracker: DownloadTracker | null, signal: AbortSignal): Promise<void> {
    const download = async (): Promise<void> => {
      await makeFolder(this.#files.folder);
      await downloadFile(this.#files.pathOf(asset.sha256), asset, openFile, (bytes) => tracker?.setBytes(asset, bytes), signal);
      await this.#files.add(asset.sha256);
      tracker?.setBytes(asset, asset.size_bytes);
      this.#regain(asset.sha256);
    };
    const onFailure = async (error: unknown, retryInMs: number): Promise<void> => {
      if (isDiskFull(error)) await this.#makeRoom();
      this.#log.warn({ asset_id: asset.id, reason: reasonOf(error), retry_in_ms: retryInMs }, "a file could not be fetched");
      tracker?.setFailure(asset, reasonOf(error));
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

/** Runs tasks until all have ended. The first that fails aborts the others. */
async function runTogether(tasks: readonly ((signal: AbortSignal) => Promise<void>)[], outer: AbortSignal): Promise<void> {
  const failed = new AbortController();
  const signal = AbortSignal.any([outer, failed.signal]);
  const running = tasks.map((task) => task(signal));
  try {
    await Promise.all(running);
  } finally {
    failed.abort();
    await Promise.allSettled(running);
  }
}

function isDiskFull(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOSPC";
}
