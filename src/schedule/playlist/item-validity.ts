// When an item may be shown: between its two instants, and on the player's wall clock in its dayparts and on the days of its calendars.
import { dayMs } from "../../base/time.ts";
import type { PlaylistItem } from "../../protocol/content/items.ts";
import type { Condition } from "../../protocol/scheduling/conditions.ts";
import type { CalendarDates } from "../calendar/condition-cuts.ts";
import { intersect, joinIntervals, type Interval } from "../calendar/intervals.ts";
import type { TimeZoneRules } from "../calendar/time-zone.ts";
import { windowsOf } from "../calendar/windows.ts";

export interface ItemValidity {
  /** The intervals in which the item is valid, cut to the range, in order; intervals that touch are joined. */
  between(from: number, until: number): Interval[];
  /** The next instant after `instant` at which validity may change, at most some days ahead; Infinity: it never changes. */
  nextEdge(instant: number): number;
}

/** A schedule that is always active but for its conditions. */
const always = { starts_at: "1970-01-01T00:00:00Z", ends_at: null, rrule: null, exdates: [] };
// A daypart occurs within a week, unless a clock change skips it or a calendar excludes it.
const lookaheadMs = 8 * dayMs;

/**
 * The validity of an item for a player in `timeZone`; null: it is always valid. Conditions of tags and variables are ignored.
 * @param calendars holds each calendar that its conditions name.
 */
export function itemValidity(item: PlaylistItem, timeZone: TimeZoneRules, calendars: CalendarDates): ItemValidity | null {
  const { valid_from, valid_until } = item;
  const conditions = timedConditionsOf(item);
  if (valid_from === undefined && valid_until === undefined && conditions.length === 0) return null;
  const begins = valid_from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(valid_from);
  const ends = valid_until === undefined ? Number.POSITIVE_INFINITY : Date.parse(valid_until);
  const windows = windowsOf({ ...always, conditions }, timeZone, calendars);
  const between = (from: number, until: number): Interval[] => {
    const range = { from: Math.max(from, begins), until: Math.min(until, ends) };
    if (range.from >= range.until) return [];
    return joinIntervals(windows.touching(range.from, range.until).flatMap((window) => intersect(window, range) ?? []));
  };
  return {
    between,
    nextEdge: (instant) => {
      if (instant < begins) return begins;
      if (instant >= ends) return Number.POSITIVE_INFINITY;
      if (conditions.length === 0) return ends;
      const [next] = between(instant, instant + lookaheadMs);
      if (next === undefined) return Math.min(ends, instant + lookaheadMs);
      return next.from > instant ? next.from : next.until;
    },
  };
}

/** The times of an item as conditions of a schedule: its dayparts, and its calendars. */
function timedConditionsOf({ dayparts, conditions = [] }: PlaylistItem): Condition[] {
  const calendars = conditions.filter(({ type }) => type === "calendar");
  return dayparts === undefined ? calendars : [{ type: "hours", open: dayparts }, ...calendars];
}

/** True if the item may be shown at `instant`. */
export function isValid(validity: ItemValidity | null, instant: number): boolean {
  return validity === null || validity.between(instant, instant + 1).length > 0;
}
