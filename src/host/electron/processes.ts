// Electron's processes: their memory, and helpers that end.
import { app } from "electron";
import type { Log } from "../../base/log.ts";
import { processMemoryBytes } from "../chromium/session-processes.ts";

/** The embedded service's name among Electron's processes. */
export const serviceProcessName = "signage-service";
/** The name of the processes in which that service examines files. */
export const mediaProcessName = "signage-media";
const serviceProcesses: readonly (string | undefined)[] = [serviceProcessName, mediaProcessName];

/** Memory of all of Electron's processes but the service's, in bytes. */
export async function electronMemoryBytes(): Promise<number> {
  const metrics = app.getAppMetrics().filter(({ name }) => !serviceProcesses.includes(name));
  if (process.platform === "linux") {
    // Electron's own numbers on Linux count shared memory once for each process.
    const sizes = await Promise.all(metrics.map(({ pid }) => processMemoryBytes(pid)));
    return sizes.reduce((sum, size) => sum + size, 0);
  }
  return metrics.reduce((sum, { memory }) => sum + (memory.privateBytes ?? memory.workingSetSize), 0) * 1024;
}

/**
 * Logs helper processes of the browser that end. Electron restarts them itself; one that cannot be started leaves the browser
 * unusable, and `onUnusable` is called.
 */
export function watchHelpers(log: Log, onUnusable: (detail: string) => void, signal: AbortSignal): void {
  const onGone = (_event: unknown, { type, name, reason, exitCode }: Electron.Details): void => {
    if (serviceProcesses.includes(name)) return;
    log.warn({ type, name, reason, exit_code: exitCode }, "a process of the browser ended");
    if (reason === "launch-failed" || reason === "integrity-failure")
      onUnusable(`its ${name ?? type} process could not be started: ${reason} ${exitCode}`);
  };
  app.on("child-process-gone", onGone);
  signal.addEventListener("abort", () => app.removeListener("child-process-gone", onGone), { once: true });
}
