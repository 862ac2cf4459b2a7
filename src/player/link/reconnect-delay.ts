// Draws how long a player waits before it reconnects, so that a fleet does not reconnect all at once.
import { Backoff } from "../../base/async/backoff.ts";

// The first wait applies until the service names a spread, and when the player is alone with its service.
const bounds = { firstMs: 1_000, longestMs: 60_000 };
const stableMs = 60_000;

/** Remembers the spread that the service announced, also after the connection is lost. */
export class ReconnectDelay {
  readonly #backoff: Backoff;
  #spreadMs = bounds.firstMs;

  constructor(random: () => number = Math.random) {
    this.#backoff = new Backoff(bounds, random);
  }

  /** Sets over how many milliseconds the service wants the first attempts of its fleet spread. */
  setSpread(ms: number): void {
    this.#spreadMs = Math.max(ms, bounds.firstMs);
  }

  /** Call when a connection that lasted `heldMs` has ended. A stable connection resets the backoff. */
  connectionEnded(heldMs: number): void {
    if (heldMs > stableMs) this.#backoff.reset();
  }

  /** The wait before the next attempt, in ms: a random part of the spread, doubled after each failed attempt, up to a minute. */
  next(): number {
    return this.#backoff.next(this.#spreadMs);
  }
}
