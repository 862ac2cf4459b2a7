// Finds the item that crashes the renderer process it shares with others: they run one at a time until one crashes alone.

/** The verdict on an item after a crash. */
export type Verdict = "culprit" | "suspect" | "innocent";

/** An item that may have caused a crash. */
interface Suspect {
  /** The items that crashed together, this one included. */
  group: ReadonlySet<string>;
  /** How long it has run alone so far. */
  ranMs: number;
  /** How long it has to run alone to be cleared. */
  trialMs: number;
}

interface Run {
  count: number;
  since: number;
}

/** An item that was running in a renderer process when the process crashed. */
interface CrashedItem {
  isOnTrial: boolean;
  /** True once this crash is counted in its rounds. */
  isCounted: boolean;
}

// An item may crash its process only after a while, so trials become longer with each crash of its group.
const firstTrialMs = 20_000;
const maxTrialMs = 600_000;
const maxCrashes = 20;
const maxRounds = 500;

/** Items are named by their identity. Times are corrected wall time, ms. */
export class CrashSuspects {
  readonly #suspects = new Map<string, Suspect>();
  readonly #running = new Map<string, Run>();
  /** The items that ran in the crashed process, for each crash. */
  readonly #crashes = new Map<string, Map<string, CrashedItem>>();
  /** How many crashes each item is or was suspected of. */
  readonly #rounds = new Map<string, number>();

  /** Records that an item runs from now on. */
  itemStarted(item: string, now: number): void {
    const run = this.#running.get(item);
    this.#running.set(item, { count: (run?.count ?? 0) + 1, since: run?.since ?? now });
  }

  /** Records that an item has stopped. */
  itemStopped(item: string, now: number): void {
    const run = this.#running.get(item);
    if (run === undefined) return;
    if (run.count > 1) return void this.#running.set(item, { ...run, count: run.count - 1 });
    this.#running.delete(item);
    const suspect = this.#suspects.get(item);
    if (suspect !== undefined) suspect.ranMs += now - run.since;
  }

  /** True if the item may run now: two suspects of the same crash may not run at once. */
  mayRun(item: string): boolean {
    const suspect = this.#suspects.get(item);
    if (suspect === undefined) return true;
    return ![...suspect.group].some((other) => other !== item && this.#suspects.has(other) && this.#running.has(other));
  }

  /** When the first running suspect is cleared; Infinity when no suspect runs. */
  nextClearedAt(): number {
    return Math.min(Number.POSITIVE_INFINITY, ...[...this.#suspects.keys()].map((item) => this.#clearedAt(item)));
  }

  /** Clears the suspects that have run long enough. */
  clearProven(now: number): void {
    for (const item of this.#suspects.keys()) if (this.#clearedAt(item) <= now) this.#suspects.delete(item);
  }

  /** Records that an item's process crashed; the item still counts as running. Returns the verdicts on all items of that crash. */
  itemCrashed(item: string, crashId: string, now: number): ReadonlyMap<string, Verdict> {
    const crash = this.#crashes.get(crashId) ?? new Map<string, CrashedItem>();
    if (!crash.has(item)) crash.set(item, { isOnTrial: this.#suspects.has(item), isCounted: false });
    this.#crashes.set(crashId, crash);
    if (this.#crashes.size > maxCrashes) this.#crashes.delete(this.#crashes.keys().next().value!);
    const items = [...crash.keys()];
    const onTrial = items.filter((each) => crash.get(each)!.isOnTrial);
    const culprit = items.length === 1 ? item : onTrial.length === 1 ? onTrial[0] : undefined;
    if (culprit === undefined) {
      const group = new Set(items);
      for (const each of items) this.#suspect(each, group, crash.get(each)!, now);
      return new Map(items.map((each) => [each, "suspect"]));
    }
    // Found: the others are cleared. The culprit remains a suspect alone, so that its next crash is attributed to it at once.
    for (const other of [...(this.#suspects.get(culprit)?.group ?? []), ...items]) this.#suspects.delete(other);
    this.#suspect(culprit, new Set([culprit]), crash.get(culprit)!, now);
    return new Map(items.map((each) => [each, each === culprit ? "culprit" : "innocent"]));
  }

  #suspect(item: string, group: ReadonlySet<string>, crash: CrashedItem, now: number): void {
    const round = (this.#rounds.get(item) ?? 0) + (crash.isCounted ? 0 : 1);
    crash.isCounted = true;
    this.#rounds.delete(item);
    this.#rounds.set(item, round);
    if (this.#rounds.size > maxRounds) this.#rounds.delete(this.#rounds.keys().next().value!);
    const trialMs = Math.min(firstTrialMs * 2 ** (round - 1), maxTrialMs);
    this.#suspects.set(item, { group, ranMs: 0, trialMs });
    const run = this.#running.get(item);
    if (run !== undefined) run.since = now;
  }

  #clearedAt(item: string): number {
    const suspect = this.#suspects.get(item);
    const run = this.#running.get(item);
    return suspect === undefined || run === undefined ? Number.POSITIVE_INFINITY : run.since + suspect.trialMs - suspect.ranMs;
  }
}
