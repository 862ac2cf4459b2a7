// The transactions that a node waits for because they have announced something and have not ended: for how long, said once when it is long.
import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import type { Writer } from "./log.ts";

/** A transaction that holds this node back. */
export interface HoldingWriter extends Writer {
  /** For how long this node has waited for it. */
  waitedMs: number;
}

// Transactions that announce take milliseconds. One that is open for so long was left open, or waits for a lock.
const longMs = 5_000;

export class AwaitedWriters {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #byKey = new Map<string, { writer: Writer; since: number; isReported: boolean }>();

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Those that this node has waited for for long. */
  get long(): readonly HoldingWriter[] {
    const now = this.#clock.monotonic();
    const all = [...this.#byKey.values()].map(({ writer, since }) => ({ ...writer, waitedMs: now - since }));
    return all.filter(({ waitedMs }) => waitedMs >= longMs);
  }

  /** Takes over who is waited for now. */
  update(writers: readonly Writer[]): void {
    const now = this.#clock.monotonic();
    const keys = new Set(writers.map(({ key }) => key));
    for (const [key, { writer, since, isReported }] of this.#byKey) {
      if (keys.has(key)) continue;
      this.#byKey.delete(key);
      if (isReported) this.#log.info({ pid: writer.pid, seconds: Math.round((now - since) / 1_000) }, "an open transaction has ended");
    }
    for (const writer of writers) {
      const { since, isReported } = this.#byKey.get(writer.key) ?? { since: now, isReported: false };
      const isLong = now - since >= longMs;
      this.#byKey.set(writer.key, { writer, since, isReported: isLong });
      if (!isLong || isReported) continue;
      const { pid, applicationName: application_name, database, since: open_since } = writer;
      const transaction = { pid, application_name, database, open_since };
      this.#log.warn(transaction, "a transaction is open for long: what it has announced is told when it ends, the rest at once");
    }
  }
}
