// When an item may be shown: between its two instants, and in its dayparts on the wall clock of the player.
import type { PlaylistItem } from "../../protocol/content/items.ts";
import { daypartWindows } from "../calendar/daily-windows.ts";
import { dayMs } from "../calendar/day-numbers.ts";
import { intersectAll, joinIntervals, type Interval } from "../calendar/intervals.ts";
import type { TimeZoneRules } from "../calendar/time-zone.ts";

export interface ItemValidity {
  /** The intervals in which the item is valid, cut to the range, in order; intervals that touch are joined. */
  between(from: number, until: number): Interval[];
  /** The next instant after `instant` at which validity may change, at most some days ahead; Infinity: it never changes. */
  nextEdge(instant: number): number;
}

// A daypart occurs within a week, unless a clock change skips it.
const lookaheadMs = 8 * dayMs;

/** The validity of an item for a player in `timeZone`; null: it is always valid. */
export function itemValidity(item: PlaylistItem, timeZone: TimeZoneRules): ItemValidity | null {
  const { valid_from, valid_until } = item;
  if (valid_from === undefined && valid_until === undefined && item.dayparts === undefined) return null;
  const begins = valid_from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(valid_from);
  const ends = valid_until === undefined ? Number.POSITIVE_INFINITY : Date.parse(valid_until);
  const dayparts = item.dayparts?.map((daypart) => daypartWindows(daypart, timeZone));
  const between = (from: number, until: number): Interval[] => {
    const range = { from: Math.max(from, begins), until: Math.min(until, ends) };
    if (range.from >= range.until) return [];
    if (dayparts === undefined) return [range];
    return intersectAll([range], joinIntervals(dayparts.flatMap((each) => each.touching(range.from, range.until))));
  };
  return {
    between,
    nextEdge: (instant) => {
      if (instant < begins) return begins;
      if (instant >= ends) return Number.POSITIVE_INFINITY;
      if (dayparts === undefined) return ends;
      const [next] = between(instant, instant + lookaheadMs);
      if (next === undefined) return Math.min(ends, instant + lookaheadMs);
      return next.from > instant ? next.from : next.until;
    },
  };
}

/** Whether the item may be shown at `instant`. */
export function isValid(validity: ItemValidity | null, instant: number): boolean {
  return validity === null || validity.between(instant, instant + 1).length > 0;
}
