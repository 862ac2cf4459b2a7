// The machine's clock, which a test sets: a player and a service that share it follow, and agree all the time.
import { createSystemClock, type Clock } from "../../src/base/clock.ts";

export class SteeredClock implements Clock {
  readonly #machine = createSystemClock();
  #leadMs = 0;

  now(): number {
    return this.#machine.now() + this.#leadMs;
  }

  monotonic(): number {
    return this.#machine.monotonic();
  }

  elapsed(): number {
    return this.#machine.elapsed() + this.#leadMs;
  }

  wait(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#machine.wait(ms, signal);
  }

  /** From now on it is this instant. The time that the machine says to have slept changes with it, so that nobody doubts the clock. */
  moveTo(instant: number): void {
    this.#leadMs += instant - this.now();
  }
}
