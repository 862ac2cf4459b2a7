// Ends processes of the browser that are stopped, and a browser without a zygote, before anything waits for them in vain.
import type { Clock } from "../../base/clock.ts";
import type { BrowserProcess } from "./process.ts";

export interface StoppedProcessesOptions {
  browser: BrowserProcess;
  clock: Clock;
  /** Called for the log before a process is ended. */
  onStopped: (kind: string, pid: number) => void;
  /** Called for the log before the browser is ended because its zygotes are gone. */
  onZygotesGone: () => void;
}

const intervalMs = 3_000;
// Chromium replaces all other processes by itself, but no process can be started without its zygote.
const irreplaceable = ["browser", "zygote"];

/** Ends each process that is found stopped twice in a row, and the browser once its zygotes are gone, until `signal` aborts. */
export async function endStoppedProcesses(options: StoppedProcessesOptions, signal: AbortSignal): Promise<void> {
  const { browser, clock, onStopped, onZygotesGone } = options;
  if (process.platform !== "linux") return; // no /proc
  let before = new Set<number>();
  let hadZygote = false;
  for (;;) {
    await clock.wait(intervalMs, signal);
    const processes = await browser.processes();
    const hasZygote = processes.some(({ kind }) => kind === "zygote");
    if (hadZygote && !hasZygote && !signal.aborted) {
      onZygotesGone();
      browser.kill();
      return;
    }
    hadZygote = hasZygote;
    const stopped = processes.filter(({ isStopped }) => isStopped);
    const stillStopped = stopped.filter(({ pid }) => before.has(pid));
    for (const { kind, pid } of stillStopped) onStopped(kind, pid);
    if (stillStopped.some(({ kind }) => irreplaceable.includes(kind))) browser.kill();
    else for (const { pid } of stillStopped) browser.killProcess(pid);
    before = new Set(stopped.map(({ pid }) => pid));
  }
}
