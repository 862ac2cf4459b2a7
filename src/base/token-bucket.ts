// Limits how often or how fast something may happen: a bucket of tokens that refills over time.
import type { Clock } from "./clock.ts";

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
    this.#refill();
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Takes tokens, even those that are still to come. @returns how long the caller has to wait for the last of them, ms. */
  borrow(count: number): number {
    this.#refill();
    this.#tokens -= count;
    return Math.max(0, (-this.#tokens / this.#limits.perSecond) * 1_000);
  }

  #refill(): void {
    const { burst, perSecond } = this.#limits;
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#updatedAt) / 1_000) * perSecond);
    this.#updatedAt = now;
  }
}
