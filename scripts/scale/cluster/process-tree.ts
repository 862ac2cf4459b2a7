// Finds a process and all its descendants. Those of PostgreSQL and Node have process groups of their own.
import { readdirSync } from "node:fs";
import { readProc } from "../../../bench/lib.ts";

/** The ids of the process, if it is there and has not ended, and of its descendants. The parent comes first. */
export function descendantsOf(root: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = readProc(Number(name), "stat");
    // The name in parentheses may contain anything; state and parent follow it.
    const [, state, parent] = /\) (\S) (\d+)/.exec(stat?.slice(stat.lastIndexOf(")")) ?? "") ?? [];
    if (state !== undefined && state !== "Z" && state !== "X") parents.set(Number(name), Number(parent));
  }
  const found = parents.has(root) ? [root] : [];
  for (const pid of found) for (const [child, parent] of parents) if (parent === pid) found.push(child);
  return found;
}
