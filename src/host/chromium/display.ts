// Keeps the browser's window on its X11 display, whatever mode that takes.
import { Signal } from "../../base/async/signal.ts";
import type { Clock } from "../../base/clock.ts";
import { isFault, reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import { runAll } from "../../base/async/run-all.ts";
import type { Environment } from "./account.ts";
import type { KioskWindow } from "./window.ts";
import { watchDisplays } from "./x11.ts";

// The browser hears of a change from the X server as we do, and takes a moment to tell its page; a driver changes a
// mode in several steps. 2 s in all.
const looksMs = [50, 100, 150, 300, 600, 800];
// So long a window manager has to fit the window.
const managerMs = 1_000;
// An X server that we cannot hear: the window is looked at all the time instead.
const listenAgainMs = 1_000;

/** What following takes. */
export interface FollowOptions {
  env: Environment;
  clock: Clock;
  log: Log;
}

/** Fits `window` after each change of its display, until `signal` aborts. @throws Fault when the browser is gone. */
export async function followDisplay(window: KioskWindow, options: FollowOptions, signal: AbortSignal): Promise<never> {
  const bell = new Signal();
  return await runAll([(shared) => listen(bell, options, shared), (shared) => fitAtRings(window, bell, options, shared)], signal);
}

async function listen(bell: Signal, { env, clock, log }: FollowOptions, signal: AbortSignal): Promise<never> {
  for (let tries = 1; ; tries += 1) {
    try {
      await watchDisplays(env, () => bell.notify(), signal);
    } catch (error) {
      // An aborted wait ends with the reason, and the end of the browser is a Fault too.
      if (signal.aborted || !isFault(error)) throw error;
      if (tries === 1) log.warn({ reason: reasonOf(error) }, "changes of the display are not told, so it is looked at instead");
    }
    bell.notify();
    await clock.wait(listenAgainMs, signal);
  }
}

async function fitAtRings(window: KioskWindow, bell: Signal, { clock, log }: FollowOptions, signal: AbortSignal): Promise<never> {
  for (;;) {
    await bell.wait(clock, Infinity, signal);
    const rungAtMs = clock.monotonic();
    for (let look = 0; look < looksMs.length;) {
      await clock.wait(looksMs[look]!, signal);
      try {
        const fitted = await window.refit(clock.monotonic() - rungAtMs < managerMs);
        if (fitted !== null) log.info({ ...fitted }, "window fitted to the display's new mode");
        look += 1;
      } catch (error) {
        // A page that hangs, has crashed or is just being loaded is asked again; who ends or reloads it is the host.
        if (!isFault(error, "timeout") && !isFault(error, "page-dead")) throw error;
      }
    }
  }
}
