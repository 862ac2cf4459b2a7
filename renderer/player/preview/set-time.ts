// The clock of a preview: it is set, stopped and started from outside.
import type { FrameCounter } from "../frame-counter.ts";
import { Alarms } from "../link/alarms.ts";
import type { PageClock } from "../link/clock.ts";

/** Stands still until it is set. */
export class SetTime implements PageClock {
  readonly #alarms: Alarms;
  readonly #listeners = new Set<() => void>();
  #at = Date.now();
  /** When it showed `at`, on the performance clock. */
  #setAt = performance.now();
  #rate = 0;

  constructor(frames: FrameCounter) {
    this.#alarms = new Alarms(frames, this);
  }

  get rate(): number {
    return this.#rate;
  }

  now(): number {
    return this.toWallTime(performance.now());
  }

  toWallTime(performanceTime: number): number {
    return this.#at + (performanceTime - this.#setAt) * this.#rate;
  }

  alarm(time: number, callback: (frameTime: number) => void): () => void {
    return this.#alarms.set(time, callback);
  }

  onSet(listener: () => void, signal: AbortSignal): void {
    if (signal.aborted) return;
    this.#listeners.add(listener);
    signal.addEventListener("abort", () => this.#listeners.delete(listener), { once: true });
  }

  /** Shows `at` now and runs on at `rate`; at 0 it stands still. */
  set(at: number, rate: number): void {
    this.#at = at;
    this.#setAt = performance.now();
    this.#rate = rate;
    for (const listener of this.#listeners) listener();
    this.#alarms.rearm();
  }
}
