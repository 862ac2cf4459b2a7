// Cuts windows by a schedule's conditions of date and time.
import { dayMs } from "../../base/time.ts";
import type { Condition } from "../../protocol/scheduling/conditions.ts";
import { cutByDates } from "./calendar-dates.ts";
import { daypartWindows, oneWindow, openingHoursWindows, type Windows } from "./daily-windows.ts";
import { intersectAll, type Interval } from "./intervals.ts";
import { midnightOf } from "./moments.ts";
import type { WallClock } from "./time-zone.ts";

/** The dates of calendars by calendar id. */
export type CalendarDates = ReadonlyMap<string, readonly string[]>;

/** Returns the parts of `windows` in which a condition holds. Parts outside of `range` may be missing. */
export type Cut = (windows: readonly Interval[], range: Interval) => Interval[];

// Dayparts and hours create the windows whose day a calendar checks. A range of dates comes last: it may begin in the middle of a
// window, but must not move that window to another day.
const order = ["daypart", "hours", "calendar", "date"] as const;

/** One cut per condition of date or time, in the order in which to apply them. */
export function conditionCuts(conditions: readonly Condition[], clock: WallClock, calendars: CalendarDates): Cut[] {
  return order.flatMap((type) =>
    conditions.filter((condition) => condition.type === type).flatMap((each) => cutOf(each, clock, calendars) ?? []),
  );
}

function cutOf(condition: Condition, clock: WallClock, calendars: CalendarDates): Cut | null {
  switch (condition.type) {
    case "daypart":
      return cutByWindows(daypartWindows(condition, clock));
    case "hours":
      return cutByWindows(openingHoursWindows(condition.open, clock));
    case "date":
      return cutByWindows(dateWindow(condition, clock));
    case "calendar": {
      const dates = calendars.get(condition.calendar_id);
      if (dates === undefined) throw new TypeError(`the dates of the calendar ${condition.calendar_id} were not given`);
      return (windows, range) => cutByDates(windows, dates, condition.is_listed, clock, range);
    }
    case "tag":
    case "variable":
      return null;
  }
}

function cutByWindows(cuts: Windows): Cut {
  return (windows, { from, until }) => intersectAll(windows, cuts.touching(from, until));
}

function dateWindow({ from, until }: Condition & { type: "date" }, clock: WallClock): Windows {
  return oneWindow({
    from: from === undefined ? Number.NEGATIVE_INFINITY : clock.instantOf(midnightOf(from)),
    until: until === undefined ? Number.POSITIVE_INFINITY : clock.instantOf(midnightOf(until) + dayMs),
  });
}
