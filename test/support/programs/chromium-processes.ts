// Finds the Chromium processes that a player has started.
import { readdir, readFile } from "node:fs/promises";
import type { Program } from "./programs.ts";

/** Kinds of Chromium processes; the browser itself is the one without a type, and a utility has the name of its service. */
export type ChromiumProcessKind =
  | "browser"
  | "renderer"
  | "gpu-process"
  | "zygote"
  | "network.mojom.NetworkService"
  | "storage.mojom.StorageService";

/** The ids of the player's Chromium processes of one kind. */
export async function chromiumProcesses(player: Program, kind: ChromiumProcessKind): Promise<number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const processes = await Promise.all(pids.map(readProcess));
  const descendants = new Set([player.pid]);
  for (let before = 0; before !== descendants.size;) {
    before = descendants.size;
    for (const { pid, parent } of processes) if (descendants.has(parent)) descendants.add(pid);
  }
  return processes.filter(({ pid, type, isChromium }) => isChromium && descendants.has(pid) && type === kind).map(({ pid }) => pid);
}

/** A process as /proc describes it; an ended one has no parent. */
async function readProcess(pid: number): Promise<{ pid: number; parent: number; type: string; isChromium: boolean }> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const argv = (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).split("\0");
  return {
    pid,
    parent: Number(/\) \S (\d+)/.exec(stat)?.[1]),
    type: /--(?:utility-sub-type|type)=((?!utility)\S+)/.exec(argv.join(" "))?.[1] ?? "browser",
    isChromium: argv[0]?.includes("chromium") ?? false,
  };
}
