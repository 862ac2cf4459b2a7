// Cuts windows by the dates of a calendar.
import { dayMs } from "../../base/time.ts";
import { intersect, type Interval } from "./intervals.ts";
import { midnightOf } from "./moments.ts";
import { dayOf } from "./day-numbers.ts";
import type { WallClock } from "./time-zone.ts";

/** Consecutive days, counted from 1970-01-01; `end` excluded. */
interface DayRun {
  first: number;
  end: number;
}

interface CalendarDays {
  all: ReadonlySet<number>;
  onDates: readonly DayRun[];
  offDates: readonly DayRun[];
}

// Many schedules refer to the same calendar: compute its days once.
const daysByDates = new WeakMap<readonly string[], CalendarDays>();

/**
 * The parts of `windows` on the dates of a calendar, or except on them. A window of at most a day on the wall clock counts by
 * the day on which it begins, as it does for a weekday: a night that begins on the 24th belongs to the 24th. A longer window is
 * cut to whole days.
 * @param isListed true: only on the dates; false: except on them.
 * @param range parts outside of it may be missing.
 */
export function cutByDates(
  windows: readonly Interval[],
  dates: readonly string[],
  isListed: boolean,
  clock: WallClock,
  range: Interval,
): Interval[] {
  const days = daysOf(dates);
  const parts = windows.flatMap((window): readonly Interval[] => {
    const start = clock.wallAt(window.from);
    // Compare the last millisecond: an end in the hour that the spring change skips reads as an hour later.
    const isShort = Number.isFinite(window.until) && clock.wallAt(window.until - 1) - start < dayMs;
    if (isShort) return days.all.has(dayOf(start)) === isListed ? [window] : [];
    return cutToRuns(window, isListed ? days.onDates : days.offDates, clock, range);
  });
  return parts.toSorted((a, b) => a.from - b.from);
}

function cutToRuns(window: Interval, runs: readonly DayRun[], clock: WallClock, range: Interval): Interval[] {
  // Two more days on either side: a wall clock differs from UTC by less than that.
  const first = dayOf(Math.max(range.from, window.from)) - 2;
  const last = dayOf(Math.min(range.until, window.until)) + 2;
  return runs.flatMap((run) => {
    if (run.end < first || run.first > last) return [];
    return intersect(window, { from: midnightAt(run.first, clock), until: midnightAt(run.end, clock) }) ?? [];
  });
}

function midnightAt(day: number, clock: WallClock): number {
  return Number.isFinite(day) ? clock.instantOf(day * dayMs) : day;
}

function daysOf(dates: readonly string[]): CalendarDays {
  let days = daysByDates.get(dates);
  if (days === undefined) daysByDates.set(dates, (days = computeDays(dates)));
  return days;
}

function computeDays(dates: readonly string[]): CalendarDays {
  const numbers = dates.map((date) => dayOf(midnightOf(date))).toSorted((a, b) => a - b);
  const onDates: DayRun[] = [];
  for (const day of numbers) {
    const last = onDates.at(-1);
    if (last !== undefined && day <= last.end) last.end = Math.max(last.end, day + 1);
    else onDates.push({ first: day, end: day + 1 });
  }
  const starts = [Number.NEGATIVE_INFINITY, ...onDates.map(({ end }) => end)];
  const offDates = starts.map((first, index): DayRun => ({ first, end: onDates[index]?.first ?? Number.POSITIVE_INFINITY }));
  return { all: new Set(numbers), onDates, offDates };
}
