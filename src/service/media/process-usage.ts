// Measures the CPU time and memory of a process (on Linux) and its elapsed time, and detects the first exceeded limit.
import { readdir, readFile } from "node:fs/promises";
import { constants, getPriority, setPriority } from "node:os";
import { setInterval } from "node:timers/promises";
import type { MediaLimits } from "./limits.ts";
import { hasErrorCode } from "../../base/fault.ts";

export interface ProcessUsage {
  /** CPU time of all threads since the start, ms. */
  processorMs: number;
  /** Resident memory, MB. */
  memoryMb: number;
}

// The kernel reports times to programs in hundredths of a second (man 7 time: USER_HZ).
const msPerTick = 10;
const pollEveryMs = 100;
const lowerPriorityAfterMs = 1_000;

/**
 * Resolves to the first limit that a process exceeds, measured from now on. Rejects with an AbortError when `signal` aborts. Uses
 * real time instead of the service's clock, since the process runs in real time.
 */
export async function watchLimits(
  process: { readonly pid?: number | undefined },
  limits: MediaLimits,
  signal: AbortSignal,
): Promise<keyof MediaLimits> {
  const startedMs = performance.now();
  let first: ProcessUsage | null = null;
  let isLowered = false;
  for await (const _ of setInterval(pollEveryMs, null, { signal })) {
    if (performance.now() - startedMs > limits.wallMs) return "wallMs";
    const usage = process.pid === undefined ? null : await usageOf(process.pid);
    if (usage === null) continue;
    first ??= usage;
    // An ordinary file is done by now. A slow one must not take the CPU from the others.
    if (!isLowered && usage.processorMs - first.processorMs > lowerPriorityAfterMs) {
      isLowered = true;
      await lowerPriority(process.pid!);
    }
    if (usage.processorMs - first.processorMs > limits.processorMs) return "processorMs";
    if (usage.memoryMb > limits.memoryMb) return "memoryMb";
  }
  throw new DOMException("the watch was stopped", "AbortError");
}

/** The usage of a process; null on other systems than Linux, or when the process has ended. */
export async function usageOf(pid: number): Promise<ProcessUsage | null> {
  if (process.platform !== "linux") return null;
  try {
    const [stat, status] = await Promise.all([readFile(`/proc/${pid}/stat`, "latin1"), readFile(`/proc/${pid}/status`, "latin1")]);
    // The name may contain spaces, so count fields after it. User and system time are fields 14 and 15 (man 5 proc_pid_stat).
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const processorMs = (Number(fields[11]) + Number(fields[12])) * msPerTick;
    return { processorMs, memoryMb: Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1_024 };
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

/** True if the priority of a process was lowered, or the process has ended. */
export function hasLoweredPriority(pid: number): boolean {
  try {
    return getPriority(pid) > getPriority();
  } catch (error) {
    if (isGone(error)) return true;
    throw error;
  }
}

/** Lowers the priority of each thread of a process. An ordinary user cannot raise it again. */
async function lowerPriority(pid: number): Promise<void> {
  try {
    // Linux has a priority per thread; new threads inherit it (man 2 setpriority).
    for (const thread of await readdir(`/proc/${pid}/task`)) setPriority(Number(thread), constants.priority.PRIORITY_BELOW_NORMAL);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

/** True if the error means that the process or a thread has ended. */
function isGone(error: unknown): boolean {
  return hasErrorCode(error, "ENOENT", "ESRCH", "ERR_SYSTEM_ERROR");
}
