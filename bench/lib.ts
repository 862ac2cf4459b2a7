// What the measurements share: figures as JSON lines, percentiles, and a watch on pixels of an Xvfb screen.
import { readdirSync, readFileSync } from "node:fs";
import { loopEpochMs } from "../src/protocol/device/desired-state.ts";
import type { Framebuffer, Rgb } from "../test/support/browser/framebuffer.ts";

/** Prints one figure as one JSON line. */
export function printFigure(name: string, about: Record<string, number | string>): void {
  process.stdout.write(`${JSON.stringify({ figure: name, ...about })}\n`);
}

/** p50, p99, least and greatest of `values`, rounded to a tenth. */
export function percentiles(values: readonly number[]): { n: number; p50: number; p99: number; min: number; max: number } {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => Math.round(10 * sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!) / 10;
  return { n: sorted.length, p50: at(0.5), p99: at(0.99), min: at(0), max: at(1) };
}

/** The mean of `values`, rounded to a tenth. */
export function mean(values: readonly number[]): number {
  return Math.round((10 * sum(values)) / values.length) / 10;
}

/** Resolves to the instant (performance.now(), ms) at which the pixel has the colour; looked at about every millisecond. */
export async function waitForPixel(framebuffer: Framebuffer, color: Rgb, x = 960, y = 540): Promise<number> {
  for (;;) {
    if (framebuffer.pixel(x, y).every((value, channel) => Math.abs(value - color[channel]!) <= 6)) return performance.now();
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** What a process and all below it take. */
export interface Usage {
  /** Processor time so far. */
  cpuMs: number;
  /** Their share of the memory (PSS). */
  pssBytes: number;
  processes: number;
  /**
   * Memory of their own (anonymous), by what the process does: `node`, `browser`, `renderer`, `gpu-process`, `utility`, …
   * Unlike PSS it does not rise when other browsers on the machine end.
   */
  ownByRole: Record<string, number>;
  /** Their share of memory that processes hand each other. Chromium lets decoded pictures lie there, up to a limit of its own. */
  sharedBytes: number;
}

/** What a process and all below it take. Linux only. */
export function usageOf(root: number): Usage {
  const stats = readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? (statOf(Number(name)) ?? []) : []));
  const tree = new Set([root]);
  // A child may stand before its parent in the list.
  for (let size = 0; size !== tree.size;) {
    size = tree.size;
    for (const { pid, parent } of stats) if (tree.has(parent)) tree.add(pid);
  }
  const inTree = stats.filter(({ pid }) => tree.has(pid));
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

/** Chromium's children say on their command line what they are for. */
function roleOf(pid: number): string {
  const line = readProc(pid, "cmdline") ?? "";
  const type = /--type=([\w-]+)/.exec(line)?.[1];
  return type ?? (/chrom/.test(line.split("\0")[0]!) ? "browser" : "node");
}

// USER_HZ is 100 on every Linux architecture we run on.
const tickMs = 10;

function statOf(pid: number): { pid: number; parent: number; cpuMs: number } | null {
  const text = readProc(pid, "stat");
  if (text === null) return null;
  // The name in parentheses may hold spaces: the fields are counted from behind it.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { pid, parent: Number(fields[1]), cpuMs: (Number(fields[11]) + Number(fields[12])) * tickMs };
}

function memoryOf(pid: number, what: "Pss" | "Pss_Anon" | "Pss_Shmem" | "SwapPss"): number {
  const kilobytes = new RegExp(`^${what}:\\s+(\\d+) kB$`, "m").exec(readProc(pid, "smaps_rollup") ?? "")?.[1];
  return Number(kilobytes ?? 0) * 1_024;
}

/** Null when the process has ended meanwhile. */
function readProc(pid: number, file: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ESRCH")) return null;
    throw error;
  }
}

/** How long after the nearest boundary of a loop that counts from the epoch `wall` is, in ms. */
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

/** The slope of the straight line of least squares through the points, in parts per million. */
export function slopePpm(xs: readonly number[], ys: readonly number[]): number {
  const meanX = sum(xs) / xs.length;
  const meanY = sum(ys) / ys.length;
  const over = sum(xs.map((x, index) => (x - meanX) * (ys[index]! - meanY)));
  return Math.round((1e7 * over) / sum(xs.map((x) => (x - meanX) ** 2))) / 10;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
