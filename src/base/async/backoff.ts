// How long to wait before trying again: exponential with full jitter, so that a fleet does not stampede.

/** Bounds of a backoff, in ms. */
export interface BackoffBounds {
  firstMs: number;
  longestMs: number;
}

/** Counts failures and draws waits: uniformly from 0 to the doubled bound (AWS "full jitter"), at least a tenth of it. */
export class Backoff {
  readonly #bounds: BackoffBounds;
  readonly #random: () => number;
  #failures = 0;

  constructor(bounds: BackoffBounds, random: () => number = Math.random) {
    this.#bounds = bounds;
    this.#random = random;
  }

  /** The wait after one more failure, in ms. @param firstMs the first bound, where that is not always the same. */
  next(firstMs = this.#bounds.firstMs): number {
    const bound = Math.min(this.#bounds.longestMs, firstMs * 2 ** Math.min(this.#failures, 30));
    this.#failures += 1;
    return bound * (0.1 + 0.9 * this.#random());
  }

  /** Forgets the failures, after a success that lasted. */
  reset(): void {
    this.#failures = 0;
  }
}
