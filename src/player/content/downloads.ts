// Runs downloads: several at a time, the first of the list first, within the player's limits, and again after failures.
import { fullJitter } from "../../base/async/backoff.ts";
import { Signal } from "../../base/async/signal.ts";
import type { Clock } from "../../base/clock.ts";
import { isFault } from "../../base/fault.ts";
import type { DesiredAsset } from "../../protocol/device/desired-state.ts";
import { HttpFault } from "../link/service-http.ts";
import type { OpenFile } from "./download-file.ts";
import { DownloadLimits, WindowClosed } from "./download-limits.ts";
import type { WantedFile } from "./due-order.ts";
import type { FindPreloaded } from "./preload.ts";
import { ServiceBackoff, type Attempt } from "./service-backoff.ts";

const concurrentDownloads = 3;
const backoffBounds = { firstMs: 1_000, longestMs: 300_000 };
// How often the preload folder is searched for a file while the service may not be asked for it.
const searchAgainMs = 60_000;
// A line counts as working once it has carried this much.
const muchBytes = 1_000_000;

/** The files to download, and the callbacks for their progress. */
export interface DownloadRun {
  /** In order. */
  files: readonly WantedFile[];
  /** True if the run waits for this file. */
  isAwaited: (asset: DesiredAsset) => boolean;
  openFile: OpenFile;
  /** Fetches, verifies and stores a file. */
  fetch: (asset: DesiredAsset, openFile: OpenFile, signal: AbortSignal) => Promise<void>;
  onFailure: (asset: DesiredAsset, error: unknown, retryInMs: number) => Promise<void>;
  /** Called with the instant (UTC ms) at which the window opens that files wait for; null: none does. */
  onWindow: (opensAt: number | null) => void;
}

/** A file of a run that is not here yet. Times are monotonic, in ms. */
interface PendingFile extends WantedFile {
  isRunning: boolean;
  /** When the service was asked for it last. */
  triedAt: number;
  /** When the preload folder is searched for it again; Infinity without one. */
  searchAt: number;
  /** How much of it has ever arrived from the service in this run, counted from its first byte. */
  reachedBytes: number;
}

export class Downloads {
  readonly limits: DownloadLimits;
  readonly #clock: Clock;
  readonly #findPreloaded: FindPreloaded | null;
  readonly #random: () => number;
  readonly #service: ServiceBackoff;
  /** The failures of single files by hash, kept from run to run. */
  #fileFailures = new Map<string, { count: number; retryAt: number }>();
  readonly #changed = new Signal();

  /**
   * @param findPreloaded takes files from elsewhere before the service is asked; null: there is nothing else.
   * @param limits shared by several downloads of one player.
   */
  constructor(
    clock: Clock,
    findPreloaded: FindPreloaded | null = null,
    random: () => number = Math.random,
    limits = new DownloadLimits(clock),
  ) {
    this.#clock = clock;
    this.#findPreloaded = findPreloaded;
    this.#random = random;
    this.limits = limits;
    this.#service = new ServiceBackoff(clock, backoffBounds, random);
  }

  /** Ends all waits after failures, because the service can be reached again. */
  retryNow(): void {
    this.#service.retryNow();
    for (const failures of this.#fileFailures.values()) failures.retryAt = Number.NEGATIVE_INFINITY;
    this.#changed.notify();
  }

  /**
   * Downloads files until all awaited ones are here, or until a window opens that some have waited for: their order may be another one
   * by then. One run at a time. @throws Fault `revoked`, or the reason of `signal` when it aborts.
   */
  async run(run: DownloadRun, signal: AbortSignal): Promise<void> {
    const wanted = new Set(run.files.map(({ asset }) => asset.sha256));
    this.#fileFailures = new Map([...this.#fileFailures].filter(([sha256]) => wanted.has(sha256)));
    const pending: PendingFile[] = run.files.map((file) => ({
      ...file,
      isRunning: false,
      triedAt: Number.NEGATIVE_INFINITY,
      searchAt: this.#findPreloaded === null ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY,
      reachedBytes: 0,
    }));
    const failed = new AbortController();
    const end = AbortSignal.any([signal, failed.signal]);
    const running = new Set<Promise<void>>();
    const start = (file: PendingFile): void => {
      const attempt = this.#attempt(file, run, end)
        .then((isHere) => (isHere ? void pending.splice(pending.indexOf(file), 1) : undefined))
        .catch((error: unknown) => failed.abort(error))
        .finally(() => {
          running.delete(attempt);
          this.#changed.notify();
        });
      running.add(attempt);
    };
    try {
      for (let hasWaited = false; pending.some(({ asset }) => run.isAwaited(asset));) {
        const opensAt = pending.some(({ isUrgent }) => !isUrgent) ? this.limits.opensAt : null;
        run.onWindow(opensAt);
        if (hasWaited && opensAt === null) return;
        hasWaited = opensAt !== null;
        while (running.size < concurrentDownloads) {
          const next = this.#next(pending);
          if (next === undefined) break;
          start(next);
        }
        const waitMs = running.size < concurrentDownloads ? this.#nextAt(pending) - this.#clock.monotonic() : Number.POSITIVE_INFINITY;
        await this.#changed.wait(this.#clock, waitMs, end);
      }
    } catch (error) {
      signal.throwIfAborted();
      throw failed.signal.aborted ? failed.signal.reason : error;
    } finally {
      failed.abort();
      await Promise.all(running);
    }
  }

  /** The file to try now: the first of those that may be tried; while the service fails, the one that was tried longest ago. */
  #next(pending: readonly PendingFile[]): PendingFile | undefined {
    const now = this.#clock.monotonic();
    const isDue = (file: PendingFile): boolean => !file.isRunning && this.#tryAt(file) <= now;
    if (!this.#service.isFailing) return pending.find(isDue);
    // Otherwise one file for which alone the service fails would hold up all others.
    return pending.filter(isDue).reduce<PendingFile | undefined>((oldest, file) => {
      return oldest === undefined || file.triedAt < oldest.triedAt ? file : oldest;
    }, undefined);
  }

  #nextAt(pending: readonly PendingFile[]): number {
    return pending.reduce((min, file) => (file.isRunning ? min : Math.min(min, this.#tryAt(file))), Number.POSITIVE_INFINITY);
  }

  #tryAt(file: PendingFile): number {
    const retryAt = this.#fileFailures.get(file.asset.sha256)?.retryAt ?? Number.NEGATIVE_INFINITY;
    return Math.max(retryAt, Math.min(file.searchAt, this.#askAt(file)));
  }

  /** When the service may be asked for the file. */
  #askAt({ isUrgent }: PendingFile): number {
    const opensAt = isUrgent ? null : this.limits.opensAt;
    const windowAt = opensAt === null ? Number.NEGATIVE_INFINITY : this.#clock.monotonic() + opensAt - this.#clock.now();
    return Math.max(windowAt, this.#service.askAt);
  }

  /** Resolves with whether the file is here. */
  async #attempt(file: PendingFile, run: DownloadRun, signal: AbortSignal): Promise<boolean> {
    const { asset, isUrgent, reachedBytes: reachedBefore } = file;
    file.isRunning = true;
    // Ends a response that nobody reads any more, because the disk failed.
    const ended = new AbortController();
    const end = AbortSignal.any([signal, ended.signal]);
    let request: Attempt | null = null;
    try {
      let openFile = this.#findPreloaded === null ? null : await this.#findPreloaded(asset, end);
      if (openFile === null) {
        const now = this.#clock.monotonic();
        if (this.#findPreloaded !== null) file.searchAt = now + searchAgainMs;
        // Another file may have asked a failing service during the search.
        if (this.#askAt(file) > now) return false;
        file.triedAt = now;
        request = this.#service.start();
        openFile = this.limits.within(run.openFile, isUrgent, (bytes) => (file.reachedBytes = Math.max(file.reachedBytes, bytes)));
      }
      await run.fetch(asset, openFile, end);
      this.#noteProgress(asset, request);
      return true;
    } catch (error) {
      signal.throwIfAborted();
      if (isFault(error, "revoked")) throw error;
      // A broken line that carried much is no reason for longer waits.
      if (file.reachedBytes >= reachedBefore + muchBytes) this.#noteProgress(asset, request);
      if (!(error instanceof WindowClosed)) await run.onFailure(asset, error, this.#noteFailure(asset, request, error));
      return false;
    } finally {
      file.isRunning = false;
      if (request !== null) this.#service.end(request);
      ended.abort();
    }
  }

  #noteProgress({ sha256 }: DesiredAsset, request: Attempt | null): void {
    if (request !== null) this.#service.succeeded();
    this.#fileFailures.delete(sha256);
  }

  /** @param request null: the file was not asked for at the service. @returns how long the file waits, ms. */
  #noteFailure({ sha256 }: DesiredAsset, request: Attempt | null, error: unknown): number {
    const now = this.#clock.monotonic();
    const isOfService = request !== null && !isOfFile(error);
    // A service that fails only for one file must not be asked for that one first again and again.
    const isOfFileToo = !isOfService || !this.#service.isFailing;
    if (isOfService) this.#service.failed(request, error instanceof HttpFault ? (error.retryAfterMs ?? 0) : 0);
    else if (request !== null) this.#service.succeeded();
    if (request !== null) this.#service.end(request);
    const count = this.#fileFailures.get(sha256)?.count ?? 0;
    const retryAt = isOfFileToo ? now + fullJitter(backoffBounds, count, this.#random) : now;
    if (isOfFileToo) this.#fileFailures.set(sha256, { count: count + 1, retryAt });
    return Math.max(0, retryAt - now, this.#service.askAt - now);
  }
}

/** True if the failure is one of this file alone. All others, a full disk included, would befall the next file too. */
function isOfFile(error: unknown): boolean {
  if (error instanceof HttpFault) return [404, 410, 416].includes(error.status);
  return isFault(error, "asset-corrupt") || isFault(error, "asset-missing");
}
