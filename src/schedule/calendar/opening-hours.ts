// Arithmetic on opening hours: when an opening begins on each weekday, and the openings of a week joined.
import { dayMs, minuteMs } from "../../base/time.ts";
import { weekdays, type Opening } from "../../protocol/scheduling/opening-hours.ts";
import { joinIntervals, type Interval } from "./intervals.ts";

/** When an opening begins after midnight, on which weekdays (0 = Monday), and how long it lasts. */
export interface OpeningTimes {
  days: number[];
  timeMs: number;
  lengthMs: number;
}

const weekMs = 7 * dayMs;

export function openingTimes({ weekdays: names, from, until }: Opening): OpeningTimes {
  const days = [...weekdays.keys()].filter((day) => names === undefined || names.includes(weekdays[day]!));
  const [timeMs, endMs] = [msAfterMidnight(from), msAfterMidnight(until)];
  return { days, timeMs, lengthMs: endMs > timeMs ? endMs - timeMs : endMs - timeMs + dayMs };
}

/**
 * The intervals of a week in which at least one of `openings` is open, in ms since Monday 00:00. Each begins in that week;
 * intervals that touch or overlap are joined, also across the end of the week. Null: always open.
 */
export function openingsOfWeek(openings: readonly Opening[]): Interval[] | null {
  const week = openings.flatMap((opening) => {
    const { days, timeMs, lengthMs } = openingTimes(opening);
    return days.map((day) => ({ from: day * dayMs + timeMs, until: day * dayMs + timeMs + lengthMs }));
  });
  // The weeks before and after too, since openings join across the ends of the week.
  const threeWeeks = [-weekMs, 0, weekMs].flatMap((by) => week.map(({ from, until }) => ({ from: from + by, until: until + by })));
  const union = joinIntervals(threeWeeks);
  if (union.some(({ from, until }) => until - from >= weekMs)) return null;
  return union.filter(({ from }) => from >= 0 && from < weekMs);
}

function msAfterMidnight(time: string): number {
  const [hours, minutes] = time.split(":");
  return (Number(hours) * 60 + Number(minutes)) * minuteMs;
}
