// Wakes one waiting loop. A ring that comes while nobody waits is kept for the next wait.
import type { Clock } from "../clock.ts";

/** One loop waits, anybody rings. */
export class Signal {
  #rung = false;
  #wake: (() => void) | null = null;

  /** Ends the present wait, or the next one at once. Several rings before a wait are one. */
  notify(): void {
    this.#rung = true;
    this.#wake?.();
  }

  /** Resolves at a ring or after `ms` on the monotonic clock (Infinity: never); rejects with an AbortError when `signal` aborts. */
  async wait(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.#rung) {
      const woken = new AbortController();
      this.#wake = () => woken.abort();
      try {
        await clock.wait(ms, AbortSignal.any([signal, woken.signal]));
      } catch (error) {
        if (!woken.signal.aborted || signal.aborted) throw error;
      } finally {
        this.#wake = null;
      }
    }
    this.#rung = false;
  }
}
