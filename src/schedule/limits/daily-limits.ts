// Applies limits of plays per day: spreads the plays of a limited item over the day and inserts them between plays of the loop.
import { dayMs } from "../../base/time.ts";
import type { DesiredLayout } from "../../protocol/device/desired-state.ts";
import type { Interval } from "../calendar/intervals.ts";
import type { TimeZoneRules } from "../calendar/time-zone.ts";
import type { PlayablePlaylist, TimedItem } from "../playlist/playable-playlist.ts";
import type { Airing } from "./airtime.ts";
import { dueTimesOf, hasDailyLimit, mayReachLimit, partsOf, type Part } from "./due-times.ts";
import type { TurnInHour } from "./hourly-limits.ts";
import { placePlays, type DuePlay } from "./placement.ts";

/** A play between two plays of the loop; the loop waits until it ends. */
export interface DailyPlay {
  timedItem: TimedItem;
  at: number;
  /** How long the loop has waited since its epoch by the end of this play. */
  waitedMs: number;
}

/** The plays inserted into a loop, until `until`. */
export interface DailyPlays {
  items: readonly TimedItem[];
  /** In order. */
  plays: readonly DailyPlay[];
  /** How long the loop has waited before the first of them. */
  waitedMs: number;
  until: number;
}

/** A day of the player's time zone, counted from 1970-01-01. */
interface Day extends Interval {
  number: number;
}

/** How a playlist with daily limits is on screen during a day, and when its limited items are due. */
interface DayPlan {
  airings: readonly Airing[];
  parts: readonly Part[];
  due: readonly DuePlay[];
}

/** The inputs for the plays of a day, besides the items. */
export interface DailyTiming {
  /** The turn of an interrupt that the loop is for. */
  turn: TurnInHour | null;
  /** The player's. */
  timeZone: TimeZoneRules;
  /** The airings of all layouts in a span, in order. */
  airings: (from: number, until: number) => readonly Airing[];
  /** True if a layout plays the playlist. */
  hasPlaylist: (layout: DesiredLayout) => boolean;
}

/** The items of a loop with a daily limit, until `until`. */
export interface DailyLimits {
  items: readonly TimedItem[];
  until: number;
  /**
   * Their plays in a loop that counts from `epochMs`.
   * @param loop has each of `items` in the rounds in which it may play, with a duration of zero
   */
  playsIn(loop: readonly TimedItem[], epochMs: number): DailyPlays;
}

/**
 * The valid items whose daily limit matters at `instant`; null: the playlist has no daily limits.
 *
 * The plays of a day are spread evenly over the time in which the playlist is on screen and the item is valid. Each is due at
 * its own instant and begins in the next round of the loop that has room for it; then the loop continues. Every day has the
 * same number of plays, so the loop of a layout that always plays continues across midnight without a cut.
 */
export function dailyLimitsAt(
  playlist: PlayablePlaylist,
  valid: readonly TimedItem[],
  instant: number,
  { turn, timeZone, airings, hasPlaylist }: DailyTiming,
): DailyLimits | null {
  if (!playlist.items.some(hasDailyLimit)) return null;
  const day = dayAt(timeZone, instant);
  const { parts, due } = planOf(playlist, day, airings(day.from, day.until), hasPlaylist);
  const part = parts.find(({ from, until }) => from <= instant && instant < until);
  const items = valid.filter((timedItem) => hasDailyLimit(timedItem) && mayReachLimit(timedItem, playlist, day, parts.length));
  const until = part?.span.until ?? day.until;
  // Without other items limits do not apply: a limit never leaves a screen empty.
  if (items.length === 0 || items.length === valid.length) return { items: [], until, playsIn: () => noPlays(until) };
  const dueItems = due.filter(({ timedItem }) => items.includes(timedItem));
  return {
    items,
    until,
    playsIn: (loop, epochMs) => {
      if (part === undefined) return noPlays(until);
      const { span, run } = part;
      const dueMsBefore = (end: number) => dueItems.reduce((sum, { timedItem, at }) => (at < end ? sum + timedItem.durationMs : sum), 0);
      const epochDay = dayAt(timeZone, epochMs).number;
      const msPerDay = items.reduce((sum, { item, durationMs }) => sum + item.max_plays_per_day! * durationMs, 0);
      const sinceEpochMs =
        (day.number - epochDay) * msPerDay + dueMsBefore(span.from) - (epochDay === day.number ? dueMsBefore(epochMs) : 0);
      const waitedMs = turn === null ? sinceEpochMs : 0;
      const pieces = parts.filter((each) => each.run === run && each.from >= span.from && each.until <= span.until);
      const dueInSpan = dueItems
        .filter(({ at, run: other }) => other === run && at >= span.from && at < span.until)
        .toSorted((a, b) => a.at - b.at);
      let waitMs = waitedMs;
      const plays = placePlays(dueInSpan, loop, epochMs + waitedMs, span, pieces).map(({ timedItem, at }): DailyPlay => ({
        timedItem,
        at,
        waitedMs: (waitMs += timedItem.durationMs),
      }));
      return { items, waitedMs, until, plays };
    },
  };
}

function noPlays(until: number): DailyPlays {
  return { items: [], plays: [], waitedMs: 0, until };
}

// Needed at each change of program, and a day with many interrupts has thousands of airings.
const lastPlans = new WeakMap<PlayablePlaylist, DayPlan>();

function planOf(
  playlist: PlayablePlaylist,
  day: Day,
  airings: readonly Airing[],
  hasPlaylist: (layout: DesiredLayout) => boolean,
): DayPlan {
  const last = lastPlans.get(playlist);
  if (last?.airings === airings) return last;
  const own = airings.filter(({ layout }) => layout !== null && hasPlaylist(layout));
  const parts = partsOf(own, playlist, day);
  const plan = { airings, parts, due: dueTimesOf(playlist, day, parts) };
  lastPlans.set(playlist, plan);
  return plan;
}

/** A day ends where the next begins: an hour before midnight that is repeated after midnight belongs to the next day. */
function dayAt(timeZone: TimeZoneRules, instant: number): Day {
  const wallDay = Math.floor(timeZone.wallAt(instant) / dayMs);
  const number = timeZone.instantOf((wallDay + 1) * dayMs) <= instant ? wallDay + 1 : wallDay;
  return { number, from: timeZone.instantOf(number * dayMs), until: timeZone.instantOf((number + 1) * dayMs) };
}
