// When an item may be shown: between its instants, in its dayparts on the wall clock of its player.
import type { PlaylistItem } from "../protocol/content/items.ts";
import { joinSpans } from "../protocol/scheduling/opening-hours.ts";
import { daypartWindows, type Interval } from "./calendar/windows.ts";
import type { TimeZoneRules } from "./calendar/time-zone.ts";

/** When an item is in its loop. */
export interface Validity {
  /** In order, cut to the span from `from` to `until`; what touches is one. */
  between(from: number, until: number): Interval[];
  /** The next instant after `instant` at which it begins or ends, or, some days ahead, at which to look again; Infinity: never. */
  nextEdge(instant: number): number;
}

const dayMs = 86_400_000;
// Each weekday's daypart is met within a week, but for those that a clock change leaves out.
const lookaheadMs = 8 * dayMs;

/** The validity of an item of a player in `zone`; null: it is always valid. */
export function itemValidity(item: PlaylistItem, zone: TimeZoneRules): Validity | null {
  const { valid_from, valid_until } = item;
  if (valid_from === undefined && valid_until === undefined && item.dayparts === undefined) return null;
  const begins = valid_from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(valid_from);
  const ends = valid_until === undefined ? Number.POSITIVE_INFINITY : Date.parse(valid_until);
  const windows = item.dayparts?.map((daypart) => daypartWindows(daypart, zone));
  const between = (from: number, until: number): Interval[] => {
    const [first, last] = [Math.max(from, begins), Math.min(until, ends)];
    if (first >= last) return [];
    if (windows === undefined) return [{ from: first, until: last }];
    return joinSpans(windows.flatMap((each) => each.touching(first, last))).map((each) => ({
      from: Math.max(each.from, first),
      until: Math.min(each.until, last),
    }));
  };
  return {
    between,
    nextEdge: (instant) => {
      if (instant < begins) return begins;
      if (instant >= ends) return Number.POSITIVE_INFINITY;
      if (windows === undefined) return ends;
      const [next] = between(instant, instant + lookaheadMs);
      if (next === undefined) return Math.min(ends, instant + lookaheadMs);
      return next.from > instant ? next.from : next.until;
    },
  };
}

/** Whether the item may be shown at `instant`. */
export function isValid(validity: Validity | null, instant: number): boolean {
  return validity === null || validity.between(instant, instant + 1).length > 0;
}
