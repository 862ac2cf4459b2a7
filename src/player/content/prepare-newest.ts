// Prepares the newest desired state. A newer state aborts the preparation of the one before; a lost file or a jump of the clock repeats it.
import type { Clock } from "../../base/clock.ts";
import type { Watchable } from "../../base/async/observable.ts";
import type { ContentCache } from "./content-cache.ts";
import type { OpenFile } from "./download-file.ts";
import type { DesiredState } from "../../protocol/device/desired-state.ts";

/**
 * Prepares each new desired state, and the same one again when the cache asks for it, until `signal` aborts. Whatever runs
 * before is aborted first.
 */
export async function prepareNewest(
  states: Watchable<DesiredState | null>,
  cache: ContentCache,
  openFile: OpenFile,
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
    cache.onRestart(() => superseded.abort(), end);
    try {
      if (desired !== null) await cache.prepare(desired, openFile, end);
      await clock.wait(Number.POSITIVE_INFINITY, end);
    } catch (error) {
      if (!superseded.signal.aborted || signal.aborted) throw error;
    }
  }
}
