// Ends processes of the browser that are stopped, and a browser that has lost a zygote, before anything waits for them in vain.
import type { Clock } from "../../base/clock.ts";
import type { BrowserProcess } from "./process.ts";
import type { SessionProcess } from "./session-processes.ts";

export interface StoppedProcessesOptions {
  browser: BrowserProcess;
  clock: Clock;
  /** Called for the log before a process is ended. */
  onStopped: (kind: string, pid: number) => void;
  /** Called for the log before the browser is ended because one of its zygotes has ended. */
  onZygoteLost: (pid: number) => void;
}

const intervalMs = 3_000;
// Chromium replaces all other processes by itself. Each zygote starts some kinds of them, and is never replaced.
const irreplaceable = ["browser", "zygote"];

/** Ends each process that is found stopped twice in a row, and the browser once a zygote has ended, until `signal` aborts. */
export async function endStoppedProcesses(options: StoppedProcessesOptions, signal: AbortSignal): Promise<void> {
  const { browser, clock, onStopped, onZygoteLost } = options;
  if (process.platform !== "linux") return; // no /proc
  let before: readonly SessionProcess[] = await browser.processes();
  // A process that was just started is called zygote until it has its own name.
  let zygotes: readonly number[] = [];
  for (;;) {
    await clock.wait(intervalMs, signal);
    const processes = await browser.processes();
    signal.throwIfAborted();
    const lost = zygotes.find((pid) => !processes.some((each) => each.pid === pid));
    if (lost !== undefined) {
      onZygoteLost(lost);
      browser.kill();
      return;
    }
    const inBoth = (is: (each: SessionProcess) => boolean): SessionProcess[] =>
      processes.filter((each) => is(each) && before.some((other) => other.pid === each.pid && is(other)));
    zygotes = inBoth(({ kind }) => kind === "zygote").map(({ pid }) => pid);
    const stopped = inBoth(({ isStopped }) => isStopped);
    for (const { kind, pid } of stopped) onStopped(kind, pid);
    if (stopped.some(({ kind }) => irreplaceable.includes(kind))) browser.kill();
    else for (const { pid } of stopped) browser.killProcess(pid);
    before = processes;
  }
}
