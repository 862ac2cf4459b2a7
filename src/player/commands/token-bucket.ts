// Limits how often something may happen: a bucket of tokens that refills over time.
import type { Clock } from "../../base/clock.ts";

export interface BucketLimits {
  /** How many tokens the bucket holds. */
  burst: number;
  /** How many tokens are added per second. */
  perSecond: number;
}

export class TokenBucket {
  readonly #limits: BucketLimits;
  readonly #clock: Clock;
  #tokens: number;
  #updatedAt: number;

  constructor(limits: BucketLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
    this.#tokens = limits.burst;
    this.#updatedAt = clock.monotonic();
  }

  /** Takes a token. False if there is none. */
  take(): boolean {
    const { burst, perSecond } = this.#limits;
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#updatedAt) / 1_000) * perSecond);
    this.#updatedAt = now;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
