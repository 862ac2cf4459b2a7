// Probes the renderer process of an iframe: whether it responds, and how much memory its scripts use.
import type { Clock } from "../../base/clock.ts";
import { isAbort, isFault } from "../../base/fault.ts";
import type { IframeFault } from "../../player/host.ts";
import type { DevTools } from "../chromium/pipe.ts";
import type { IframeLimits } from "./limits.ts";

/** A process to probe. */
export interface ProbeOptions {
  session: DevTools;
  clock: Clock;
  limits: Pick<IframeLimits, "probe" | "memoryBytes">;
  /** True once the iframe has failed; then probing ends. */
  hasFailed: () => boolean;
  /** Ends the process. `how` is the end of the sentence "its renderer …". */
  end: (code: IframeFault, how: string) => Promise<void>;
  signal: AbortSignal;
}

/** Probes the process regularly and ends it when it misses two probes in a row or uses too much memory. */
export async function probeProcess({ session, clock, limits, hasFailed, end, signal }: ProbeOptions): Promise<void> {
  const { intervalMs, limitMs } = limits.probe;
  try {
    for (let misses = 0; !hasFailed();) {
      await clock.wait(intervalMs, signal);
      const usage = await scriptMemoryBytes(session, limitMs, signal);
      misses = usage === null ? misses + 1 : 0;
      if (misses >= 2) await end("stalled", `did not respond twice within ${limitMs} ms`);
      else if (usage !== null && usage > limits.memoryBytes)
        await end("crashed", `used ${megabytes(usage)} MB, more than the ${megabytes(limits.memoryBytes)} MB allowed`);
    }
  } catch (error) {
    // The process has ended; the target's own events report that.
    if (!isAbort(error) && !isFault(error)) throw error;
  }
}

/** Memory of the process's scripts; null when it does not respond in time. */
async function scriptMemoryBytes(session: DevTools, limitMs: number, signal: AbortSignal): Promise<number | null> {
  try {
    const usage = await session.send("Runtime.getHeapUsage", {}, { deadlineMs: limitMs, signal });
    return usage.usedSize + usage.embedderHeapUsedSize + usage.backingStorageSize;
  } catch (error) {
    if (isFault(error, "timeout")) return null;
    throw error;
  }
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1024 / 1024);
}
