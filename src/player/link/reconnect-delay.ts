// How long a player waits before it asks its service for a socket again, so that a fleet does not stampede.
import { Backoff } from "../../base/async/backoff.ts";

// The first is for a player that was told nothing yet, and for one that is alone with its service.
const bounds = { firstMs: 1_000, longestMs: 60_000 };
const stableMs = 60_000;

/** Draws the waits of one player. What the service said of its fleet is kept over a lost connection. */
export class ReconnectDelay {
  readonly #backoff: Backoff;
  #spreadMs = bounds.firstMs;

  constructor(random: () => number = Math.random) {
    this.#backoff = new Backoff(bounds, random);
  }

  /** The service wants the first attempts of its fleet spread over so many ms. */
  setSpread(ms: number): void {
    this.#spreadMs = Math.max(ms, bounds.firstMs);
  }

  /** A session has ended that lasted `heldMs`: after a stable one the attempts before it are forgotten. */
  connectionEnded(heldMs: number): void {
    if (heldMs > stableMs) this.#backoff.reset();
  }

  /** The wait before the next attempt, in ms: a random part of the spread, doubled with each attempt that failed, up to a minute. */
  next(): number {
    return this.#backoff.next(this.#spreadMs);
  }
}
