// Makes a desired state ready: fetches its missing files and verifies every byte before the state may be shown.
import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { reasonOf, hasErrorCode } from "../../base/fault.ts";
import { Listeners } from "../../base/async/listeners.ts";
import { Observable, type Watchable } from "../../base/async/observable.ts";
import { makeFolder } from "../../base/files/durable-file.ts";
import type { Log } from "../../base/log.ts";
import type { DesiredState, DesiredAsset } from "../../protocol/device/desired-state.ts";
import { timeZoneRulesOrUtc } from "../../schedule/calendar/time-zone.ts";
import { defaultContext, type PlayerContext } from "../../schedule/playable-content.ts";
import { DiskHealth } from "../storage/disk-health.ts";
import { downloadFile, type OpenFile } from "./download-file.ts";
import type { DownloadLimits } from "./download-limits.ts";
import { type DownloadRun, Downloads } from "./downloads.ts";
import { filesToFetch } from "./due-order.ts";
import { FileChecks } from "./file-checks.ts";
import { distinctFiles, DownloadTracker, noProgress, type DownloadProgress } from "./download-progress.ts";
import type { FindPreloaded } from "./preload.ts";
import { ProvenFiles } from "./proven-files.ts";
import { ReadyContent, type ReadyState } from "./ready-content.ts";
import { Room } from "./room.ts";

/** The folder of the cache in the player's data folder. */
export function contentFolder(dataFolder: string): string {
  return join(dataFolder, "content");
}

/** Facts about the player that the cache needs besides its content. */
export interface ContentCacheOptions {
  /** The player's properties on which the program depends besides the state and the time. */
  context: () => PlayerContext;
  /** Finds files elsewhere before they are downloaded; null: nowhere. */
  findPreloaded: FindPreloaded | null;
  /** The limit for all files together, in bytes; null: the whole disk. */
  quotaBytes: number | null;
}

const defaultOptions: ContentCacheOptions = { context: () => defaultContext, findPreloaded: null, quotaBytes: null };

export class ContentCache {
  readonly #files: ProvenFiles;
  readonly #checks: FileChecks;
  readonly #downloads: Downloads;
  readonly #context: () => PlayerContext;
  readonly #clock: Clock;
  readonly #log: Log;
  /** The content that is ready to show, and the complete state that plays. */
  readonly content: ReadyContent;
  readonly #progress = new Observable(noProgress);
  readonly #restarts = new Listeners<void>();
  readonly #checked = new Listeners<void>();
  readonly #room: Room;

  private constructor(files: ProvenFiles, content: ReadyContent, clock: Clock, log: Log, options: ContentCacheOptions) {
    this.#files = files;
    this.#downloads = new Downloads(clock, options.findPreloaded);
    this.#context = options.context;
    this.#room = new Room({ files, content, quotaBytes: options.quotaBytes, clock, log });
    this.content = content;
    const current = () => content.hashes();
    this.#checks = new FileChecks({ files, current, onDamaged: (sha256, reason) => this.#onDamaged(sha256, reason), clock, log });
    this.#clock = clock;
    this.#log = log;
  }

  static async open(
    folder: string,
    clock: Clock,
    log: Log,
    disk = new DiskHealth(log),
    options: Partial<ContentCacheOptions> = {},
  ): Promise<ContentCache> {
    const files = await ProvenFiles.open(folder, log, disk);
    const content = await ReadyContent.open(files, clock, log, disk);
    return new ContentCache(files, content, clock, log, { ...defaultOptions, ...options });
  }

  get ready(): Watchable<ReadyState | null> {
    return this.content.state;
  }

  get progress(): Watchable<DownloadProgress> {
    return this.#progress;
  }

  /** The limits of all downloads of the player. */
  get limits(): DownloadLimits {
    return this.#downloads.limits;
  }

  /** The proven file with this hash, which the page asks for; null if no state that is kept has it. */
  findFile(sha256: string): { folder: string; name: string; mimeType: string } | null {
    const mimeType = this.content.mediaTypeOf(sha256);
    if (mimeType !== undefined) this.#checks.verifyOnce(sha256);
    return mimeType === undefined ? null : { folder: this.#files.folder, name: sha256, mimeType };
  }

  /** Calls `listener` when {@link prepare} has to be called again, after {@link prepareAgain}. Until `signal` aborts. */
  onRestart(listener: () => void, signal: AbortSignal): void {
    this.#restarts.add(listener, signal);
  }

  /** Calls `listener` whenever {@link prepare} has found out which files are missing, and the progress says so. Until `signal` aborts. */
  onChecked(listener: () => void, signal: AbortSignal): void {
    this.#checked.add(listener, signal);
  }

  /** Asks for another {@link prepare}, because a file may have been lost or the clock has jumped. */
  prepareAgain(): void {
    this.#restarts.notify();
  }

  /** Retries failed downloads without waiting longer, because the service can be reached again. */
  retryNow(): void {
    this.#downloads.retryNow();
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
   * Makes `desired` ready: waits until there is room, and retries failed downloads, within the limits that it sets. Meanwhile fetches the
   * files that the ready state has lost. Rejects only when `signal` aborts or with Fault `revoked`.
   */
  async prepare(desired: DesiredState, openFile: OpenFile, signal: AbortSignal): Promise<void> {
    const { downloads = {}, timezone } = desired.player;
    await this.#room.setTarget(desired);
    this.#downloads.limits.set(downloads, timeZoneRulesOrUtc(timezone, this.#context().deviceTimeZone));
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
        return this.#download(desired, [], tracker, openFile, signal);
      }
      this.#checked.notify();
      // A file of the ready state may have been removed since the last check.
      for (const { sha256 } of missing) this.content.lose(sha256, "the file is missing");
      const download = (end: AbortSignal): Promise<void> => this.#download(desired, room.fitting, tracker, openFile, end);
      await this.#room.during(room, download, signal);
      if (room.shortage !== null) continue;
      await this.#files.save();
      isRepaired = true;
    }
  }

  /** Writes data that the disk lacks. */
  save(): Promise<void> {
    return this.content.save();
  }

  /**
   * Removes the files that neither the state that plays nor the newest one needs. The player then has no earlier state to return to.
   * @param assetsOnScreen while the screen still shows another state, its files stay.
   */
  async clear(assetsOnScreen: readonly string[]): Promise<{ freed_bytes: number; files: number }> {
    const before = await this.#files.sizes();
    const playing = this.ready.value?.files;
    if (assetsOnScreen.every((id) => playing?.has(id) === true)) await this.#room.giveUpOther();
    else await this.#room.removeUnneeded();
    const left = await this.#files.sizes();
    const removed = [...before].filter(([name]) => !left.has(name));
    return { freed_bytes: removed.reduce((sum, [, bytes]) => sum + bytes, 0), files: removed.length };
  }

  /** Removes everything, after a revocation. */
  async purge(): Promise<void> {
    await this.content.purge();
    await this.#files.purge();
  }

  async #complete(ready: ReadyState, isRepaired: boolean, tracker: DownloadTracker): Promise<void> {
    await this.content.complete(ready, isRepaired);
    tracker.finish();
    this.#checked.notify();
    await this.#room.removeUnneeded();
  }

  #onDamaged(sha256: string, reason: string): void {
    if (this.content.lose(sha256, reason) || this.#room.isWanted(sha256)) this.prepareAgain();
  }

  /**
   * Downloads the files that the ready state has lost, then the `missing` ones of `desired`. Resolves once all missing ones are here, or
   * their order may have changed; without any, once the lost ones are here.
   */
  #download(
    desired: DesiredState,
    missing: readonly DesiredAsset[],
    tracker: DownloadTracker,
    openFile: OpenFile,
    signal: AbortSignal,
  ): Promise<void> {
    const files = filesToFetch(desired, missing, this.ready.value, this.#clock.now(), this.#context());
    const hashes = new Set(missing.map(({ sha256 }) => sha256));
    const isMissing = ({ sha256 }: DesiredAsset): boolean => hashes.has(sha256);
    const setBytes = (asset: DesiredAsset, bytes: number): void => (isMissing(asset) ? tracker.setBytes(asset, bytes) : undefined);
    const run: DownloadRun = {
      files,
      openFile,
      isAwaited: (asset) => missing.length === 0 || isMissing(asset),
      fetch: async (asset, open, end) => {
        await makeFolder(this.#files.folder);
        await downloadFile(this.#files.pathOf(asset.sha256), asset, open, (bytes) => setBytes(asset, bytes), end);
        await this.#files.add(asset.sha256);
        setBytes(asset, asset.size_bytes);
        this.content.regain(asset.sha256);
      },
      onFailure: async (asset, error, retryInMs) => {
        if (hasErrorCode(error, "ENOSPC")) await this.#room.refused(asset);
        this.#log.warn({ asset_id: asset.id, reason: reasonOf(error), retry_in_ms: Math.round(retryInMs) }, "a file could not be fetched");
        if (isMissing(asset)) tracker.setFailure(asset, reasonOf(error));
      },
      onWindow: (opensAt) => tracker.setWindow(opensAt),
    };
    return this.#downloads.run(run, signal);
  }
}
