// Moves and resizes schedules as people do it in a calendar: all of a series, or one of its days. Pure.
import { dayMs, iso } from "../../../../../src/base/time.ts";
import { isDate, parseMoment } from "../../../../../src/protocol/scheduling/moments.ts";
import { weekdays } from "../../../../../src/protocol/scheduling/opening-hours.ts";
import { dayOf } from "../../../../../src/schedule/calendar/day-numbers.ts";
import type { Schedule, ScheduleChange } from "./form.ts";
import { monthDaysOf, repeatOf, ruleOf, type Repeat } from "./repeat.ts";

/** How the beginning and the end of a window move, in ms of the wall clock. */
export interface Shift {
  start: number;
  end: number;
}

/** True if anything moves. */
export function isShift({ start, end }: Shift): boolean {
  return start !== 0 || end !== 0;
}

/**
 * The change that moves a schedule with all its windows; null: its rule has days that cannot be moved this way.
 */
export function movedAll(schedule: Schedule, shift: Shift): ScheduleChange | null {
  const { starts_at, ends_at, rrule, exdates } = schedule;
  const change = { starts_at: shiftMoment(starts_at, shift.start), ends_at: ends_at === null ? null : shiftMoment(ends_at, shift.end) };
  if (rrule === null) return change;
  const days = dayOf(wallOf(change.starts_at)) - dayOf(wallOf(starts_at));
  if (days === 0) return change;
  const repeat = repeatOf(rrule, starts_at);
  const newRepeat = repeat === null ? null : shiftRepeat(repeat, change.starts_at, days);
  if (newRepeat === null) return null;
  return { ...change, rrule: ruleOf(newRepeat), exdates: exdates.map((date) => shiftMoment(date, days * dayMs)) };
}

/**
 * The two writes that move only the window which begins at `from`: the series leaves out its day, and a schedule of its own takes
 * its place.
 */
export function splitWindow(schedule: Schedule, from: number, until: number, shift: Shift): { leaveOut: ScheduleChange; alone: Schedule } {
  const textOf = isDate(schedule.starts_at) ? dateText : momentText;
  const isDates = isDate(schedule.starts_at);
  return {
    leaveOut: { exdates: [...schedule.exdates, dateText(from)] },
    alone: {
      ...schedule,
      starts_at: textOf(from + shift.start),
      // The last day of a schedule of whole days is included.
      ends_at: textOf(until + shift.end - (isDates ? dayMs : 0)),
      rrule: null,
      exdates: [],
    },
  };
}

function shiftRepeat(repeat: Repeat, startsAt: string, days: number): Repeat | null {
  const end: Repeat["end"] = repeat.end.is === "until" ? { is: "until", date: shiftMoment(repeat.end.date, days * dayMs) } : repeat.end;
  switch (repeat.unit) {
    case "day":
    case "year":
      return { ...repeat, end };
    case "week": {
      const places = repeat.on.map((day) => weekdays.indexOf(day) + days);
      // With weeks that are left out, all days must stay in one week.
      const weeks = new Set(places.map((place) => Math.floor(place / 7)));
      return repeat.every > 1 && weeks.size > 1 ? null : { ...repeat, end, on: places.map((place) => weekdays[((place % 7) + 7) % 7]!) };
    }
    case "month": {
      const { by } = repeat.on;
      const on = monthDaysOf(startsAt).find((each) => each.by === by);
      return on === undefined ? null : { ...repeat, end, on };
    }
  }
}

/** A moment, moved; its form stays. Whole days move by whole days. */
function shiftMoment(moment: string, ms: number): string {
  const at = wallOf(moment) + ms;
  if (isDate(moment)) return dateText(at);
  const text = iso(at);
  return moment.endsWith("Z") ? `${text.slice(0, 19)}Z` : text.slice(0, moment.length);
}

function wallOf(moment: string): number {
  return parseMoment(moment)!.at;
}

function dateText(at: number): string {
  return iso(at).slice(0, 10);
}

function momentText(at: number): string {
  const text = iso(at);
  return text.slice(17, 19) === "00" ? text.slice(0, 16) : text.slice(0, 19);
}
