// Keeps the browser's window as large as its X11 display when the display's mode changes.
import { Signal } from "../../base/async/signal.ts";
import type { Clock } from "../../base/clock.ts";
import { isFault, reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import { runAll } from "../../base/async/run-all.ts";
import type { Environment } from "./account.ts";
import type { KioskWindow } from "./window.ts";
import { watchDisplays } from "./x11.ts";

// Delays between checks after a change, 2 s in all: the browser needs time to pass the change to its page, and a driver may
// change a mode in several steps.
const checkDelaysMs = [50, 100, 150, 300, 600, 800];
// How long a window manager may take to resize the window.
const windowManagerLimitMs = 1_000;
// When the X server cannot be listened to, the window is checked this often.
const retryListenMs = 1_000;

export interface FollowOptions {
  env: Environment;
  clock: Clock;
  log: Log;
}

/** Resizes `window` after each change of its display, until `signal` aborts. @throws Fault when the browser is gone. */
export async function followDisplay(window: KioskWindow, options: FollowOptions, signal: AbortSignal): Promise<never> {
  const changed = new Signal();
  return await runAll([(shared) => listen(changed, options, shared), (shared) => refitOnChange(window, changed, options, shared)], signal);
}

async function listen(changed: Signal, { env, clock, log }: FollowOptions, signal: AbortSignal): Promise<never> {
  for (let tries = 1; ; tries += 1) {
    try {
      await watchDisplays(env, () => changed.notify(), signal);
    } catch (error) {
      // An abort rejects with the signal's reason, which may be a Fault as well.
      if (signal.aborted || !isFault(error)) throw error;
      if (tries === 1) log.warn({ reason: reasonOf(error) }, "changes of the display cannot be listened to; the display is polled instead");
    }
    changed.notify();
    await clock.wait(retryListenMs, signal);
  }
}

async function refitOnChange(window: KioskWindow, changed: Signal, { clock, log }: FollowOptions, signal: AbortSignal): Promise<never> {
  for (;;) {
    await changed.wait(clock, Infinity, signal);
    const changedAtMs = clock.monotonic();
    for (let check = 0; check < checkDelaysMs.length;) {
      await clock.wait(checkDelaysMs[check]!, signal);
      try {
        const fitted = await window.refit(clock.monotonic() - changedAtMs < windowManagerLimitMs);
        if (fitted !== null) log.info({ ...fitted }, "window resized to the display's new mode");
        check += 1;
      } catch (error) {
        // The page hangs, has crashed or is loading. The host repairs it; this check is repeated.
        if (!isFault(error, "timeout") && !isFault(error, "page-dead")) throw error;
      }
    }
  }
}
