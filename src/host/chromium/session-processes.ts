// Reads the processes of a browser's session from /proc: their kinds, those that are stopped, and their memory.
import { readdir, readFile } from "node:fs/promises";
import { type BrowserMemory, noBrowserMemory } from "../../player/host.ts";

/** A process of a browser. */
export interface SessionProcess {
  pid: number;
  /** The process id of its parent. */
  parent: number;
  /** `browser`, `zygote`, `renderer`, `gpu-process`, the sub-type of a utility such as `network.mojom.NetworkService`, or `unknown`. */
  kind: string;
  /** True if a signal has stopped it (SIGSTOP). Neither load nor a debugger does this. */
  isStopped: boolean;
}

const memoryKinds = new Map<string, keyof BrowserMemory>([
  ["browser", "browser"],
  ["renderer", "page"],
  ["gpu-process", "gpu"],
]);

/** All processes of the session of the browser with the process id `browser`, except those that have ended and wait for their parent. */
export async function sessionProcesses(browser: number): Promise<SessionProcess[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const stats = await Promise.all(ids.map(readStat));
  const members = ids.flatMap((pid, at) => {
    const { state, parent, session } = stats[at]!;
    return session === browser && state !== "Z" ? [{ pid, parent, isStopped: state === "T" }] : [];
  });
  return Promise.all(members.map(async (each) => ({ ...each, kind: each.pid === browser ? "browser" : await readKind(each.pid) })));
}

async function readStat(pid: number): Promise<{ state: string; parent: number; session: number }> {
  // "pid (name, which may contain spaces and brackets) state ppid pgrp session …". Processes may have ended meanwhile.
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const [state = "", parent, , session] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { state, parent: Number(parent ?? 0), session: Number(session ?? 0) };
}

async function readKind(pid: number): Promise<string> {
  const text = await commandLine(pid);
  return /[\0 ]--utility-sub-type=([^\0 ]+)/.exec(text)?.[1] ?? /[\0 ]--type=([^\0 ]+)/.exec(text)?.[1] ?? "unknown";
}

/** The arguments of a process, each followed by NUL; Chromium writes spaces instead. Empty when the process is gone. */
export function commandLine(pid: number): Promise<string> {
  return readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
}

/** Memory of all processes of the browser's session in bytes, shared memory counted once. */
export async function sessionMemory(browser: number): Promise<BrowserMemory> {
  const processes = await sessionProcesses(browser);
  return memoryByKind(await Promise.all(processes.map(async ({ pid, kind }) => ({ kind, bytes: await processMemoryBytes(pid) }))));
}

/** Sums up the memory of processes, each with its {@link SessionProcess.kind}. */
export function memoryByKind(processes: readonly { kind: string; bytes: number }[]): BrowserMemory {
  const memory = { ...noBrowserMemory };
  for (const { kind, bytes } of processes) memory[memoryKinds.get(kind) ?? "other"] += bytes;
  return memory;
}

/** Memory of all kinds together. */
export function totalMemory({ browser, page, gpu, other }: BrowserMemory): number {
  return browser + page + gpu + other;
}

/** A process's memory in bytes, with its share of shared memory; 0 when the process is gone. */
export async function processMemoryBytes(pid: number): Promise<number> {
  // A sandboxed process may hide its maps; then its private memory (RssAnon) is the best approximation.
  const text = await readFile(`/proc/${pid}/smaps_rollup`, "utf8").catch(() => readFile(`/proc/${pid}/status`, "utf8").catch(() => ""));
  return Number(/^(?:Pss|RssAnon):\s+(\d+) kB/m.exec(text)?.[1] ?? 0) * 1024;
}
