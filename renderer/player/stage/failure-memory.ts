// Remembers which items failed: so that each is tried again later and later, and each cause is told once.
import type { SceneItem } from "../../../src/protocol/scene.ts";
import type { PageClock } from "../link/clock.ts";
import type { FailureCode } from "../items/item.ts";
import { CrashSuspects } from "./crash-suspects.ts";

interface Entry {
  count: number;
  /** What `count` was before the last failure. */
  countBefore: number;
  lastAt: number;
  retryAt: number;
  told: Set<FailureCode>;
}

const nothingToEnd = (): void => {};

// A file that failed is likely to fail again; a stream is likely to come back: it is asked again soon, and for ever.
const backoff = { file: { firstMs: 15_000, longestMs: 600_000 }, stream: { firstMs: 2_000, longestMs: 60_000 } };
// Who has not failed for this long starts with a clean sheet.
const forgetMs = 2 * backoff.file.longestMs;
const maxKept = 500;

/** What failed, for the whole page: a file that breaks in one zone breaks in all. Times are corrected wall time, ms. */
export class FailureMemory {
  readonly #entries = new Map<string, Entry>();
  /** Items that are shown, but not as they were meant; oldest first. */
  readonly #flaws = new Set<string>();
  readonly #suspects = new CrashSuspects();
  readonly #listeners = new Set<() => void>();
  readonly #clock: PageClock;
  #cancelClearing = (): void => {};

  constructor(clock: PageClock) {
    this.#clock = clock;
  }

  /** When an item may be tried again; in the past for one that never failed. */
  retryAt(item: SceneItem): number {
    return this.#entries.get(identityOf(item))?.retryAt ?? Number.NEGATIVE_INFINITY;
  }

  /** How often an item has failed lately. */
  failureCount(item: SceneItem): number {
    return this.#entries.get(identityOf(item))?.count ?? 0;
  }

  /** Whether an item may run beside those that run: of pages that died together only one may, until it is known whose fault it was. */
  mayRun(item: SceneItem): boolean {
    return this.#suspects.mayRun(identityOf(item));
  }

  /** Takes in that an item runs from now on; calling the result, once or more, that it does not any more. */
  trackRunning(item: SceneItem): () => void {
    if (item.type !== "web" && item.type !== "html") return nothingToEnd;
    const key = identityOf(item);
    this.#suspects.itemStarted(key, this.#clock.now());
    this.#armClearing();
    let runs = true;
    return () => {
      if (!runs) return;
      runs = false;
      this.#suspects.itemStopped(key, this.#clock.now());
      this.#free();
    };
  }

  /** Calls back, later than what caused it, when items may run that could not before. */
  onUnblocked(listener: () => void, signal: AbortSignal): void {
    this.#listeners.add(listener);
    signal.addEventListener("abort", () => this.#listeners.delete(listener), { once: true });
  }

  /**
   * Takes a failure in, while the item still counts as running. True when this cause is new and is to be told.
   * @param death the end of a renderer process that caused it: who shared that is not blamed until it is known whose fault it was.
   */
  recordFailure(item: SceneItem, code: FailureCode, now: number, death?: string): boolean {
    const key = identityOf(item);
    const isNew = this.#blame(item, code, now);
    if (death === undefined) return isNew;
    for (const [other, verdict] of this.#suspects.itemCrashed(key, death, now)) {
      const entry = this.#entries.get(other);
      if (verdict === "culprit" || entry === undefined) continue;
      // One that was blamed by this death before it was known that others died of it too is cleared of that.
      entry.count = entry.countBefore;
      entry.retryAt = now;
    }
    this.#free();
    return isNew;
  }

  #blame(item: SceneItem, code: FailureCode, now: number): boolean {
    const key = identityOf(item);
    const known = this.#entries.get(key);
    const before = known !== undefined && now - known.lastAt < forgetMs ? known : undefined;
    const countBefore = before?.count ?? 0;
    const count = countBefore + 1;
    const told = before?.told ?? new Set<FailureCode>();
    const isNew = !told.has(code);
    told.add(code);
    const { firstMs, longestMs } = item.type === "stream" ? backoff.stream : backoff.file;
    const backoffMs = Math.min(firstMs * 2 ** (count - 1), longestMs);
    // Set anew, so that the oldest stand first.
    this.#entries.delete(key);
    this.#entries.set(key, { count, countBefore, lastAt: now, retryAt: now + backoffMs, told });
    if (this.#entries.size > maxKept) this.#entries.delete(this.#entries.keys().next().value!);
    return isNew;
  }

  /** Takes in what is wrong with an item that is shown all the same. True when it is new and is to be told. */
  recordFlaw(item: SceneItem, code: string): boolean {
    const key = `${code} ${identityOf(item)}`;
    if (this.#flaws.has(key)) return false;
    this.#flaws.add(key);
    if (this.#flaws.size > maxKept) this.#flaws.delete(this.#flaws.values().next().value!);
    return true;
  }

  #free(): void {
    this.#armClearing();
    queueMicrotask(() => {
      for (const listener of this.#listeners) listener();
    });
  }

  /** Comes back when the first of the suspects has lived for long enough. */
  #armClearing(): void {
    this.#cancelClearing();
    const at = this.#suspects.nextClearedAt();
    this.#cancelClearing = !Number.isFinite(at)
      ? () => {}
      : this.#clock.alarm(at, () => {
          this.#suspects.clearProven(this.#clock.now());
          this.#free();
        });
  }

  /** Clears an item that was shown from its start to its end. */
  clearFailures(item: SceneItem): void {
    this.#entries.delete(identityOf(item));
  }
}

/** Equal for items that show the same: who changes one gives it a fresh chance. */
export function identityOf(item: SceneItem): string {
  return JSON.stringify(item);
}
