// The opening hours of a display as periods of time: when it is on, with other hours on the dates of calendars. Pure.
import { dayMs } from "../../base/time.ts";
import type { DisplayHours } from "../../protocol/device/display-hours.ts";
import type { CalendarDates } from "../calendar/condition-cuts.ts";
import { dayOf, weekdayOf } from "../calendar/day-numbers.ts";
import type { Interval } from "../calendar/intervals.ts";
import { midnightOf } from "../calendar/moments.ts";
import { openingTimes, type OpeningTimes } from "../calendar/opening-hours.ts";
import type { WallClock } from "../calendar/time-zone.ts";

/** Opening hours with the dates of their calendars and the clock that they are read on. */
export interface HoursOnClock {
  hours: DisplayHours;
  /** A calendar that is missing here has no dates. */
  calendars: CalendarDates;
  clock: WallClock;
}

/** The state of the display, and the end of that state in UTC ms; null: no change within a year. */
export interface HoursPeriod {
  isOpen: boolean;
  until: number | null;
}

// Longer than a year: hours may change on a single date only.
const lookaheadDays = 400;
// An opening lasts a day at most, and time zones have moved by a day across the date line.
const daysBefore = 3;

/** Tells if the hours are open at `instant`, and when that changes next. */
export function hoursAt(on: HoursOnClock, instant: number): HoursPeriod {
  for (const { from, until } of openIntervals(on, instant)) {
    if (until <= instant) continue;
    const change = from <= instant ? until : from;
    return { isOpen: from <= instant, until: Number.isFinite(change) ? change : null };
  }
  return { isOpen: false, until: null };
}

/**
 * The openings from shortly before `instant` on, as intervals that neither touch nor overlap, in order. One that does not end within
 * {@link lookaheadDays} is endless.
 */
function* openIntervals({ hours, calendars, clock }: HoursOnClock, instant: number): Generator<Interval> {
  const first = dayOf(clock.wallAt(instant)) - daysBefore;
  const end = first + daysBefore + lookaheadDays;
  const usual = hours.open.map(openingTimes);
  const exceptions = hours.exceptions.map(({ calendar_id, open }) => ({
    days: daysOf(calendars.get(calendar_id) ?? []),
    openings: open.map(openingTimes),
  }));
  let current: Interval | null = null;
  for (let day = first; day < end; day += 1) {
    const openings = exceptions.find(({ days }) => days.has(day))?.openings ?? usual;
    for (const next of openingsOn(day, openings, clock)) {
      if (current !== null && next.from <= current.until) current.until = Math.max(current.until, next.until);
      else {
        if (current !== null) yield current;
        current = next;
      }
    }
  }
  if (current === null) return;
  // The last opening may be cut only by the end of the search.
  yield current.until > clock.instantOf((end - 1) * dayMs) ? { ...current, until: Number.POSITIVE_INFINITY } : current;
}

/** The openings that begin on a day, by their start. One that lies completely in the hour that a clock change skips does not exist. */
function openingsOn(day: number, openings: readonly OpeningTimes[], clock: WallClock): Interval[] {
  const weekday = weekdayOf(day);
  return openings
    .flatMap(({ days, timeMs, lengthMs }) => {
      if (!days.includes(weekday)) return [];
      const start = day * dayMs + timeMs;
      const interval = { from: clock.instantOf(start), until: clock.instantOf(start + lengthMs) };
      return interval.from < interval.until ? [interval] : [];
    })
    .toSorted((a, b) => a.from - b.from);
}

// A calendar has up to 2,000 dates, and the hours are read again at each change.
const daysByDates = new WeakMap<readonly string[], ReadonlySet<number>>();

/** The numbers of the days of dates. */
export function daysOf(dates: readonly string[]): ReadonlySet<number> {
  let days = daysByDates.get(dates);
  if (days === undefined) daysByDates.set(dates, (days = new Set(dates.map((date) => dayOf(midnightOf(date))))));
  return days;
}
