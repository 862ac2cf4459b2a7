// Finds the item that ended a renderer process it shared with others: they are tried one at a time until one ends it alone.

/** What an item that died is taken for. */
export type Verdict = "culprit" | "suspect" | "innocent";

/** An item that may have ended a process. */
interface Suspect {
  /** Those it died with, itself among them. */
  group: ReadonlySet<string>;
  /** How long it has run alone so far. */
  livedMs: number;
  /** When it has run alone for long enough to be cleared. */
  trialMs: number;
}

interface Run {
  count: number;
  since: number;
}

/** One whom a death took. */
interface Taken {
  isOnTrial: boolean;
  /** Whether this death counts among its rounds. */
  isCounted: boolean;
}

// One that ends its process does it soon after it was loaded, or ever later: each time its group dies, trials are longer.
const firstTrialMs = 20_000;
const longestTrialMs = 600_000;
const maxDeaths = 20;
const maxRounds = 500;

/** Names items by their identity. Times are corrected wall time, ms. */
export class CrashSuspects {
  readonly #suspects = new Map<string, Suspect>();
  readonly #running = new Map<string, Run>();
  /** Whom each death took. */
  readonly #deaths = new Map<string, Map<string, Taken>>();
  /** How many deaths an item is or was suspected of. */
  readonly #rounds = new Map<string, number>();

  /** Takes in that an item runs from now on. */
  itemStarted(item: string, now: number): void {
    const run = this.#running.get(item);
    this.#running.set(item, { count: (run?.count ?? 0) + 1, since: run?.since ?? now });
  }

  /** Takes in that an item does not run any more. */
  itemStopped(item: string, now: number): void {
    const run = this.#running.get(item);
    if (run === undefined) return;
    if (run.count > 1) return void this.#running.set(item, { ...run, count: run.count - 1 });
    this.#running.delete(item);
    const suspect = this.#suspects.get(item);
    if (suspect !== undefined) suspect.livedMs += now - run.since;
  }

  /** Whether the item may run beside those that do: two suspects of one process may not. */
  mayRun(item: string): boolean {
    const suspect = this.#suspects.get(item);
    if (suspect === undefined) return true;
    return ![...suspect.group].some((other) => other !== item && this.#suspects.has(other) && this.#running.has(other));
  }

  /** When the first of the suspects that run is cleared; Infinity when none runs. */
  nextClearedAt(): number {
    return Math.min(Number.POSITIVE_INFINITY, ...[...this.#suspects.keys()].map((item) => this.#clearedAt(item)));
  }

  /** Clears those who have lived long enough. */
  clearProven(now: number): void {
    for (const item of this.#suspects.keys()) if (this.#clearedAt(item) <= now) this.#suspects.delete(item);
  }

  /** Takes in that an item died, while it still counts as running. The verdict on all whom that death has taken so far. */
  itemCrashed(item: string, death: string, now: number): ReadonlyMap<string, Verdict> {
    const taken = this.#deaths.get(death) ?? new Map<string, Taken>();
    if (!taken.has(item)) taken.set(item, { isOnTrial: this.#suspects.has(item), isCounted: false });
    this.#deaths.set(death, taken);
    if (this.#deaths.size > maxDeaths) this.#deaths.delete(this.#deaths.keys().next().value!);
    const items = [...taken.keys()];
    const onTrial = items.filter((each) => taken.get(each)!.isOnTrial);
    const culprit = items.length === 1 ? item : onTrial.length === 1 ? onTrial[0] : undefined;
    if (culprit === undefined) {
      const group = new Set(items);
      for (const each of items) this.#suspect(each, group, taken.get(each)!, now);
      return new Map(items.map((each) => [each, "suspect"]));
    }
    // Found: the others are free. It remains on trial by itself, so that it is blamed at once the next time.
    for (const other of [...(this.#suspects.get(culprit)?.group ?? []), ...items]) this.#suspects.delete(other);
    this.#suspect(culprit, new Set([culprit]), taken.get(culprit)!, now);
    return new Map(items.map((each) => [each, each === culprit ? "culprit" : "innocent"]));
  }

  #suspect(item: string, group: ReadonlySet<string>, taken: Taken, now: number): void {
    const round = (this.#rounds.get(item) ?? 0) + (taken.isCounted ? 0 : 1);
    taken.isCounted = true;
    this.#rounds.delete(item);
    this.#rounds.set(item, round);
    if (this.#rounds.size > maxRounds) this.#rounds.delete(this.#rounds.keys().next().value!);
    const trialMs = Math.min(firstTrialMs * 2 ** (round - 1), longestTrialMs);
    this.#suspects.set(item, { group, livedMs: 0, trialMs });
    const run = this.#running.get(item);
    if (run !== undefined) run.since = now;
  }

  #clearedAt(item: string): number {
    const suspect = this.#suspects.get(item);
    const run = this.#running.get(item);
    return suspect === undefined || run === undefined ? Number.POSITIVE_INFINITY : run.since + suspect.trialMs - suspect.livedMs;
  }
}
