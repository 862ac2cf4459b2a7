// Checks regularly whether the page, the network service and the browser respond, and finds out which of them hangs.
import type { Clock } from "../../base/clock.ts";
import { isAbort, reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import type { HostFault } from "../../player/host.ts";
import type { Probe } from "./options.ts";
import type { PlayerPage } from "./page.ts";
import type { DevToolsPipe } from "./pipe.ts";
import type { BrowserProcess } from "./process.ts";

/** The browser to watch, and the reactions to its state. */
export interface LivenessOptions {
  browser: BrowserProcess;
  page: PlayerPage;
  pipe: DevToolsPipe;
  clock: Clock;
  log: Log;
  /** How often the parts are probed and how long they may take to respond. */
  probe: Probe;
  onFault: (fault: HostFault) => void;
}

type Part = "page" | "network service";

const networkService = "network.mojom.NetworkService";

/**
 * Watches for a part that misses two probes in a row, until `signal` aborts: reports the page, ends the network service, which
 * Chromium then starts again, and kills a browser that does not respond itself.
 */
export async function watchLiveness(options: LivenessOptions, signal: AbortSignal): Promise<void> {
  const { browser, pipe, clock, log, probe, onFault } = options;
  let silent: Part | null = null;
  try {
    while (!signal.aborted) {
      await clock.wait(probe.intervalMs, signal);
      const before: Part | null = silent;
      silent = await findSilentPart(options);
      if (silent === null || silent !== before) continue;
      if (!(await pipe.isResponsive(probe.limitMs))) {
        log.error("the browser does not respond and is killed");
        browser.kill();
      } else if (silent === "page") {
        onFault({ is: "page-hung", detail: `it did not respond twice within ${probe.limitMs} ms` });
      } else {
        log.error("the browser's network service does not respond and is ended");
        for (const { kind, pid } of await browser.processes()) if (kind === networkService) browser.killProcess(pid);
      }
      silent = null;
    }
  } catch (error) {
    // When the browser ends, its exit is reported instead.
    if (!isAbort(error) && !signal.aborted && !pipe.isClosed) onFault({ is: "page-hung", detail: `its probe failed: ${reasonOf(error)}` });
  }
}

/** The part that does not respond; null if all do or if that cannot be told. */
async function findSilentPart({ page, probe: { limitMs } }: LivenessOptions): Promise<Part | null> {
  // A crashed page was already reported, and a loading page has its own deadline. Checked again after each probe, because the page
  // may have crashed or begun to load meanwhile.
  if (!page.isShown) return null;
  // The network service comes first, because a page may wait for it.
  if (!(await page.isNetworkResponsive(limitMs))) return page.isShown ? "network service" : null;
  return (await page.isResponsive(limitMs)) || !page.isShown ? null : "page";
}
