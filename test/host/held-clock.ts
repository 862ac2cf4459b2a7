// A clock whose limits only a test ends: a host that has it reaches none of them because the machine is slow.
import { createSystemClock, type Clock } from "../../src/base/clock.ts";
import { eventually } from "../support/polling.ts";

// Shorter waits are pauses between two checks.
const longestPauseMs = 100;
// A browser that does not exit by itself is killed after this time.
const killMs = 2_000;

interface HeldWait {
  ms: number;
  end(): void;
}

/** The machine's clock, except for waits that are limits. A wait that ends advances the monotonic time. */
export class HeldClock implements Clock {
  readonly #machine = createSystemClock();
  readonly #longestPauseMs: number;
  readonly #held = new Set<HeldWait>();
  readonly #begun = new Map<number, number>();
  #monotonic = 0;

  /** @param pauseMs waits of this duration or less end by themselves. */
  constructor(pauseMs = longestPauseMs) {
    this.#longestPauseMs = pauseMs;
  }

  now(): number {
    return this.#machine.now();
  }

  /** Never the same time twice, so that the order of events is known. */
  monotonic(): number {
    return (this.#monotonic += 0.001);
  }

  elapsed(): number {
    return this.monotonic();
  }

  async wait(ms: number, signal?: AbortSignal): Promise<void> {
    this.#begun.set(ms, this.begun(ms) + 1);
    await (ms <= this.#longestPauseMs || ms === killMs ? this.#machine.wait(ms, signal) : this.#hold(ms, signal));
    this.#monotonic += ms;
  }

  /** How many waits of `ms` have begun so far. */
  begun(ms: number): number {
    return this.#begun.get(ms) ?? 0;
  }

  /** Ends the waits of `ms` once there are `count` of them. */
  async end(ms: number, count = 1): Promise<void> {
    await eventually(() => this.#of(ms).length === count);
    for (const wait of this.#of(ms)) wait.end();
    // What follows from that has begun before the next wait is ended.
    await new Promise((resolve) => setImmediate(resolve));
  }

  #of(ms: number): HeldWait[] {
    return [...this.#held].filter((wait) => wait.ms === ms);
  }

  async #hold(ms: number, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    if (signal?.aborted) throw new DOMException("The wait was aborted", "AbortError");
    const wait: HeldWait = { ms, end: resolve };
    const abort = (): void => reject(new DOMException("The wait was aborted", "AbortError"));
    signal?.addEventListener("abort", abort, { once: true });
    this.#held.add(wait);
    try {
      await promise;
    } finally {
      signal?.removeEventListener("abort", abort);
      this.#held.delete(wait);
    }
  }
}
