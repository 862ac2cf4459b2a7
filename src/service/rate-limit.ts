// Counts events in a sliding window, by key: wrong guesses of a token, requests of an address.
import type { Clock } from "../base/clock.ts";

// Keys beyond this are dropped oldest first: a flood of addresses must not fill the memory.
const mostKeys = 10_000;

/** At most `limit` events in `windowMs` for each key. In memory: a restart forgets. */
export class RateLimit {
  readonly #limit: number;
  readonly #windowMs: number;
  readonly #clock: Clock;
  readonly #events = new Map<string, number[]>();

  constructor(limit: number, windowMs: number, clock: Clock) {
    this.#limit = limit;
    this.#windowMs = windowMs;
    this.#clock = clock;
  }

  /** How long `key` has to wait for its next event, in ms; 0 when it need not. */
  waitMs(key: string): number {
    const now = this.#clock.monotonic();
    const recent = this.#recent(key, now);
    return recent.length < this.#limit ? 0 : recent[recent.length - this.#limit]! + this.#windowMs - now;
  }

  /** Counts one event. */
  count(key: string): void {
    const now = this.#clock.monotonic();
    const recent = [...this.#recent(key, now), now];
    this.#events.delete(key);
    this.#events.set(key, recent);
    if (this.#events.size > mostKeys) this.#events.delete(this.#events.keys().next().value!);
  }

  #recent(key: string, now: number): number[] {
    return (this.#events.get(key) ?? []).filter((at) => at > now - this.#windowMs);
  }
}
