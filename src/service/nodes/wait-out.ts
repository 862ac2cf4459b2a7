// Runs a loop again after an outage of the database, with growing waits, instead of ending the process.
import { Backoff } from "../../base/async/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import { isFault, reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import type { Loop } from "./nodes.ts";

const bounds = { firstMs: 500, longestMs: 10_000 };
// A loop that ran for so long was not hindered by the outage before.
const healthyMs = 30_000;

/**
 * `loop`, begun again after each Fault `store-unavailable`. Other errors are its own.
 */
export function waitOutOutages(name: string, loop: Loop, { clock, log }: { clock: Clock; log: Log }): Loop {
  return async (signal) => {
    const backoff = new Backoff(bounds);
    for (;;) {
      const startedAt = clock.monotonic();
      try {
        return await loop(signal);
      } catch (error) {
        signal.throwIfAborted();
        if (!isFault(error, "store-unavailable")) throw error;
        if (clock.monotonic() - startedAt > healthyMs) backoff.reset();
        const waitMs = backoff.next();
        log.warn({ loop: name, reason: reasonOf(error), retry_in_ms: Math.round(waitMs) }, "a background loop waits for the database");
        await clock.wait(waitMs, signal);
      }
    }
  };
}
