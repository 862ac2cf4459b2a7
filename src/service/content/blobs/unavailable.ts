// Repeats background work while the blob store cannot be reached, with growing waits.
import { Backoff } from "../../../base/async/backoff.ts";
import type { Clock } from "../../../base/clock.ts";
import { isFault, reasonOf } from "../../../base/fault.ts";
import type { Log } from "../../../base/log.ts";

const retryBounds = { firstMs: 1_000, longestMs: 60_000 };

/** Runs `act` until it succeeds or fails for another reason. @throws the reason of `signal` when it aborts. */
export async function whileUnavailable<T>(
  { clock, log }: { clock: Clock; log: Log },
  signal: AbortSignal,
  act: () => Promise<T>,
): Promise<T> {
  const backoff = new Backoff(retryBounds);
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!isFault(error, "blobs-unavailable")) throw error;
      log.warn({ reason: reasonOf(error) }, "the blob store is unavailable; the work goes on when it responds");
    }
    await clock.wait(backoff.next(), signal);
  }
}
