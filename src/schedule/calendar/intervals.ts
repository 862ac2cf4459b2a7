// Half-open intervals of time, and set operations on ordered lists of them.

/** From `from` to `until` in ms, the end excluded; Infinity if it is open. */
export interface Interval {
  from: number;
  until: number;
}

/** The same time in intervals that neither touch nor overlap, in order. */
export function joinIntervals(intervals: readonly Interval[]): Interval[] {
  const union: Interval[] = [];
  for (const { from, until } of intervals.toSorted((a, b) => a.from - b.from)) {
    const last = union.at(-1);
    if (last !== undefined && from <= last.until) last.until = Math.max(last.until, until);
    else union.push({ from, until });
  }
  return union;
}

/** The time that both have in common; null if there is none. */
export function intersect(a: Interval, b: Interval): Interval | null {
  const common = { from: Math.max(a.from, b.from), until: Math.min(a.until, b.until) };
  return common.from < common.until ? common : null;
}

/** The parts of `intervals` that lie in one of `cuts`, by start. The cuts are in order and do not overlap each other. */
export function intersectAll(intervals: readonly Interval[], cuts: readonly Interval[]): Interval[] {
  const parts: Interval[] = [];
  for (const interval of intervals) {
    for (let index = firstEndingAfter(cuts, interval.from); index < cuts.length && cuts[index]!.from < interval.until; index += 1) {
      const part = intersect(interval, cuts[index]!);
      if (part !== null) parts.push(part);
    }
  }
  return parts.toSorted((a, b) => a.from - b.from);
}

/** The index of the first of `cuts` that ends after `instant`. */
function firstEndingAfter(cuts: readonly Interval[], instant: number): number {
  let [low, high] = [0, cuts.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (cuts[middle]!.until <= instant) low = middle + 1;
    else high = middle;
  }
  return low;
}
