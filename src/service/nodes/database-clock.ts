// The clock of all nodes of a service: PostgreSQL's, carried on between measurements by this machine's monotonic clock.
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";

/** By how much a machine's clock may differ from the service's before people should know, ms. */
export const knownSkewMs = 2_000;

const measureEveryMs = 3_000;

/**
 * Measures the times that nodes share by one clock: a machine whose clock is wrong, or is set while
 * the node runs, changes nothing. Nodes agree to within the time that a query takes.
 */
export class DatabaseClock implements Clock {
  readonly #machine: Clock;
  readonly #readTime: () => Promise<number>;
  readonly #log: Log;
  /** By how much the database's time is ahead of this machine's monotonic time. */
  #lead: number;
  #isSkewed = false;

  private constructor(machine: Clock, readTime: () => Promise<number>, log: Log, lead: number) {
    this.#machine = machine;
    this.#readTime = readTime;
    this.#log = log;
    this.#lead = lead;
  }

  /** @param readTime the database's time, ms since the epoch @throws the errors of `readTime` */
  static async open(machine: Clock, readTime: () => Promise<number>, log: Log): Promise<DatabaseClock> {
    const { earliest, latest } = await leadNow(machine, readTime);
    const clock = new DatabaseClock(machine, readTime, log, (earliest + latest) / 2);
    clock.#report();
    return clock;
  }

  now(): number {
    return this.#machine.monotonic() + this.#lead;
  }

  monotonic(): number {
    return this.#machine.monotonic();
  }

  elapsed(): number {
    return this.#machine.elapsed();
  }

  wait(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#machine.wait(ms, signal);
  }

  /** Follows the database's clock. Time jumps only if it was further off than a query can hide. */
  async measure(): Promise<void> {
    const { earliest, latest } = await leadNow(this.#machine, this.#readTime);
    this.#lead = Math.min(Math.max(this.#lead, earliest), latest);
    this.#report();
  }

  /** Measures every three seconds until `signal` aborts; rejects with an AbortError then. @throws the errors of `readTime` */
  async run(signal: AbortSignal): Promise<never> {
    for (;;) {
      await this.measure();
      await this.#machine.wait(measureEveryMs, signal);
    }
  }

  #report(): void {
    const skewMs = this.#machine.now() - this.now();
    const isSkewed = Math.abs(skewMs) > knownSkewMs;
    if (isSkewed === this.#isSkewed) return;
    this.#isSkewed = isSkewed;
    const about = { ahead_seconds: Math.round(skewMs / 1_000) };
    if (isSkewed) this.#log.warn(about, "this machine's clock differs from the database's, by which the service goes: set both by NTP");
    else this.#log.info(about, "this machine's clock agrees with the database's again");
  }
}

/** Between which bounds the database's time is ahead of the machine's monotonic time: it was read while the query ran. */
async function leadNow(machine: Clock, readTime: () => Promise<number>): Promise<{ earliest: number; latest: number }> {
  const before = machine.monotonic();
  const time = await readTime();
  return { earliest: time - machine.monotonic(), latest: time - before };
}
