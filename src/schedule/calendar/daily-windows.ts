// Windows that begin at one time of day, on days given by a rule or by weekdays.
import { dayMs } from "../../base/time.ts";
import type { Opening } from "../../protocol/scheduling/opening-hours.ts";
import type { Interval } from "./intervals.ts";
import { openingsOfWeek, openingTimes } from "./opening-hours.ts";
import { dayOf, weekdayOf } from "./day-numbers.ts";
import type { WallClock } from "./time-zone.ts";

/** The windows of a schedule or a condition, computed for the range that is asked for. */
export interface Windows {
  /** False: no window touches the range. Cheap; true more often than necessary. */
  mayTouch(from: number, until: number): boolean;
  /** All windows that touch the range, not cut to it, by start. */
  touching(from: number, until: number): Interval[];
}

/** The days on which windows begin; `first` and `last` included. */
export interface StartDays {
  hasAny(first: number, last: number): boolean;
  between(first: number, last: number): number[];
}

/** A window on each of `days` that begins `timeMs` after midnight and lasts `lengthMs` on the wall clock. */
export function dailyWindows(days: StartDays, timeMs: number, lengthMs: number, clock: WallClock): Windows {
  // One more day on either side: clocks change by hours, and once changed by a day.
  const firstDay = (from: number) => dayOf(clock.wallAt(from) - lengthMs - timeMs) - 1;
  const lastDay = (until: number) => dayOf(clock.wallAt(until) - timeMs) + 1;
  return {
    mayTouch: (from, until) => days.hasAny(firstDay(from), lastDay(until)),
    touching: (from, until) => {
      const windows: Interval[] = [];
      for (const day of days.between(firstDay(from), lastDay(until))) {
        const start = day * dayMs + timeMs;
        const window = { from: clock.instantOf(start), until: clock.instantOf(start + lengthMs) };
        // A window that lies completely in the hour that the spring change skips does not exist.
        if (window.from < window.until && window.from < until && window.until > from) windows.push(window);
      }
      return windows;
    },
  };
}

/** The windows of one opening. They count by the weekday on which they begin, even if they last past midnight. */
export function daypartWindows(opening: Opening, clock: WallClock): Windows {
  const { days, timeMs, lengthMs } = openingTimes(opening);
  return dailyWindows(onWeekdays(days), timeMs, lengthMs, clock);
}

/**
 * The windows in which any of the openings is open. Openings that touch or overlap on the wall clock are one window, which
 * begins with the first of them; a week without a gap is one endless window.
 */
export function openingHoursWindows(openings: readonly Opening[], clock: WallClock): Windows {
  const week = openingsOfWeek(openings);
  if (week === null) return oneWindow({ from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY });
  // One set of windows for the weekdays that have the same hours.
  const byHours = Map.groupBy(week, ({ from, until }) => `${from % dayMs} ${until - from}`);
  const parts = [...byHours.values()].map((intervals) => {
    const { from, until } = intervals[0]!;
    return dailyWindows(onWeekdays(intervals.map((each) => dayOf(each.from))), from % dayMs, until - from, clock);
  });
  return {
    mayTouch: (from, until) => parts.some((part) => part.mayTouch(from, until)),
    touching: (from, until) => parts.flatMap((part) => part.touching(from, until)).toSorted((a, b) => a.from - b.from),
  };
}

/** A single window. */
export function oneWindow(window: Interval): Windows {
  const mayTouch = (from: number, until: number) => window.from < window.until && window.from < until && window.until > from;
  return { mayTouch, touching: (from, until) => (mayTouch(from, until) ? [window] : []) };
}

function onWeekdays(weekdays: readonly number[]): StartDays {
  return {
    hasAny: () => true,
    between: (first, last) =>
      Array.from({ length: last - first + 1 }, (_, index) => first + index).filter((day) => weekdays.includes(weekdayOf(day))),
  };
}
