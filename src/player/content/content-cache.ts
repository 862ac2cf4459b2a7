// Makes a desired state ready: fetches its missing files and verifies every byte before the state may be shown.
import { join } from "node:path";
import { retry } from "../../base/async/retry.ts";
import type { Clock } from "../../base/clock.ts";
import { reasonOf, hasErrorCode } from "../../base/fault.ts";
import { Listeners } from "../../base/async/listeners.ts";
import { Observable, type Watchable } from "../../base/async/observable.ts";
import { makeFolder } from "../../base/files/durable-file.ts";
import type { Log } from "../../base/log.ts";
import type { DesiredState, DesiredAsset } from "../../protocol/device/desired-state.ts";
import { DiskHealth } from "../storage/disk-health.ts";
import { downloadFile, type OpenFile } from "./download-file.ts";
import { FileChecks } from "./file-checks.ts";
import { distinctFiles, DownloadTracker, noProgress, type DownloadProgress } from "./download-progress.ts";
import { ProvenFiles } from "./proven-files.ts";
import { ReadyContent, type ReadyState } from "./ready-content.ts";
import { Room, type RoomFor } from "./room.ts";

/** The folder of the cache in the player's data folder. */
export function contentFolder(dataFolder: string): string {
  return join(dataFolder, "content");
}

const concurrentDownloads = 3;
const backoffBounds = { firstMs: 1_000, longestMs: 300_000 };

export class ContentCache {
  readonly #files: ProvenFiles;
  readonly #checks: FileChecks;
  readonly #clock: Clock;
  readonly #log: Log;
  /** What can be shown, and which complete state plays. */
  readonly content: ReadyContent;
  readonly #progress = new Observable(noProgress);
  readonly #restarts = new Listeners<void>();
  readonly #room: Room;

  private constructor(files: ProvenFiles, content: ReadyContent, quotaBytes: number | null, clock: Clock, log: Log) {
    this.#files = files;
    this.#room = new Room({ files, content, quotaBytes, clock, log });
    this.content = content;
    const current = () => content.hashes();
    this.#checks = new FileChecks({ files, current, onDamaged: (sha256, reason) => this.#onDamaged(sha256, reason), clock, log });
    this.#clock = clock;
    this.#log = log;
  }

  /** @param quotaBytes what the files may take together; null: as much as the disk has. */
  static async open(
    folder: string,
    clock: Clock,
    log: Log,
    disk = new DiskHealth(log),
    quotaBytes: number | null = null,
  ): Promise<ContentCache> {
    const files = await ProvenFiles.open(folder, log, disk);
    return new ContentCache(files, await ReadyContent.open(files, clock, log, disk), quotaBytes, clock, log);
  }

  get ready(): Watchable<ReadyState | null> {
    return this.content.state;
  }

  get progress(): Watchable<DownloadProgress> {
    return this.#progress;
  }

  /** The proven file with this hash, which the page asks for; null if no state that is kept has it. */
  findFile(sha256: string): { folder: string; name: string; mimeType: string } | null {
    const mimeType = this.content.mediaTypeOf(sha256);
    if (mimeType !== undefined) this.#checks.verifyOnce(sha256);
    return mimeType === undefined ? null : { folder: this.#files.folder, name: sha256, mimeType };
  }

  /**
   * Makes stored content ready at the start, without the service: the state that played, or as much as is here of the one `received`
   * last. Items with damaged files are left out until these are fetched again. The files of `receivedBefore` are kept, in case the
   * received state is damaged at the next start.
   */
  restore(received: DesiredState | null, receivedBefore: DesiredState | null, playerId: string): Promise<void> {
    return this.content.restore(received, receivedBefore, playerId);
  }

  /** Calls `listener` when {@link prepare} has to be called again: after a loss, or to retry at once. Until `signal` aborts. */
  onRestart(listener: () => void, signal: AbortSignal): void {
    this.#restarts.add(listener, signal);
  }

  /** Asks for another {@link prepare}, because a file may have been lost. */
  prepareAgain(): void {
    this.#restarts.notify();
  }

  /** Retries failed downloads without waiting longer, because the service can be reached again. */
  retryNow(): void {
    if (this.#progress.value.is === "failed") this.#restarts.notify();
  }

  /** Verifies the files of these assets of the ready state soon, because the page could not show them. */
  suspect(assetIds: readonly string[]): void {
    for (const id of assetIds) {
      const sha256 = this.ready.value?.files.get(id);
      if (sha256 !== undefined) this.#checks.suspect(sha256);
    }
  }

  /** Verifies suspected files at once and all others slowly, until `signal` aborts. */
  verify(signal: AbortSignal): Promise<never> {
    return this.#checks.run(signal);
  }

  /**
   * Makes `desired` ready: waits until there is room, and retries failed downloads. Meanwhile fetches the files that the ready state has
   * lost.
   * Rejects only when `signal` aborts or with Fault `revoked`.
   */
  async prepare(desired: DesiredState, openFile: OpenFile, signal: AbortSignal): Promise<void> {
    await this.#room.setTarget(desired);
    let isRepaired = false;
    // Repeated, because files and room may be lost during the downloads.
    for (;;) {
      const files = await this.#files.presentOf(desired.assets);
      const missing = distinctFiles(desired.assets.filter(({ id }) => !files.has(id)));
      const room = await this.#room.makeFor(missing);
      const tracker = new DownloadTracker(this.#progress, this.#clock, desired, missing, room.shortage);
      if (missing.length === 0) {
        await this.#complete({ desired, files }, isRepaired, tracker);
        // While the state before this one plays, its lost files are needed too.
        return this.#repair(openFile, signal);
      }
      // A file of the ready state may have been removed since the last check.
      for (const { sha256 } of missing) this.content.lose(sha256, "the file is missing");
      const download = (end: AbortSignal): Promise<void> => this.#downloadAndRepair(room, openFile, tracker, end);
      await this.#room.during(room, download, signal);
      if (room.shortage !== null) continue;
      await this.#files.save();
      isRepaired = true;
    }
  }

  /** Writes what the disk lacks. */
  save(): Promise<void> {
    return this.content.save();
  }

  /** Removes everything, after a revocation. */
  async purge(): Promise<void> {
    await this.content.purge();
    await this.#files.purge();
  }

  async #complete(ready: ReadyState, isRepaired: boolean, tracker: DownloadTracker): Promise<void> {
    await this.content.complete(ready, isRepaired);
    tracker.finish();
    await this.#room.removeUnneeded();
  }

  #onDamaged(sha256: string, reason: string): void {
    if (this.content.lose(sha256, reason) || this.#room.isWanted(sha256)) this.prepareAgain();
  }

  /** Fetches the missing files for which there is room. Meanwhile, or while there is not, fetches what the ready state has lost. */
  async #downloadAndRepair(
    { fitting, shortage }: RoomFor,
    openFile: OpenFile,
    tracker: DownloadTracker,
    signal: AbortSignal,
  ): Promise<void> {
    const complete = new AbortController();
    const download = async (end: AbortSignal): Promise<void> => {
      await this.#downloadAll(fitting, openFile, tracker, end);
      if (shortage === null) complete.abort();
    };
    await runTogether([download, (end) => this.#repair(openFile, AbortSignal.any([end, complete.signal]))], signal);
  }

  /** Fetches the lost files that only the ready state needs, until they are here or `signal` aborts. */
  async #repair(openFile: OpenFile, signal: AbortSignal): Promise<void> {
    const ready = this.ready.value;
    const lost = ready?.desired.assets.filter(({ id, sha256 }) => !ready.files.has(id) && !this.#room.isWanted(sha256)) ?? [];
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
      this.content.regain(asset.sha256);
    };
    const onFailure = async (error: unknown, retryInMs: number): Promise<void> => {
      if (hasErrorCode(error, "ENOSPC")) await this.#room.refused(asset);
      this.#log.warn({ asset_id: asset.id, reason: reasonOf(error), retry_in_ms: retryInMs }, "a file could not be fetched");
      tracker?.setFailure(asset, reasonOf(error));
    };
    await retry(download, { clock: this.#clock, bounds: backoffBounds, onFailure, signal });
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
