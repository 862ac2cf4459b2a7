// Reads a sensor that may be slow or hang: rarely, and never for longer than a heartbeat can wait.
import { type Clock } from "../../base/clock.ts";
import { isAbort, reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";

/** How long a heartbeat waits for a sensor. A later value is in the next heartbeat. */
export const sensorLimitMs = 500;

export interface SlowReadingOptions<T> {
  /** Such as `storage`. */
  name: string;
  read: () => Promise<T | null>;
  /** How long a value counts, ms. */
  maxAgeMs: number;
  clock: Clock;
  log: Log;
}

/** The last value of a sensor. */
export class SlowReading<T> {
  readonly #options: SlowReadingOptions<T>;
  #value: T | null = null;
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | null = null;

  constructor(options: SlowReadingOptions<T>) {
    this.#options = options;
  }

  /** The value; after {@link sensorLimitMs} the last one, while the sensor is still being read. Null: it does not tell, or not yet. */
  async value(): Promise<T | null> {
    const { clock, maxAgeMs } = this.#options;
    if (this.#reading === null && clock.monotonic() - this.#readAt >= maxAgeMs) {
      this.#reading = this.#read().finally(() => (this.#reading = null));
      await this.#withinLimit(this.#reading);
    }
    return this.#value;
  }

  async #read(): Promise<void> {
    const { clock, log, name, read } = this.#options;
    try {
      this.#value = await read();
    } catch (error) {
      this.#value = null;
      log.warn({ sensor: name, reason: reasonOf(error) }, "a sensor could not be read");
    }
    this.#readAt = clock.monotonic();
  }

  async #withinLimit(reading: Promise<void>): Promise<void> {
    const done = new AbortController();
    const limit = this.#options.clock.wait(sensorLimitMs, done.signal).catch((error: unknown) => {
      if (!isAbort(error)) throw error;
    });
    try {
      await Promise.race([reading, limit]);
    } finally {
      done.abort();
    }
  }
}
