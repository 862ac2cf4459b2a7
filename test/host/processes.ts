// Finds a browser's processes in /proc.
import { readdir, readFile, readlink } from "node:fs/promises";
import { signalIfThere } from "../support/programs/signal-if-there.ts";

/** A process whose command line names a folder. */
export interface ProcessInfo {
  pid: number;
  /** The parent's process id. */
  parent: number;
  commandLine: string;
  /** Such as `renderer`; empty for the browser itself. */
  type: string;
  /** From /proc/<pid>/status. */
  status: string;
}

/** Every process with `text` in its command line. */
export async function processesNaming(text: string): Promise<ProcessInfo[]> {
  const found: ProcessInfo[] = [];
  for (const pid of (await readdir("/proc")).map(Number).filter((id) => id > 0 && id !== process.pid)) {
    const commandLine = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    if (!commandLine.includes(text)) continue;
    const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
    // A zombie process has ended already.
    if (status === "" || /^State:\s+Z/m.test(status)) continue;
    const parent = Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]);
    found.push({ pid, parent, commandLine, type: /--type=([\w-]+)/.exec(commandLine)?.[1] ?? "", status });
  }
  return found;
}

/** Ends the processes by kill -9. One that has ended meanwhile, such as a spare renderer, is no error. */
export function killAll(pids: readonly number[]): void {
  for (const pid of pids) signalIfThere(pid, "SIGKILL");
}

/** When a process was started, in clock ticks (proc_pid_stat(5)). Process ids wrap around, so they do not give the order. */
export async function startTimeOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]);
}

/** The process that listens on a TCP port of this machine. @throws Error if no process listens. */
export async function pidListeningOn(port: number): Promise<number> {
  const hex = port.toString(16).toUpperCase().padStart(4, "0");
  // Local address, state 0A (listening), inode: see proc(5), /proc/net/tcp.
  const line = (await readFile("/proc/net/tcp", "utf8")).split("\n").find((one) => new RegExp(`^\\s*\\d+: \\w+:${hex} \\S+ 0A`).test(one));
  const inode = line?.trim().split(/\s+/)[9];
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    for (const fd of await readdir(`/proc/${pid}/fd`).catch(() => [])) {
      const target = await readlink(`/proc/${pid}/fd/${fd}`).catch(() => "");
      if (inode !== undefined && target === `socket:[${inode}]`) return Number(pid);
    }
  }
  throw new Error(`no process listens on port ${port}`);
}

/** All processes that were started by this one, directly or by another one of them, with their start times. */
export async function descendantsOf(pid: number): Promise<{ pid: number; name: string; startTime: number }[]> {
  const found: { pid: number; name: string; startTime: number }[] = [];
  const parents = [pid];
  for (const parent of parents) {
    for (const task of await readdir(`/proc/${parent}/task`).catch(() => [])) {
      const children = await readFile(`/proc/${parent}/task/${task}/children`, "utf8").catch(() => "");
      for (const child of children.split(" ").filter(Boolean).map(Number)) {
        const name = await readFile(`/proc/${child}/comm`, "utf8").catch(() => null);
        const startTime = await startTimeOf(child).catch(() => null);
        if (name === null || startTime === null) continue; // it has ended meanwhile
        found.push({ pid: child, name: name.trim(), startTime });
        parents.push(child);
      }
    }
  }
  return found;
}

/** Whether this process runs: no other process has its id, and it is no zombie. */
export async function isAlive({ pid, startTime }: { pid: number; startTime: number }): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return stat !== "" && fields[0] !== "Z" && Number(fields[19]) === startTime;
}
