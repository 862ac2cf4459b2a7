// When recurring commands run: at times of the day on a wall clock, on some weekdays and dates. Pure.
import { dayMs, minuteMs } from "../../base/time.ts";
import type { RecurringCommand } from "../../protocol/device/recurring-commands.ts";
import { weekdays } from "../../protocol/scheduling/opening-hours.ts";
import type { CalendarDates } from "../calendar/condition-cuts.ts";
import { dayOf, weekdayOf } from "../calendar/day-numbers.ts";
import type { WallClock } from "../calendar/time-zone.ts";
import { daysOf } from "./display-hours.ts";

/** The fields that decide when a command runs. */
export type Recurrence = Pick<RecurringCommand, "at" | "weekdays" | "calendar">;

/** The clock that the times are read on, and the dates of calendars. A calendar that is missing has no dates. */
export interface OnClock {
  clock: WallClock;
  calendars: CalendarDates;
}

// A command may run on one date of the year only.
const lookaheadDays = 400;

/**
 * The instants after `from` up to and including `to` at which a command runs, in order. A time that a clock change skips is the instant
 * of the change; one that comes twice is the first of the two.
 */
export function runsBetween(recurrence: Recurrence, { clock, calendars }: OnClock, from: number, to: number): number[] {
  const runs = new Set<number>();
  const isOn = dayFilter(recurrence, calendars);
  // One more day on either side: time zones have moved by a day across the date line.
  for (let day = dayOf(clock.wallAt(from)) - 1; day <= dayOf(clock.wallAt(to)) + 1; day += 1) {
    if (!isOn(day)) continue;
    for (const time of recurrence.at) {
      const run = clock.instantOf(day * dayMs + timeOf(time));
      if (run > from && run <= to) runs.add(run);
    }
  }
  return [...runs].toSorted((a, b) => a - b);
}

/** The first instant after `from` at which a command runs; null: none within a year. */
export function nextRun(recurrence: Recurrence, on: OnClock, from: number): number | null {
  // Nearly every command runs within a week; the rest of the year is searched only for the others.
  for (const [start, days] of [
    [0, 8],
    [8, lookaheadDays],
  ] as const) {
    const [first] = runsBetween(recurrence, on, from + start * dayMs, from + days * dayMs);
    if (first !== undefined) return first;
  }
  return null;
}

function dayFilter({ weekdays: names, calendar }: Recurrence, calendars: CalendarDates): (day: number) => boolean {
  const dates = calendar === undefined ? null : daysOf(calendars.get(calendar.calendar_id) ?? []);
  return (day) => (names?.includes(weekdays[weekdayOf(day)]!) ?? true) && (dates === null || dates.has(day) === calendar!.is_listed);
}

/** Milliseconds after midnight. */
function timeOf(time: string): number {
  return (Number(time.slice(0, 2)) * 60 + Number(time.slice(3))) * minuteMs;
}
