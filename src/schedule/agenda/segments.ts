// Cuts a span of time into segments, each with the schedule that wins in it.
import type { Interval } from "../calendar/intervals.ts";
import { byRank, type ActiveSchedule } from "./active-schedule.ts";

/** The schedule that wins from `from` to `until`; null: none is active. */
export interface Segment extends Interval {
  winner: ActiveSchedule | null;
}

/** The segments from `from` to `until`, without a gap: each window, the highest rank first, takes the time that is still free. */
export function segmentsOf(windows: readonly ActiveSchedule[], from: number, until: number): Segment[] {
  const starts = edgesOf(windows, from, until);
  const winners: (ActiveSchedule | null)[] = Array.from({ length: starts.length - 1 }, () => null);
  // A cell is the time between two neighbouring edges of windows; it is free until a window takes it. `nextFree[cell]` is the cell
  // itself while it is free, else a later one, from which the search continues (union-find).
  const nextFree = Int32Array.from({ length: starts.length }, (_, cell) => cell);
  const findFree = (cell: number): number => {
    let free = cell;
    while (nextFree[free] !== free) {
      nextFree[free] = nextFree[nextFree[free]!]!;
      free = nextFree[free]!;
    }
    return free;
  };
  for (const window of windows.toSorted(byRank)) {
    const end = lastIndexAtOrBefore(starts, Math.min(window.until, until));
    for (let cell = findFree(lastIndexAtOrBefore(starts, Math.max(window.from, from))); cell < end; cell = findFree(cell)) {
      winners[cell] = window;
      nextFree[cell] = cell + 1;
    }
  }
  const segments: Segment[] = [];
  for (const [cell, winner] of winners.entries()) {
    const previous = segments.at(-1);
    if (previous !== undefined && previous.winner === winner) previous.until = starts[cell + 1]!;
    else segments.push({ from: starts[cell]!, until: starts[cell + 1]!, winner });
  }
  return segments;
}

/** The index of the last of `starts` that is not after `instant`. */
export function lastIndexAtOrBefore(starts: Float64Array, instant: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (starts[middle]! <= instant) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** `from`, `until` and the instants between them at which a window begins or ends, in order and each once. */
function edgesOf(windows: readonly ActiveSchedule[], from: number, until: number): Float64Array {
  const edges = new Float64Array(2 * windows.length + 2).fill(from);
  edges[0] = until;
  for (const [index, window] of windows.entries()) {
    edges[2 * index + 1] = Math.max(window.from, from);
    edges[2 * index + 2] = Math.min(window.until, until);
  }
  edges.sort();
  return edges.filter((edge, index) => index === 0 || edge !== edges[index - 1]);
}
