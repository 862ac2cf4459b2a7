// Wakes a waiting loop. A notification that arrives while nothing waits ends the next wait.
import type { Clock } from "../clock.ts";

// One for all waits: creating an exception for each costs more than the wait itself.
const wakeUpReason = new DOMException("Notified", "AbortError");

/** A wake-up signal for one waiting loop. Any code may notify it. */
export class Signal {
  #isNotified = false;
  #wake: (() => void) | null = null;

  /** Ends the current wait, or the next one immediately. Several notifications before a wait count as one. */
  notify(): void {
    this.#isNotified = true;
    this.#wake?.();
  }

  /** Resolves when notified or after `ms` on the monotonic clock (Infinity: never); rejects with an AbortError when `signal` aborts. */
  async wait(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.#isNotified) {
      const wakeUp = new AbortController();
      this.#wake = () => wakeUp.abort(wakeUpReason);
      try {
        await clock.wait(ms, AbortSignal.any([signal, wakeUp.signal]));
      } catch (error) {
        if (!wakeUp.signal.aborted || signal.aborted) throw error;
      } finally {
        this.#wake = null;
      }
    }
    this.#isNotified = false;
  }
}
