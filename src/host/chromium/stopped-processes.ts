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
  const zygotes = new Set<number>();
  let before: readonly SessionProcess[] = [];
  for (;;) {
    const processes = await browser.processes();
    signal.throwIfAborted();
    const now = new Map(processes.map((each) => [each.pid, each]));
    // A new process has its zygote's name until it gets its own, but is no child of the browser.
    for (const { pid, kind, parent } of processes) if (kind === "zygote" && parent === browser.pid) zygotes.add(pid);
    const deadZygote = [...zygotes].find((pid) => !now.has(pid));
    if (deadZygote !== undefined) {
      onZygoteLost(deadZygote);
      browser.kill();
      return;
    }
    const stoppedProcesses = before.filter(({ pid, isStopped }) => isStopped && now.get(pid)?.isStopped === true);
    for (const { kind, pid } of stoppedProcesses) onStopped(kind, pid);
    if (stoppedProcesses.some(({ kind }) => irreplaceable.includes(kind))) browser.kill();
    else for (const { pid } of stoppedProcesses) browser.killProcess(pid);
    before = processes;
    await clock.wait(intervalMs, signal);
  }
}
