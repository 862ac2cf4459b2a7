// A fake clock that a test advances: waits end in order when their instant is reached.
import type { Clock } from "../../src/base/clock.ts";

interface Waiter {
  at: number;
  resolve(): void;
}

export class FakeClock implements Clock {
  #wall: number;
  #monotonic: number;
  #suspendedMs = 0;
  #waiters: Waiter[] = [];

  constructor(wall = Date.UTC(2026, 10, 21, 12), monotonic = 1_000) {
    this.#wall = wall;
    this.#monotonic = monotonic;
  }

  now(): number {
    return this.#wall;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  elapsed(): number {
    return this.#monotonic + this.#suspendedMs;
  }

  wait(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(new DOMException("aborted", "AbortError"));
      const abort = (): void => {
        this.#waiters = this.#waiters.filter((other) => other !== waiter);
        reject(new DOMException("aborted", "AbortError"));
      };
      const end = (): void => {
        signal?.removeEventListener("abort", abort);
        resolve();
      };
      const waiter = { at: this.#monotonic + Math.max(0, ms), resolve: end };
      this.#waiters.push(waiter);
      signal?.addEventListener("abort", abort, { once: true });
    });
  }

  /** The number of pending waits. */
  get pendingWaits(): number {
    return this.#waiters.length;
  }

  /** The number of pending waits that end in exactly `ms`. */
  waitsOf(ms: number): number {
    return this.#waiters.filter(({ at }) => at === this.#monotonic + ms).length;
  }

  /** Advances both clocks and ends the waits that are due, earliest first. */
  advance(ms: number): void {
    this.#wall += ms;
    this.#monotonic += ms;
    const due = this.#waiters.filter(({ at }) => at <= this.#monotonic).toSorted((a, b) => a.at - b.at);
    this.#waiters = this.#waiters.filter((waiter) => !due.includes(waiter));
    for (const waiter of due) waiter.resolve();
  }

  /** Sets the wall clock only, as NTP or a person does. */
  step(ms: number): void {
    this.#wall += ms;
  }

  /** Suspends the machine: the wall clock runs on, the monotonic clock and waits do not. */
  suspend(ms: number): void {
    this.#wall += ms;
    this.#suspendedMs += ms;
  }
}
