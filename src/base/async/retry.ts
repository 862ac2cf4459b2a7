// Repeats an operation until it succeeds. The wait between attempts grows with a backoff.
import type { Clock } from "../clock.ts";
import { isFault } from "../fault.ts";
import { Backoff, type BackoffBounds } from "./backoff.ts";

export interface RetryOptions {
  clock: Clock;
  bounds: BackoffBounds;
  /** Called after each failure that is retried, before the wait. */
  onFailure: (error: unknown, retryInMs: number) => void | Promise<void>;
  /** Replaces the wait between attempts, for example with one that can be ended early. */
  wait?: (ms: number) => Promise<void>;
  signal: AbortSignal;
}

/**
 * Resolves with the result of the first attempt that succeeds.
 * @throws the reason of `signal` when it aborts; Fault `revoked`, because retrying cannot help.
 */
export async function retry<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { clock, bounds, onFailure, signal, wait = (ms) => clock.wait(ms, signal) } = options;
  const backoff = new Backoff(bounds);
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      if (isFault(error, "revoked")) throw error;
      const waitMs = backoff.next();
      await onFailure(error, Math.round(waitMs));
      await wait(waitMs);
    }
  }
}
