// Measures a process against limits: processor time and memory where the system tells them (Linux), the clock everywhere.
import { readdir, readFile } from "node:fs/promises";
import { constants, getPriority, setPriority } from "node:os";
import { setInterval } from "node:timers/promises";
import type { MediaLimits } from "./limits.ts";

/** What a process has used. */
export interface ProcessUsage {
  /** Of all its threads since it began, ms. */
  processorMs: number;
  /** Resident now, MB. */
  memoryMb: number;
}

// The kernel counts in hundredths of a second for programs, whatever its own clock (man 7 time: USER_HZ).
const msPerTick = 10;
const lookEveryMs = 100;
const yieldAfterMs = 1_000;

/**
 * Resolves to the limit that a process exceeds from now on. Rejects with an AbortError when `signal` aborts. Measures by real
 * time, since the process is real whatever clock the service runs on.
 */
export async function watchLimits(
  process: { readonly pid?: number | undefined },
  limits: MediaLimits,
  signal: AbortSignal,
): Promise<keyof MediaLimits> {
  const startedMs = performance.now();
  let first: ProcessUsage | null = null;
  let isYielding = false;
  for await (const _ of setInterval(lookEveryMs, null, { signal })) {
    if (performance.now() - startedMs > limits.wallMs) return "wallMs";
    const usage = process.pid === undefined ? null : await usageOf(process.pid);
    if (usage === null) continue;
    first ??= usage;
    // An ordinary file is through by now; what takes long does not take the processor from those that do not.
    if (!isYielding && usage.processorMs - first.processorMs > yieldAfterMs) {
      isYielding = true;
      await yieldToOthers(process.pid!);
    }
    if (usage.processorMs - first.processorMs > limits.processorMs) return "processorMs";
    if (usage.memoryMb > limits.memoryMb) return "memoryMb";
  }
  throw new DOMException("the watch has ended", "AbortError");
}

/** Null where the system does not tell, or the process is gone. */
export async function usageOf(pid: number): Promise<ProcessUsage | null> {
  if (process.platform !== "linux") return null;
  try {
    const [stat, status] = await Promise.all([readFile(`/proc/${pid}/stat`, "latin1"), readFile(`/proc/${pid}/status`, "latin1")]);
    // Fields are counted after the name, which may hold spaces: user and system time are the 14th and 15th of all (man 5 proc_pid_stat).
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const processorMs = (Number(fields[11]) + Number(fields[12])) * msPerTick;
    return { processorMs, memoryMb: Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1_024 };
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

/** Whether a process has lost its priority, or is gone. */
export function hasLoweredPriority(pid: number): boolean {
  try {
    return getPriority(pid) > getPriority();
  } catch (error) {
    if (isGone(error)) return true;
    throw error;
  }
}

/** Lowers the priority of each thread of a process, for good: an ordinary user cannot raise it again. */
async function yieldToOthers(pid: number): Promise<void> {
  try {
    // Linux keeps a priority for each thread; new ones inherit that of their maker (man 2 setpriority).
    for (const thread of await readdir(`/proc/${pid}/task`)) setPriority(Number(thread), constants.priority.PRIORITY_BELOW_NORMAL);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

/** Whether a process, or one of its threads, has ended meanwhile. */
function isGone(error: unknown): boolean {
  return error instanceof Error && "code" in error && ["ENOENT", "ESRCH", "ERR_SYSTEM_ERROR"].includes(String(error.code));
}
