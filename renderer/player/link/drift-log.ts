// Collects how far videos and sounds are from their position by the clock, between two heartbeats.
import type { FromPage } from "../../../src/protocol/page-messages.ts";

type Drift = NonNullable<Extract<FromPage, { type: "beat" }>["drift"]>;

/** Collects the measurements of all items on screen. */
export class DriftLog {
  #worstMs = 0;
  #sumMs = 0;
  #measures = 0;

  /** Adds a measurement: an item is `driftMs` ahead of the clock, or behind it when negative. */
  add(driftMs: number): void {
    this.#worstMs = Math.max(this.#worstMs, Math.abs(driftMs));
    this.#sumMs += driftMs;
    this.#measures += 1;
  }

  /** The summary of all measurements since the last call; null when there are none. */
  take(): Drift | null {
    if (this.#measures === 0) return null;
    const drift = { worst_ms: this.#worstMs, mean_ms: this.#sumMs / this.#measures, measures: this.#measures };
    this.#worstMs = 0;
    this.#sumMs = 0;
    this.#measures = 0;
    return drift;
  }
}
