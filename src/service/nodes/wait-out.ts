// Runs a background loop again after an error of the database, with growing waits, instead of ending the process.
import { Backoff } from "../../base/async/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import { isFault, isOutlived, reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import type { Loop } from "./nodes.ts";

const bounds = { firstMs: 500, longestMs: 10_000 };
// A loop that ran for so long was not hindered by the error before.
const healthyMs = 30_000;

/**
 * `loop`, begun again after each error of the database that it outlives (store/database-errors.ts). Other errors are its own.
 */
export function waitOutErrors(name: string, loop: Loop, { clock, log }: { clock: Clock; log: Log }): Loop {
  return async (signal) => {
    const backoff = new Backoff(bounds);
    for (;;) {
      const startedAt = clock.monotonic();
      try {
        return await loop(signal);
      } catch (error) {
        signal.throwIfAborted();
        if (!isOutlived(error)) throw error;
        if (clock.monotonic() - startedAt > healthyMs) backoff.reset();
        const waitMs = backoff.next();
        const about = { loop: name, retry_in_ms: Math.round(waitMs) };
        if (isFault(error, "store-refused"))
          log.error({ ...about, err: error }, "a background loop was refused a statement: it begins again");
        else log.warn({ ...about, reason: reasonOf(error) }, "a background loop waits for the database");
        await clock.wait(waitMs, signal);
      }
    }
  };
}

/** Runs `act` again while the database cannot do it. For work that must not be done twice before its result is stored. */
export async function untilStored<T>({ clock, log }: { clock: Clock; log: Log }, signal: AbortSignal, act: () => Promise<T>): Promise<T> {
  const backoff = new Backoff(bounds);
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (signal.aborted || !isFault(error, "store-unavailable")) throw error;
      const waitMs = backoff.next();
      log.warn({ reason: reasonOf(error), retry_in_ms: Math.round(waitMs) }, "a result waits for the database");
      await clock.wait(waitMs, signal);
    }
  }
}
