// Which ranges of days the partitions of a table have. Pure: no database, no clock.
import { dayMs, iso } from "../../../base/time.ts";
import type { GrowingTable } from "./growing-tables.ts";

/** For how long partitions are made in advance. */
const aheadMs = 7 * dayMs;

/** Days since the epoch, the end excluded. */
export interface DayRange {
  from: number;
  to: number;
}

/** The day of an instant (ms since the epoch). */
export function dayOf(instant: number): number {
  return Math.floor(instant / dayMs);
}

/** The last day, excluded, for which partitions are made at `now`. */
export function endOfAhead(now: number): number {
  return dayOf(now + aheadMs) + 1;
}

/** The ranges of `days` each, aligned to the epoch, that have one of `wanted`. */
export function rangesAround(wanted: readonly number[], days: number): DayRange[] {
  const slots = new Set(wanted.map((day) => Math.floor(day / days)));
  return [...slots].toSorted((one, other) => one - other).map((slot) => ({ from: slot * days, to: (slot + 1) * days }));
}

/** The parts of `range` that none of `taken` covers: partitions of another length may be there. */
export function freeParts(range: DayRange, taken: readonly DayRange[]): DayRange[] {
  const free: DayRange[] = [];
  let { from } = range;
  for (const each of taken.toSorted((one, other) => one.from - other.from)) {
    if (each.to <= from || each.from >= range.to) continue;
    if (each.from > from) free.push({ from, to: each.from });
    from = Math.max(from, each.to);
  }
  if (from < range.to) free.push({ from, to: range.to });
  return free;
}

/** The name of a partition: no other one of its table begins on that day. */
export function partitionName({ name }: GrowingTable, { from }: DayRange): string {
  return `${name}_${iso(from * dayMs)
    .slice(0, 10)
    .replaceAll("-", "")}`;
}

export function defaultName({ name }: GrowingTable): string {
  return `${name}_default`;
}
