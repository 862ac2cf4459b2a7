// Decides from when a loop counts if its layout stays for less than one loop. Depends on the schedule, not on past plays.
import { dayMs, hourMs } from "../../base/time.ts";
import type { Interval } from "../calendar/intervals.ts";

/**
 * The instant at which the loop of `loopMs` restarts in `run`, so that its limited items play even in a run too short for a
 * whole loop. Null: the loop counts from its epoch, as it does in every longer run and within an hour of one.
 *
 * Runs less than an hour apart share the plays of the hour: the loop restarts in the first of them, and again an hour later
 * at the earliest.
 * @param runs all runs of the same layout around `run`, in order, `run` included
 * @param hasEarlier whether there may be runs before the first of `runs`
 */
export function loopRestart(run: Interval, runs: readonly Interval[], hasEarlier: boolean, loopMs: number): number | null {
  const isLong = ({ from, until }: Interval) => until - from >= loopMs;
  const chain = chainOf(run, runs);
  if (isLong(run) || chain.some((next) => isLong(next) && next.from > run.from && next.from < run.until + hourMs)) return null;
  const firstDay = hasEarlier && chain[0] === runs[0] ? Math.floor(run.from / dayMs) : Number.NEGATIVE_INFINITY;
  let restart: number | null = null;
  let lastRestart = Number.NEGATIVE_INFINITY;
  for (const each of chain) {
    const { from, until } = each;
    if (from > run.from) break;
    if (isLong(each)) {
      // Its loop counts from the epoch and may begin a limited item until its end.
      [restart, lastRestart] = [null, until];
      continue;
    }
    // In a chain of short runs that lasts for days, the loop restarts in the first run of each UTC day, to bound the search.
    if (restart === null && lastRestart < from - hourMs && Math.floor(from / dayMs) < firstDay) continue;
    if (from - lastRestart >= hourMs) restart = from;
    if (restart !== null) lastRestart = restart + Math.floor((until - 1 - restart) / loopMs) * loopMs;
  }
  return restart;
}

/** The runs around `run` that are less than an hour apart, `run` included. */
function chainOf(run: Interval, runs: readonly Interval[]): Interval[] {
  let first = runs.findIndex(({ from }) => from === run.from);
  let last = first;
  while (first > 0 && runs[first]!.from - runs[first - 1]!.until < hourMs) first -= 1;
  while (last < runs.length - 1 && runs[last + 1]!.from - runs[last]!.until < hourMs) last += 1;
  return runs.slice(first, last + 1);
}
