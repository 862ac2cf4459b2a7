// A clock that stands until a test moves it: waits end when their instant is reached, in order.
import type { Clock } from "../../src/base/clock.ts";

interface Waiter {
  at: number;
  resolve(): void;
}

export class FakeClock implements Clock {
  #wall: number;
  #monotonic = 1_000;
  #waiters: Waiter[] = [];

  constructor(wall = Date.UTC(2026, 10, 21, 12)) {
    this.#wall = wall;
  }

  now(): number {
    return this.#wall;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  wait(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(new DOMException("aborted", "AbortError"));
      const waiter = { at: this.#monotonic + Math.max(0, ms), resolve };
      this.#waiters.push(waiter);
      signal?.addEventListener(
        "abort",
        () => {
          this.#waiters = this.#waiters.filter((other) => other !== waiter);
          reject(new DOMException("aborted", "AbortError"));
        },
        { once: true },
      );
    });
  }

  /** Waits that nobody has ended yet. */
  get pendingWaits(): number {
    return this.#waiters.length;
  }

  /** Moves both clocks on and ends what falls due, earliest first. */
  advance(ms: number): void {
    this.#wall += ms;
    this.#monotonic += ms;
    const due = this.#waiters.filter(({ at }) => at <= this.#monotonic).toSorted((a, b) => a.at - b.at);
    this.#waiters = this.#waiters.filter((waiter) => !due.includes(waiter));
    for (const waiter of due) waiter.resolve();
  }

  /** Steps the wall clock alone, as NTP or a person does. */
  step(ms: number): void {
    this.#wall += ms;
  }
}
