// Prepares the newest desired state. A newer state aborts the preparation of the one before.
import type { Clock } from "../../base/clock.ts";
import type { Watchable } from "../../base/async/observable.ts";
import type { DesiredState } from "../../protocol/device/desired-state.ts";

/** Calls `prepare` with each new desired state, after aborting the previous call, until `signal` aborts. */
export async function prepareNewest(
  states: Watchable<DesiredState | null>,
  prepare: (desired: DesiredState, signal: AbortSignal) => Promise<void>,
  clock: Clock,
  signal: AbortSignal,
): Promise<never> {
  for (;;) {
    const desired = states.value;
    const superseded = new AbortController();
    const end = AbortSignal.any([signal, superseded.signal]);
    states.watch((newest) => {
      if (newest !== desired) superseded.abort();
    }, end);
    try {
      if (desired !== null) await prepare(desired, end);
      await clock.wait(Number.POSITIVE_INFINITY, end);
    } catch (error) {
      if (!superseded.signal.aborted || signal.aborted) throw error;
    }
  }
}
