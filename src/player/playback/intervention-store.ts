// Keeps durably what happened to the screen: overrides, skips, pauses, variables. A restart shows what it showed before.
import { join } from "node:path";
import { z } from "zod";
import { DurableFile } from "../../base/files/durable-file.ts";
import { isFault } from "../../base/fault.ts";
import { Observable, type Watchable } from "../../base/async/observable.ts";
import type { Log } from "../../base/log.ts";
import { hasEnded, type LastingIntervention, pauseAt, Intervention } from "../../schedule/interventions.ts";

// Longer than any play lasts: a skip counts until the play that follows has ended.
const keptMs = 3 * 86_400_000;
const maxRecords = 1_000;

const Stored = z.array(Intervention);

export class InterventionStore {
  readonly #file: DurableFile<Intervention[]>;
  readonly #live: Observable<readonly Intervention[]>;
  #writing: Promise<void> = Promise.resolve();

  private constructor(file: DurableFile<Intervention[]>, stored: Intervention[]) {
    this.#file = file;
    this.#live = new Observable<readonly Intervention[]>(stored);
  }

  /** Reads what is kept in `folder`. A damaged file counts as none: the screen then shows what is scheduled. */
  static async open(folder: string, log: Log): Promise<InterventionStore> {
    const file = new DurableFile<Intervention[]>(join(folder, "records.json"), (json) => Stored.parse(json));
    let stored: Intervention[] = [];
    try {
      const read = await file.read();
      if (read.is === "found") stored = read.value;
    } catch (error) {
      if (!isFault(error, "file-corrupt")) throw error;
      log.error({ err: error }, "the record of overrides is damaged: overrides, skips and pauses are forgotten");
    }
    return new InterventionStore(file, stored);
  }

  get interventions(): Watchable<readonly Intervention[]> {
    return this.#live;
  }

  /** Notes what happened. Resolves, and counts, once it would survive a power cut. */
  async add(records: readonly Intervention[], now: number): Promise<void> {
    await this.replace(() => false, records, now);
  }

  /** Ends at `now` what `which` picks of that which still runs. Resolves with how many ended. */
  end(which: (record: LastingIntervention) => boolean, now: number): Promise<number> {
    return this.replace(which, [], now);
  }

  /** Ends what `which` picks and notes what takes its place, both or neither. Resolves with how many ended. */
  async replace(which: (record: LastingIntervention) => boolean, records: readonly Intervention[], now: number): Promise<number> {
    let ended = 0;
    await this.#change((before) => {
      const after = before.map((record) => {
        if (record.is === "skip" || hasEnded(record, now) || !which(record)) return record;
        ended += 1;
        return { ...record, until: now };
      });
      return [...after, ...records];
    }, now);
    return ended;
  }

  /** Forgets everything, after a revocation. */
  async purge(): Promise<void> {
    await this.#file.remove();
    this.#live.set([]);
  }

  /** One change after the other, each from what the one before left. */
  #change(change: (before: readonly Intervention[]) => Intervention[], now: number): Promise<void> {
    const done = this.#writing.then(async () => {
      const kept = keep(change(this.#live.value), now);
      await this.#file.write(kept);
      this.#live.set(kept);
    });
    this.#writing = done.catch(() => undefined);
    return done;
  }
}

/** What an answer may still hang on. Of more than there is room for, what is over is given up first, then the oldest. */
function keep(records: readonly Intervention[], now: number): Intervention[] {
  const pausedAt = pauseAt(records, now)?.at ?? now;
  const kept = records.filter((record) => !isPast(record, now, pausedAt));
  if (kept.length <= maxRecords) return kept;
  const isOver = (record: Intervention) => record.is === "skip" || hasEnded(record, now);
  return [...kept.filter(isOver), ...kept.filter((record) => !isOver(record))].slice(-maxRecords);
}

/** Variables come and go with each trigger: of those that are over only what a pause still goes by is kept. */
function isPast(record: Intervention, now: number, pausedAt: number): boolean {
  const end = record.is === "skip" ? record.at : record.until;
  if (end === null) return false;
  return record.is === "variable" ? end <= now && (end <= pausedAt || record.at > pausedAt) : end < now - keptMs;
}
