// Electron's processes: their memory, and helpers that end.
import { app } from "electron";
import type { Log } from "../../base/log.ts";
import type { BrowserMemory } from "../../player/host.ts";
import { memoryByKind, processMemoryBytes } from "../chromium/session-processes.ts";

/** The embedded service's name among Electron's processes. */
export const serviceProcessName = "signage-service";
/** The name of the processes in which that service examines files. */
export const mediaProcessName = "signage-media";
const serviceProcesses: readonly (string | undefined)[] = [serviceProcessName, mediaProcessName];

// Electron's names of the kinds of processes, and Chromium's.
const kinds: Partial<Record<Electron.ProcessMetric["type"], string>> = { Browser: "browser", Tab: "renderer", GPU: "gpu-process" };

/** Memory of all of Electron's processes but the service's, in bytes. The main process also runs the player. */
export async function electronMemory(): Promise<BrowserMemory> {
  const metrics = app.getAppMetrics().filter(({ name }) => !serviceProcesses.includes(name));
  const measurements = metrics.map(async ({ type, pid, memory }) => ({
    kind: kinds[type] ?? "other",
    // Electron's own numbers on Linux count shared memory once for each process.
    bytes: process.platform === "linux" ? await processMemoryBytes(pid) : 1024 * (memory.privateBytes ?? memory.workingSetSize),
  }));
  return memoryByKind(await Promise.all(measurements));
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
