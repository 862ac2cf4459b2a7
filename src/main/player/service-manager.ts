// Tells systemd when the player has started and that it works. By the program systemd-notify: Node cannot send Unix datagrams.
import type { Clock } from "../../base/clock.ts";
import { isAbort, reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import { reasonOfRun, runTool } from "../../base/processes/run-tool.ts";
import type { Supervise } from "../../player/player.ts";

// systemd-notify waits at most five seconds for systemd.
const notifyLimitMs = 10_000;
// Messages within one limit of the watchdog, so that one may be late and one may be lost.
const messagesPerLimit = 3;

/** Why a program exits although nobody stopped it. */
export const displayFailed =
  "no milder step brought the display back: exiting, so that the program that supervises this one starts it again";

/**
 * Returns a task that reports to the systemd that started this program with `Type=notify`: READY at once, and WATCHDOG for as long
 * as the display is hopeful, if the unit has `WatchdogSec`. The unit needs `NotifyAccess=all`. Null if systemd expects no reports.
 */
export function reportToSystemd(env: NodeJS.ProcessEnv, clock: Clock, log: Log): Supervise | null {
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: limitUs, PATH } = env;
  if (socket === undefined) return null;
  const intervalMs = limitUs === undefined ? Number.POSITIVE_INFINITY : Number(limitUs) / 1_000 / messagesPerLimit;
  let hasFailed = false;
  const notify = async (message: string, signal: AbortSignal): Promise<void> => {
    try {
      const run = await runTool("systemd-notify", [message], { env: { NOTIFY_SOCKET: socket, PATH }, signal, limitMs: notifyLimitMs });
      if (run.is !== "ended" || run.code !== 0) throw new Error(reasonOfRun("systemd-notify", run));
      hasFailed = false;
    } catch (error) {
      if (isAbort(error) && signal.aborted) throw error;
      if (!hasFailed) log.error({ reason: reasonOf(error), message }, "systemd could not be notified");
      hasFailed = true;
    }
  };
  return async (isHopeful, signal) => {
    await notify("READY=1", signal);
    for (;;) {
      await clock.wait(intervalMs, signal);
      if (isHopeful()) await notify("WATCHDOG=1", signal);
      else log.error("no step has brought frames back to the display: leaving the restart to systemd's watchdog");
    }
  };
}
