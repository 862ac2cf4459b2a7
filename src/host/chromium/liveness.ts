// Checks regularly whether the page and the browser respond.
import type { Clock } from "../../base/clock.ts";
import { isAbort, reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import type { HostFault } from "../../player/host.ts";
import type { PlayerPage } from "./page.ts";
import type { DevToolsPipe } from "./pipe.ts";

/** The browser to watch and what to do about it. */
export interface LivenessOptions {
  page: PlayerPage;
  pipe: DevToolsPipe;
  clock: Clock;
  log: Log;
  /** How often the page is probed and how long it may take to respond. */
  probe: { intervalMs: number; limitMs: number };
  onFault: (fault: HostFault) => void;
  kill: () => void;
}

/** Reports a page that misses two probes in a row, and kills a browser that does not respond either, until `signal` aborts. */
export async function watchLiveness(options: LivenessOptions, signal: AbortSignal): Promise<void> {
  const { page, pipe, clock, log, probe, onFault, kill } = options;
  let missed = 0;
  try {
    while (!signal.aborted) {
      await clock.wait(probe.intervalMs, signal);
      // A crashed page was already reported, and a loading page has its own deadline. Checked again after the probe, because the page
      // may have crashed or begun to load meanwhile.
      missed = !page.isShown || (await page.isResponsive(probe.limitMs)) || !page.isShown ? 0 : missed + 1;
      if (missed < 2) continue;
      missed = 0;
      if (await pipe.isResponsive(probe.limitMs)) {
        onFault({ is: "page-hung", detail: `it did not respond twice within ${probe.limitMs} ms` });
      } else {
        log.error("the browser does not respond and is killed");
        kill();
      }
    }
  } catch (error) {
    // When the browser ends, its exit is reported instead.
    if (!isAbort(error) && !signal.aborted && !pipe.isClosed) onFault({ is: "page-hung", detail: `its probe failed: ${reasonOf(error)}` });
  }
}
