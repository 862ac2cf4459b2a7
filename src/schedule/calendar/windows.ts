// When a schedule is active: its windows on a wall clock, cut by its conditions of date and time, as intervals of instants.
import { dayMs } from "../../base/time.ts";
import type { Condition } from "../../protocol/scheduling/conditions.ts";
import { parseMoment, type ParsedMoment } from "../../protocol/scheduling/moments.ts";
import type { Schedule } from "../../protocol/scheduling/schedules.ts";
import { conditionCuts, type CalendarDates } from "./condition-cuts.ts";
import { dailyWindows, oneWindow, type Windows } from "./daily-windows.ts";
import type { Interval } from "./intervals.ts";
import { endMomentOf } from "./moments.ts";
import { dayOf } from "./day-numbers.ts";
import { daysBetween, firstDay, scheduleRecurrence } from "./recurrence.ts";
import { parseRule } from "./rrule.ts";
import { timeZoneRulesOrUtc, type WallClock } from "./time-zone.ts";

/** The fields that decide when a schedule is active. */
export type WindowTiming = Pick<Schedule, "starts_at" | "ends_at" | "rrule" | "exdates"> & { conditions: readonly Condition[] };

const searchStepMs = 32 * dayMs;
const maxSearchMs = 30 * 366 * dayMs;

/**
 * The first window that is not over at `instant`; null: there is none within thirty years. Conditions of tags and variables
 * are ignored.
 * @param timeZone of a schedule without a time zone of its own.
 */
export function windowAfter(
  schedule: WindowTiming & { timezone: string | null },
  timeZone: string,
  instant: number,
  calendars: CalendarDates,
): Interval | null {
  const windows = windowsOf(schedule, timeZoneRulesOrUtc(schedule.timezone ?? timeZone), calendars);
  for (let from = instant; from < instant + maxSearchMs; from += searchStepMs) {
    if (!windows.mayTouch(from, from + searchStepMs)) continue;
    const [first] = windows.touching(from, from + searchStepMs);
    if (first !== undefined) return first;
  }
  return null;
}

/**
 * The windows of a valid schedule on `clock`. Conditions of tags and variables are ignored.
 * @param calendars holds each calendar that its conditions name.
 */
export function windowsOf(schedule: WindowTiming, clock: WallClock, calendars: CalendarDates): Windows {
  const uncut = uncutWindows(schedule, clock);
  const cuts = conditionCuts(schedule.conditions, clock, calendars);
  if (cuts.length === 0) return uncut;
  return {
    mayTouch: (from, until) => uncut.mayTouch(from, until),
    touching: (from, until) => {
      const overlapsRange = ({ from: start, until: end }: Interval) => start < until && end > from;
      const range = { from, until };
      return cuts.reduce(
        (intervals, cut) => (intervals.length === 0 ? intervals : cut(intervals, range).filter(overlapsRange)),
        uncut.touching(from, until),
      );
    },
  };
}

/** The windows of a schedule before its conditions cut them. */
export function uncutWindows(schedule: Omit<WindowTiming, "conditions">, clock: WallClock): Windows {
  const { starts_at, ends_at, rrule } = schedule;
  if (rrule !== null) return recurringWindows(schedule, rrule, clock);
  const until = ends_at === null ? Number.POSITIVE_INFINITY : instantOf(endMomentOf(ends_at)!, clock);
  return oneWindow({ from: instantOf(parseMoment(starts_at)!, clock), until });
}

function recurringWindows({ starts_at, ends_at, exdates }: Omit<WindowTiming, "conditions">, rrule: string, clock: WallClock): Windows {
  const start = wallOf(parseMoment(starts_at)!, clock);
  const lengthMs = wallOf(endMomentOf(ends_at!)!, clock) - start;
  const recurrence = scheduleRecurrence(parseRule(rrule), start, exdates, clock);
  const days = {
    hasAny: (first: number, last: number) => firstDay(recurrence, first, last) !== null,
    between: (first: number, last: number) => daysBetween(recurrence, first, last),
  };
  return dailyWindows(days, start - dayOf(start) * dayMs, lengthMs, clock);
}

function instantOf({ at, isUtc }: ParsedMoment, clock: WallClock): number {
  return isUtc ? at : clock.instantOf(at);
}

function wallOf({ at, isUtc }: ParsedMoment, clock: WallClock): number {
  return isUtc ? clock.wallAt(at) : at;
}
