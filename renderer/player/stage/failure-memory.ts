// Remembers which items failed, so that retries become less frequent and each cause is reported once.
import type { SceneItem } from "../../../src/protocol/scene.ts";
import type { PageClock } from "../link/clock.ts";
import type { FailureCode } from "../items/item.ts";
import { kindOf } from "../items/item-kinds.ts";
import { CrashSuspects } from "./crash-suspects.ts";

interface Entry {
  count: number;
  /** The value of `count` before the last failure. */
  countBefore: number;
  lastAt: number;
  retryAt: number;
  reportedCodes: Set<FailureCode>;
}

const doNothing = (): void => {};

// A file that failed is likely to fail again. A stream is likely to come back, so it is retried sooner.
const backoff = { file: { firstMs: 15_000, maxMs: 600_000 }, source: { firstMs: 2_000, maxMs: 60_000 } };
// Failures older than this are forgotten.
const forgetMs = 2 * backoff.file.maxMs;
const maxKept = 500;

/** The failures of the whole page: a file that fails in one zone fails in all. Times are corrected wall time, ms. */
export class FailureMemory {
  readonly #entries = new Map<string, Entry>();
  /** Items that are shown with a defect; oldest first. */
  readonly #flaws = new Set<string>();
  readonly #suspects = new CrashSuspects();
  readonly #listeners = new Set<() => void>();
  readonly #clock: PageClock;
  #cancelClearing = (): void => {};

  constructor(clock: PageClock) {
    this.#clock = clock;
  }

  /** When an item may be tried again; in the past if it never failed. */
  retryAt(item: SceneItem): number {
    return this.#entries.get(identityOf(item))?.retryAt ?? Number.NEGATIVE_INFINITY;
  }

  /** How often an item has failed recently. */
  failureCount(item: SceneItem): number {
    return this.#entries.get(identityOf(item))?.count ?? 0;
  }

  /** True if an item may run now: of pages that crashed together only one may run at a time, until the cause is known. */
  mayRun(item: SceneItem): boolean {
    return this.#suspects.mayRun(identityOf(item));
  }

  /** Records that an item runs from now on. The returned function records that it has stopped; later calls have no effect. */
  trackRunning(item: SceneItem): () => void {
    if (kindOf(item).runsCode !== true) return doNothing;
    const key = identityOf(item);
    this.#suspects.itemStarted(key, this.#clock.now());
    this.#scheduleClearing();
    let isRunning = true;
    return () => {
      if (!isRunning) return;
      isRunning = false;
      this.#suspects.itemStopped(key, this.#clock.now());
      this.#notifyUnblocked();
    };
  }

  /** Calls back asynchronously when items may run that were blocked before. */
  onUnblocked(listener: () => void, signal: AbortSignal): void {
    this.#listeners.add(listener);
    signal.addEventListener("abort", () => this.#listeners.delete(listener), { once: true });
  }

  /**
   * Records a failure of an item that still counts as running. Returns whether the cause is new and has to be reported.
   * @param crashId identifies the crash of the renderer process that caused it. Items that shared the process do not count
   * as failed once another item is found to be the cause.
   */
  recordFailure(item: SceneItem, code: FailureCode, now: number, crashId?: string): boolean {
    const key = identityOf(item);
    const isNew = this.#count(item, code, now);
    if (crashId === undefined) return isNew;
    for (const [other, verdict] of this.#suspects.itemCrashed(key, crashId, now)) {
      const entry = this.#entries.get(other);
      if (verdict === "culprit" || entry === undefined) continue;
      // Blamed for this crash before it was known that other items crashed with it: undo that.
      entry.count = entry.countBefore;
      entry.retryAt = now;
    }
    this.#notifyUnblocked();
    return isNew;
  }

  #count(item: SceneItem, code: FailureCode, now: number): boolean {
    const key = identityOf(item);
    const entry = this.#entries.get(key);
    const before = entry !== undefined && now - entry.lastAt < forgetMs ? entry : undefined;
    const countBefore = before?.count ?? 0;
    const count = countBefore + 1;
    const reportedCodes = before?.reportedCodes ?? new Set<FailureCode>();
    const isNew = !reportedCodes.has(code);
    reportedCodes.add(code);
    const { firstMs, maxMs } = kindOf(item).recovers === true ? backoff.source : backoff.file;
    const backoffMs = Math.min(firstMs * 2 ** (count - 1), maxMs);
    // Deleted first, so that the entries stay in order of their last failure.
    this.#entries.delete(key);
    this.#entries.set(key, { count, countBefore, lastAt: now, retryAt: now + backoffMs, reportedCodes });
    if (this.#entries.size > maxKept) this.#entries.delete(this.#entries.keys().next().value!);
    return isNew;
  }

  /** Records a defect of an item that is shown nevertheless. Returns whether it is new and has to be reported. */
  recordFlaw(item: SceneItem, code: string): boolean {
    const key = `${code} ${identityOf(item)}`;
    if (this.#flaws.has(key)) return false;
    this.#flaws.add(key);
    if (this.#flaws.size > maxKept) this.#flaws.delete(this.#flaws.values().next().value!);
    return true;
  }

  #notifyUnblocked(): void {
    this.#scheduleClearing();
    queueMicrotask(() => {
      for (const listener of this.#listeners) listener();
    });
  }

  /** Sets the alarm for the instant at which the first suspect has run long enough to be cleared. */
  #scheduleClearing(): void {
    this.#cancelClearing();
    const at = this.#suspects.nextClearedAt();
    this.#cancelClearing = !Number.isFinite(at)
      ? () => {}
      : this.#clock.alarm(at, () => {
          this.#suspects.clearProven(this.#clock.now());
          this.#notifyUnblocked();
        });
  }

  /** Forgets the failures of an item that was shown from its start to its end. */
  clearFailures(item: SceneItem): void {
    this.#entries.delete(identityOf(item));
  }
}

/** A key that is equal for items that show the same. A changed item therefore counts as one that never failed. */
export function identityOf(item: SceneItem): string {
  return JSON.stringify(item);
}
