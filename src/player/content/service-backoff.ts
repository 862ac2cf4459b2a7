// Decides when a service that fails may be asked again: with one request at a time, after random waits that grow.
import { fullJitter, type BackoffBounds } from "../../base/async/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import { hourMs } from "../../base/time.ts";

// A service that asks for a longer wait may be misconfigured.
const longestRetryAfterMs = hourMs;

/** A request for a file, from its start to its outcome. */
export interface Attempt {
  /** How many failures had been counted at its start. */
  failuresBefore: number;
}

export class ServiceBackoff {
  readonly #clock: Clock;
  readonly #bounds: BackoffBounds;
  readonly #random: () => number;
  /** How often it has failed since the last success. */
  #failures = 0;
  /** How many failures have been counted at all. */
  #allFailures = 0;
  #retryAt = Number.NEGATIVE_INFINITY;
  /** The only request while it fails. */
  #retry: Attempt | null = null;

  constructor(clock: Clock, bounds: BackoffBounds, random: () => number) {
    this.#clock = clock;
    this.#bounds = bounds;
    this.#random = random;
  }

  get isFailing(): boolean {
    return this.#failures > 0;
  }

  /** When the next request may start, monotonic ms; Infinity: after the one that runs. */
  get askAt(): number {
    if (!this.isFailing) return Number.NEGATIVE_INFINITY;
    return this.#retry === null ? this.#retryAt : Number.POSITIVE_INFINITY;
  }

  start(): Attempt {
    const request = { failuresBefore: this.#allFailures };
    if (this.isFailing) this.#retry = request;
    return request;
  }

  /** The request has ended, whatever its outcome. */
  end(request: Attempt): void {
    if (this.#retry === request) this.#retry = null;
  }

  succeeded(): void {
    this.#failures = 0;
  }

  /** @param retryAfterMs the wait that the service asks for; waits at most an hour. */
  failed({ failuresBefore }: Attempt, retryAfterMs: number): void {
    // Requests that were under way together fail together: they count once.
    if (this.isFailing && failuresBefore !== this.#allFailures) return;
    this.#allFailures += 1;
    this.#retryAt =
      this.#clock.monotonic() + Math.min(retryAfterMs, longestRetryAfterMs) + fullJitter(this.#bounds, this.#failures, this.#random);
    this.#failures += 1;
  }

  /** Ends the wait. */
  retryNow(): void {
    this.#retryAt = Number.NEGATIVE_INFINITY;
  }
}
