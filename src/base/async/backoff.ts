// Chooses the wait before the next attempt: random, up to a bound that doubles, so that a fleet of players does not retry at once.

/** The upper bound of the first wait and of all waits, in ms. */
export interface BackoffBounds {
  firstMs: number;
  longestMs: number;
}

/** A random wait between 0 and a bound that doubles with each failure, in ms ("full jitter"). @param failures before this one. */
export function fullJitter(bounds: BackoffBounds, failures: number, random: () => number): number {
  return boundAfter(bounds, failures) * random();
}

/** Counts failures and draws random waits between a tenth of a bound and the bound, which doubles with each failure. */
export class Backoff {
  readonly #bounds: BackoffBounds;
  readonly #random: () => number;
  #failures = 0;

  constructor(bounds: BackoffBounds, random: () => number = Math.random) {
    this.#bounds = bounds;
    this.#random = random;
  }

  /** The wait after another failure, in ms. @param firstMs replaces the first bound. */
  next(firstMs = this.#bounds.firstMs): number {
    const bound = boundAfter({ ...this.#bounds, firstMs }, this.#failures);
    this.#failures += 1;
    return bound * (0.1 + 0.9 * this.#random());
  }

  /** Forgets all failures after a success. */
  reset(): void {
    this.#failures = 0;
  }
}

/** The upper bound of the wait after so many failures, in ms. */
function boundAfter({ firstMs, longestMs }: BackoffBounds, failures: number): number {
  return Math.min(longestMs, firstMs * 2 ** Math.min(failures, 30));
}
