// Keeps the browser's window as large as its X11 display when the display's mode changes.
import { Signal } from "../../../base/async/signal.ts";
import type { Clock } from "../../../base/clock.ts";
import { isFault, reasonOf } from "../../../base/fault.ts";
import type { Log } from "../../../base/log.ts";
import { runAll } from "../../../base/async/run-all.ts";
import type { Environment } from "../account.ts";
import type { KioskWindow } from "./window.ts";
import { watchDisplays } from "./x11.ts";

// When the window is checked after a change: the browser needs time to pass the change to its page, and a driver may change a
// mode in several steps. The last interval is repeated up to the limit, because on a busy machine all of this takes long.
const checksAtMs = [50, 150, 300, 600, 1_200, 2_000];
const laterIntervalMs = 2_000;
const checkLimitMs = 60_000;
// After this time the log says that the window manager is late.
const lateMs = 2_000;
// When the X server cannot be listened to, the window is checked this often.
const retryListenMs = 1_000;

export interface FollowOptions {
  env: Environment;
  clock: Clock;
  log: Log;
}

/** Wakes the checks after a change. `atMs` is on the monotonic clock. */
interface Change {
  signal: Signal;
  atMs: number;
}

/** Resizes `window` after each change of its display, until `signal` aborts. @throws Fault when the browser is gone. */
export async function followDisplay(window: KioskWindow, options: FollowOptions, signal: AbortSignal): Promise<never> {
  const change: Change = { signal: new Signal(), atMs: Number.NEGATIVE_INFINITY };
  return await runAll([(end) => listen(change, options, end), (end) => refitOnChange(window, change, options, end)], signal);
}

async function listen(change: Change, { env, clock, log }: FollowOptions, signal: AbortSignal): Promise<never> {
  const onChange = (): void => {
    change.atMs = clock.monotonic();
    change.signal.notify();
  };
  for (let tries = 1; ; tries += 1) {
    try {
      await watchDisplays(env, onChange, signal);
    } catch (error) {
      // An abort rejects with the signal's reason, which may be a Fault as well.
      if (signal.aborted || !isFault(error)) throw error;
      if (tries === 1) log.warn({ reason: reasonOf(error) }, "changes of the display cannot be listened to; the display is polled instead");
    }
    onChange();
    await clock.wait(retryListenMs, signal);
  }
}

async function refitOnChange(window: KioskWindow, change: Change, { clock, log }: FollowOptions, signal: AbortSignal): Promise<never> {
  let loggedLateAt: number | null = null;
  for (;;) {
    await change.signal.wait(clock, nextCheckMs(clock.monotonic() - change.atMs), signal);
    try {
      const fit = await window.refit();
      if (fit.is === "resized") log.info({ ...fit.size }, "window resized to the display's new mode");
      const isLate = fit.is === "waiting" && clock.monotonic() - change.atMs >= lateMs;
      if (isLate && loggedLateAt !== change.atMs) {
        loggedLateAt = change.atMs;
        log.warn("the window manager has not resized the window to the display's new mode yet");
      }
    } catch (error) {
      // The page hangs, has crashed or is loading. The host repairs it; all checks are repeated.
      if (!isFault(error, "timeout") && !isFault(error, "page-dead")) throw error;
      change.atMs = clock.monotonic();
    }
  }
}

/** How long to wait for the next check, `ageMs` after the change. */
function nextCheckMs(ageMs: number): number {
  const next = checksAtMs.find((atMs) => atMs > ageMs);
  if (next !== undefined) return next - ageMs;
  return ageMs < checkLimitMs ? laterIntervalMs : Number.POSITIVE_INFINITY;
}
