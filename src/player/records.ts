// Keeps durably what happened to the screen: overrides, skips, pauses. A restart shows what it showed before.
import { join } from "node:path";
import { z } from "zod";
import { DurableFile } from "../base/durable-file.ts";
import { isFault } from "../base/fault.ts";
import { Live, type Watchable } from "../base/live.ts";
import type { Log } from "../base/log.ts";
import { PlayRecord, type Override, type Pause } from "./schedule/records.ts";

// Longer than any play lasts: a skip counts until the play that follows has ended.
const keptMs = 3 * 86_400_000;
const mostRecords = 1_000;

type Lasting = Override | Pause;

const Stored = z.array(PlayRecord);

export class Records {
  readonly #file: DurableFile<PlayRecord[]>;
  readonly #live: Live<readonly PlayRecord[]>;
  #writing: Promise<void> = Promise.resolve();

  private constructor(file: DurableFile<PlayRecord[]>, stored: PlayRecord[]) {
    this.#file = file;
    this.#live = new Live<readonly PlayRecord[]>(stored);
  }

  /** Reads what is kept in `folder`. A damaged file counts as none: the screen then shows what is scheduled. */
  static async open(folder: string, log: Log): Promise<Records> {
    const file = new DurableFile<PlayRecord[]>(join(folder, "records.json"), (json) => Stored.parse(json));
    let stored: PlayRecord[] = [];
    try {
      const read = await file.read();
      if (read.is === "found") stored = read.value;
    } catch (error) {
      if (!isFault(error, "file-corrupt")) throw error;
      log.error({ err: error }, "the record of overrides is damaged: overrides, skips and pauses are forgotten");
    }
    return new Records(file, stored);
  }

  get live(): Watchable<readonly PlayRecord[]> {
    return this.#live;
  }

  /** Notes what happened. Resolves, and counts, once it would survive a power cut. */
  add(records: readonly PlayRecord[], now: number): Promise<void> {
    return this.#change((before) => [...before, ...records], now);
  }

  /** Ends at `now` the overrides or pauses that `which` picks and that still run. Resolves with how many ended. */
  async end(which: (record: Lasting) => boolean, now: number): Promise<number> {
    let ended = 0;
    await this.#change(
      (before) =>
        before.map((record) => {
          if (record.is === "skip" || (record.until !== null && record.until <= now) || !which(record)) return record;
          ended += 1;
          return { ...record, until: now };
        }),
      now,
    );
    return ended;
  }

  /** Forgets everything, after a revocation. */
  async purge(): Promise<void> {
    await this.#file.remove();
    this.#live.set([]);
  }

  /** One change after the other, each from what the one before left. */
  #change(change: (before: readonly PlayRecord[]) => PlayRecord[], now: number): Promise<void> {
    const done = this.#writing.then(async () => {
      const after = change(this.#live.value).filter((record) => !isPast(record, now));
      const kept = after.slice(-mostRecords);
      await this.#file.write(kept);
      this.#live.set(kept);
    });
    this.#writing = done.catch(() => undefined);
    return done;
  }
}

function isPast(record: PlayRecord, now: number): boolean {
  const end = record.is === "skip" ? record.at : record.until;
  return end !== null && end < now - keptMs;
}
