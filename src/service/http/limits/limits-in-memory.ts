// Counts attempts in the memory of the only process of a service.
import type { Clock } from "../../../base/clock.ts";
import { RateLimit } from "./rate-limit.ts";
import type { Attempt, AttemptLimit, MakeLimit } from "./attempt-limit.ts";

/** Makes limits that a restart forgets. */
export function limitsInMemory(clock: Clock): MakeLimit {
  return (_name, limit, windowMs) => new LimitInMemory(new RateLimit(limit, windowMs, clock));
}

class LimitInMemory implements AttemptLimit {
  readonly #events: RateLimit;

  constructor(events: RateLimit) {
    this.#events = events;
  }

  async waitMs(key: string): Promise<number> {
    return this.#events.waitMs(key);
  }

  async take(key: string): Promise<Attempt> {
    const waitMs = this.#events.waitMs(key);
    if (waitMs > 0) return { waitMs, takeBack: async () => undefined };
    const at = this.#events.record(key);
    return { waitMs, takeBack: async () => this.#events.takeBack(key, at) };
  }
}
