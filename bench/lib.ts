// Shared functions of the benchmarks: figures as JSON lines, statistics, pixels of an Xvfb screen, resource usage.
import { readdirSync, readFileSync } from "node:fs";
import { hasErrorCode } from "../src/base/fault.ts";
import { loopEpochMs } from "../src/protocol/device/desired-state.ts";
import type { Framebuffer, Rgb } from "../test/support/browser/framebuffer.ts";

/** Prints one figure as a JSON line. */
export function printFigure(name: string, about: Record<string, number | string>): void {
  process.stdout.write(`${JSON.stringify({ figure: name, ...about })}\n`);
}

/** p50, p99, minimum and maximum of `values`, rounded to a tenth. */
export function percentiles(values: readonly number[]): { n: number; p50: number; p99: number; min: number; max: number } {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => Math.round(10 * sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!) / 10;
  return { n: sorted.length, p50: at(0.5), p99: at(0.99), min: at(0), max: at(1) };
}

/** The mean of `values`, rounded to a tenth. */
export function mean(values: readonly number[]): number {
  return Math.round((10 * sum(values)) / values.length) / 10;
}

/** A point that no pointer covers: an X server's rests in the centre, and plain Chromium shows it. */
export const uncovered = [480, 270] as const;

/** Resolves to the time (performance.now(), ms) at which the pixel at {@link uncovered} has the colour. Polls about every millisecond. */
export async function waitForPixel(framebuffer: Framebuffer, color: Rgb): Promise<number> {
  for (;;) {
    if (framebuffer.pixel(...uncovered).every((value, channel) => Math.abs(value - color[channel]!) <= 6)) return performance.now();
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** The resource usage of a process and its descendants. */
export interface Usage {
  /** CPU time so far. */
  cpuMs: number;
  /** Proportional set size (PSS). */
  pssBytes: number;
  processes: number;
  /**
   * Private (anonymous) memory by the role of the process: `node`, `browser`, `renderer`, `gpu-process`, a service such as `network`, …
   * Unlike PSS it does not rise when other browsers on the machine end.
   */
  ownByRole: Record<string, number>;
  /** The share of shared memory. Chromium caches decoded pictures there, up to its own limit. */
  sharedBytes: number;
}

/** Measures a process and its descendants. Linux only. */
export function usageOf(root: number): Usage {
  const inTree = processTree(root);
  const ownByRole: Record<string, number> = {};
  for (const { pid } of inTree) {
    const role = roleOf(pid);
    ownByRole[role] = (ownByRole[role] ?? 0) + memoryOf(pid, "Pss_Anon") + memoryOf(pid, "SwapPss");
  }
  return {
    cpuMs: inTree.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
    pssBytes: inTree.reduce((sum, { pid }) => sum + memoryOf(pid, "Pss"), 0),
    processes: inTree.length,
    ownByRole,
    sharedBytes: inTree.reduce((sum, { pid }) => sum + memoryOf(pid, "Pss_Shmem"), 0),
  };
}

/** What a process and its descendants have written to disks so far, by process id. Linux only. */
export function writtenBytes(root: number): Map<number, { role: string; bytes: number }> {
  const known = new Map<number, { role: string; bytes: number }>();
  for (const { pid } of processTree(root)) {
    const io = readProc(pid, "io") ?? "";
    const bytes = (name: string): number => Number(new RegExp(`^${name}: (\\d+)$`, "m").exec(io)?.[1] ?? 0);
    // Memory file systems do not count. What was removed before it reached the disk is subtracted.
    known.set(pid, { role: roleOf(pid), bytes: bytes("write_bytes") - bytes("cancelled_write_bytes") });
  }
  return known;
}

function processTree(root: number): { pid: number; parent: number; cpuMs: number }[] {
  const stats = readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? (statOf(Number(name)) ?? []) : []));
  const tree = new Set([root]);
  // A child may come before its parent in the list.
  for (let size = 0; size !== tree.size;) {
    size = tree.size;
    for (const { pid, parent } of stats) if (tree.has(parent)) tree.add(pid);
  }
  return stats.filter(({ pid }) => tree.has(pid));
}

/** The role of a process. Chromium's processes name it on their command line. */
function roleOf(pid: number): string {
  const line = readProc(pid, "cmdline") ?? "";
  const service = /--utility-sub-type=(\w+)/.exec(line)?.[1];
  const type = /--type=([\w-]+)/.exec(line)?.[1];
  return service ?? type ?? (/chrom/.test(line.split("\0")[0]!) ? "browser" : "node");
}

// USER_HZ is 100 on every supported Linux architecture.
const tickMs = 10;

function statOf(pid: number): { pid: number; parent: number; cpuMs: number } | null {
  const text = readProc(pid, "stat");
  if (text === null) return null;
  // The name in parentheses may contain spaces, so count the fields after it.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { pid, parent: Number(fields[1]), cpuMs: (Number(fields[11]) + Number(fields[12])) * tickMs };
}

function memoryOf(pid: number, what: "Pss" | "Pss_Anon" | "Pss_Shmem" | "SwapPss"): number {
  const kilobytes = new RegExp(`^${what}:\\s+(\\d+) kB$`, "m").exec(readProc(pid, "smaps_rollup") ?? "")?.[1];
  return Number(kilobytes ?? 0) * 1_024;
}

/** A file of /proc; null when the process has ended. */
export function readProc(pid: number, file: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ESRCH")) return null;
    throw error;
  }
}

/** The distance in ms of `wall` from the nearest item boundary of a loop that starts at the epoch. */
export function latenessOf(wall: number, durations: readonly number[]): number {
  const into = (wall - loopEpochMs) % sum(durations);
  let boundary = 0;
  let nearest = into;
  for (const duration of durations) {
    boundary += duration;
    if (Math.abs(into - boundary) < Math.abs(nearest)) nearest = into - boundary;
  }
  return nearest;
}

/** The slope of the least-squares line through the points, in parts per million. */
export function slopePpm(xs: readonly number[], ys: readonly number[]): number {
  const meanX = sum(xs) / xs.length;
  const meanY = sum(ys) / ys.length;
  const over = sum(xs.map((x, index) => (x - meanX) * (ys[index]! - meanY)));
  return Math.round((1e7 * over) / sum(xs.map((x) => (x - meanX) ** 2))) / 10;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
