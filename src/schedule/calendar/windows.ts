// When one schedule is live: its windows on the wall clock of its zone, cut by its conditions, as intervals of instants.
import { cutByDates } from "./calendar-days.ts";
import { partsOf, openingsOfWeek, type Opening } from "../../protocol/scheduling/opening-hours.ts";
import { dayOf, daysBetween, firstDay, weekdayOf } from "./recurrence.ts";
import { parseRule } from "./rrule.ts";
import { endMomentOf, momentOf, recurrenceOf, type Condition, type DesiredSchedule } from "../../protocol/scheduling/schedules.ts";
import { timeZoneRules, type TimeZoneRules } from "./time-zone.ts";

/** From `from` to `until` in UTC ms, the end excluded; Infinity when it is open. */
export interface Interval {
  from: number;
  until: number;
}

/** A schedule made ready for questions. */
export interface Windows {
  /** False: nothing touches the span. Cheap, and true more often than it need be. */
  mayTouch(from: number, until: number): boolean;
  /** All intervals that touch the span, whole and in order of their start. */
  touching(from: number, until: number): Interval[];
}

type DateCondition = Condition & { type: "date" };
type CalendarCondition = Condition & { type: "calendar" };
type HoursCondition = Condition & { type: "hours" };

const dayMs = 86_400_000;

/** What windows hang on. */
type WindowTiming = Pick<DesiredSchedule, "starts_at" | "ends_at" | "rrule" | "exdates"> & { conditions: readonly Condition[] };

/** The dates of calendars, by their ids. */
export type CalendarDates = ReadonlyMap<string, readonly string[]>;

const searchedMs = 32 * dayMs;
const furthestMs = 30 * 366 * dayMs;

/** The first window that is not over at `instant`, by its own zone or by that of this name; null: none within thirty years. */
export function windowAfter(
  schedule: WindowTiming & { timezone: string | null },
  zoneName: string,
  instant: number,
  calendars: CalendarDates,
): Interval | null {
  const windows = windowsOf(schedule, timeZoneRules(schedule.timezone ?? zoneName) ?? timeZoneRules("UTC")!, calendars);
  for (let from = instant; from < instant + furthestMs; from += searchedMs) {
    if (!windows.mayTouch(from, from + searchedMs)) continue;
    const [first] = windows.touching(from, from + searchedMs);
    if (first !== undefined) return first;
  }
  return null;
}

/**
 * The windows of a schedule that has passed its schema, in `zone`. Conditions of time cut them; the others are not time's.
 * @param calendars holds each calendar that its conditions name.
 */
export function windowsOf(schedule: WindowTiming, zone: TimeZoneRules, calendars: CalendarDates): Windows {
  const own = schedule.rrule === null ? once(schedule, zone) : recurring(schedule, schedule.rrule, zone);
  const { conditions } = schedule;
  // Hours make the windows whose day a calendar looks at; a range of dates may begin amid one, which then has its day already.
  const cuts = [
    ...conditions.flatMap((condition) => (condition.type === "daypart" ? meet(daypartWindows(condition, zone)) : [])),
    ...conditions.flatMap((condition) => (condition.type === "hours" ? meet(hours(condition, zone)) : [])),
    ...conditions.flatMap((condition) => (condition.type === "calendar" ? byCalendar(condition, calendars, zone) : [])),
    ...conditions.flatMap((condition) => (condition.type === "date" ? meet(dates(condition, zone)) : [])),
  ];
  if (cuts.length === 0) return own;
  return {
    mayTouch: (from, until) => own.mayTouch(from, until),
    touching: (from, until) => {
      const touches = ({ from: begins, until: ends }: Interval) => begins < until && ends > from;
      return cuts.reduce((left, cut) => (left.length === 0 ? left : cut(left, { from, until }).filter(touches)), own.touching(from, until));
    },
  };
}

/** What is left of windows within a span. */
type Cut = (left: readonly Interval[], asked: Interval) => Interval[];

function meet(windows: Windows): Cut {
  return (left, { from, until }) => intersect(left, windows.touching(from, until));
}

function byCalendar({ calendar_id, is_listed }: CalendarCondition, calendars: CalendarDates, zone: TimeZoneRules): Cut {
  const listed = calendars.get(calendar_id);
  if (listed === undefined) throw new TypeError(`the dates of the calendar ${calendar_id} were not given`);
  return (left, asked) => cutByDates(left, listed, is_listed, zone, asked);
}

function once({ starts_at, ends_at }: WindowTiming, zone: TimeZoneRules): Windows {
  const from = instantOf(momentOf(starts_at)!, zone);
  const until = ends_at === null ? Number.POSITIVE_INFINITY : instantOf(endMomentOf(ends_at)!, zone);
  return always({ from, until });
}

function recurring({ starts_at, ends_at, exdates }: WindowTiming, rrule: string, zone: TimeZoneRules): Windows {
  const startWall = wallOf(momentOf(starts_at)!, zone);
  const lengthMs = wallOf(endMomentOf(ends_at!)!, zone) - startWall;
  const rule = parseRule(rrule);
  const recurrence = recurrenceOf(rule, startWall, exdates, (wall) => zone.instantOf(wall));
  const days: Days = {
    any: (first, last) => firstDay(recurrence, first, last) !== null,
    all: (first, last) => daysBetween(recurrence, first, last),
  };
  return daily(days, startWall - dayOf(startWall) * dayMs, lengthMs, zone);
}

/** A weekday is that of the day on which the daypart begins, also past midnight. */
export function daypartWindows(opening: Opening, zone: TimeZoneRules): Windows {
  const { days, timeMs, lengthMs } = partsOf(opening);
  return daily(onWeekdays(days), timeMs, lengthMs, zone);
}

/**
 * While any of the entries is open. Those that touch or overlap on the wall clock are one window, so that its beginning is
 * that of the first of them; of a week without a gap nothing begins or ends.
 */
function hours({ open }: HoursCondition, zone: TimeZoneRules): Windows {
  const week = openingsOfWeek(open);
  if (week === null) return always({ from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY });
  // Equal times of several weekdays are asked for together.
  const equal = Map.groupBy(week, ({ from, until }) => `${from % dayMs} ${until - from}`);
  const parts = [...equal.values()].map((spans) => {
    const { from, until } = spans[0]!;
    return daily(onWeekdays(spans.map((span) => dayOf(span.from))), from % dayMs, until - from, zone);
  });
  return {
    mayTouch: (from, until) => parts.some((part) => part.mayTouch(from, until)),
    touching: (from, until) => parts.flatMap((part) => part.touching(from, until)).toSorted((a, b) => a.from - b.from),
  };
}

function onWeekdays(wanted: readonly number[]): Days {
  return {
    any: () => true,
    all: (first, last) =>
      Array.from({ length: last - first + 1 }, (_, index) => first + index).filter((day) => wanted.includes(weekdayOf(day))),
  };
}

function dates({ from, until }: DateCondition, zone: TimeZoneRules): Windows {
  const begins = from === undefined ? Number.NEGATIVE_INFINITY : zone.instantOf(momentOf(`${from}T00:00`)!.at);
  const ends = until === undefined ? Number.POSITIVE_INFINITY : zone.instantOf(momentOf(`${until}T00:00`)!.at + dayMs);
  return always({ from: begins, until: ends });
}

function always(interval: Interval): Windows {
  const mayTouch = (from: number, until: number) => interval.from < interval.until && interval.from < until && interval.until > from;
  return { mayTouch, touching: (from, until) => (mayTouch(from, until) ? [interval] : []) };
}

interface Days {
  any(first: number, last: number): boolean;
  all(first: number, last: number): number[];
}

/** A window that begins on each of `days` at a time of day and is `lengthMs` long on the wall clock. */
function daily(days: Days, timeMs: number, lengthMs: number, zone: TimeZoneRules): Windows {
  // One day more on either side: clocks are put back and forward by hours, and once by a day.
  const first = (from: number) => dayOf(zone.wallAt(from) - lengthMs - timeMs) - 1;
  const last = (until: number) => dayOf(zone.wallAt(until) - timeMs) + 1;
  return {
    mayTouch: (from, until) => days.any(first(from), last(until)),
    touching: (from, until) => {
      const intervals: Interval[] = [];
      for (const day of days.all(first(from), last(until))) {
        const startWall = day * dayMs + timeMs;
        const begins = zone.instantOf(startWall);
        const ends = zone.instantOf(startWall + lengthMs);
        // Wholly inside the hour that the spring change leaves out, a window does not exist.
        if (begins < ends && begins < until && ends > from) intervals.push({ from: begins, until: ends });
      }
      return intervals;
    },
  };
}

/** Where both are live; an interval begins where the later of the two does. */
function intersect(left: readonly Interval[], right: readonly Interval[]): Interval[] {
  const both: Interval[] = [];
  for (const a of left) {
    for (const b of right) {
      const interval = { from: Math.max(a.from, b.from), until: Math.min(a.until, b.until) };
      if (interval.from < interval.until) both.push(interval);
    }
  }
  return both.toSorted((a, b) => a.from - b.from);
}

type Moment = { at: number; isUtc: boolean };

function instantOf({ at, isUtc }: Moment, zone: TimeZoneRules): number {
  return isUtc ? at : zone.instantOf(at);
}

function wallOf({ at, isUtc }: Moment, zone: TimeZoneRules): number {
  return isUtc ? zone.wallAt(at) : at;
}
