// Remembers which items failed: so that each is tried again later and later, and each cause is told once.
import type { SceneItem } from "../../src/protocol/scene.ts";
import type { FailureCode } from "./items/item.ts";

interface Entry {
  count: number;
  lastAt: number;
  retryAt: number;
  told: Set<FailureCode>;
}

// A file that failed is likely to fail again; a stream is likely to come back: it is asked again soon, and for ever.
const backoff = { file: { firstMs: 15_000, longestMs: 600_000 }, stream: { firstMs: 2_000, longestMs: 60_000 } };
// Who has not failed for this long starts with a clean sheet.
const forgetMs = 2 * backoff.file.longestMs;
const mostKept = 500;

/** What failed, for the whole page: a file that breaks in one zone breaks in all. Times are corrected wall time, ms. */
export class FailureMemory {
  readonly #entries = new Map<string, Entry>();
  /** Items that are shown, but not as they were meant; oldest first. */
  readonly #flaws = new Set<string>();

  /** When an item may be tried again; in the past for one that never failed. */
  retryAt(item: SceneItem): number {
    return this.#entries.get(identityOf(item))?.retryAt ?? Number.NEGATIVE_INFINITY;
  }

  /** How often an item has failed lately. */
  count(item: SceneItem): number {
    return this.#entries.get(identityOf(item))?.count ?? 0;
  }

  /** Takes a failure in. True when this cause is new and is to be told. */
  note(item: SceneItem, code: FailureCode, now: number): boolean {
    const key = identityOf(item);
    const known = this.#entries.get(key);
    const before = known !== undefined && now - known.lastAt < forgetMs ? known : undefined;
    const count = (before?.count ?? 0) + 1;
    const told = before?.told ?? new Set<FailureCode>();
    const isNew = !told.has(code);
    told.add(code);
    const { firstMs, longestMs } = item.type === "stream" ? backoff.stream : backoff.file;
    const backoffMs = Math.min(firstMs * 2 ** (count - 1), longestMs);
    // Set anew, so that the oldest stand first.
    this.#entries.delete(key);
    this.#entries.set(key, { count, lastAt: now, retryAt: now + backoffMs, told });
    if (this.#entries.size > mostKept) this.#entries.delete(this.#entries.keys().next().value!);
    return isNew;
  }

  /** Takes in what is wrong with an item that is shown all the same. True when it is new and is to be told. */
  noteFlaw(item: SceneItem, code: string): boolean {
    const key = `${code} ${identityOf(item)}`;
    if (this.#flaws.has(key)) return false;
    this.#flaws.add(key);
    if (this.#flaws.size > mostKept) this.#flaws.delete(this.#flaws.values().next().value!);
    return true;
  }

  /** Clears an item that was shown from its start to its end. */
  forgive(item: SceneItem): void {
    this.#entries.delete(identityOf(item));
  }
}

/** Equal for items that show the same: who changes one gives it a fresh chance. */
export function identityOf(item: SceneItem): string {
  return JSON.stringify(item);
}
