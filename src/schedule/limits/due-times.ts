// Computes when the items of a playlist with daily limits are due in a day: evenly spaced over the time they are on screen.
import { hourMs } from "../../base/time.ts";
import type { Interval } from "../calendar/intervals.ts";
import type { PlayablePlaylist, TimedItem } from "../playlist/playable-playlist.ts";
import type { Airing } from "./airtime.ts";
import type { DuePlay } from "./placement.ts";

/** A part of an airing in which the same items are valid. */
export interface Part extends Interval {
  run: Interval;
  /** The part of the run in which these items are valid. */
  span: Interval;
}

export function hasDailyLimit({ item }: TimedItem): boolean {
  return item.max_plays_per_day !== undefined;
}

/** Splits airings where items of the playlist begin or end to be valid. */
export function partsOf(airings: readonly Airing[], { validity }: PlayablePlaylist, day: Interval): Part[] {
  const intervals = [...validity.values()].flatMap((each) => each.between(day.from, day.until));
  const edges = [...new Set(intervals.flatMap(({ from, until }) => [from, until]))].toSorted((a, b) => a - b);
  return airings.flatMap(({ from, until, run }) => {
    const cuts = [from, ...edges.filter((edge) => edge > from && edge < until), until];
    return cuts.slice(1).map((end, index): Part => {
      const start = cuts[index]!;
      const span = {
        from: Math.max(run.from, edges.findLast((edge) => edge <= start) ?? run.from),
        until: Math.min(run.until, edges.find((edge) => edge >= end) ?? run.until),
      };
      return { from: start, until: end, run, span };
    });
  });
}

/** True if an item could exceed its daily limit by playing in every possible round of the day. */
export function mayReachLimit(
  { item, durationMs }: TimedItem,
  { items, validity }: PlayablePlaylist,
  day: Interval,
  parts: number,
): boolean {
  const playsAlways = (timedItem: TimedItem) =>
    !validity.has(timedItem) && timedItem.item.max_plays_per_day === undefined && timedItem.item.max_plays_per_hour === undefined;
  const minRoundMs = items.reduce((sum, timedItem) => (playsAlways(timedItem) ? sum + timedItem.durationMs : sum), durationMs);
  const maxRounds = Math.ceil((day.until - day.from) / minRoundMs) + parts;
  const { max_plays_per_day: dayLimit, max_plays_per_hour: hourLimit } = item;
  const hours = Math.ceil((day.until - day.from) / hourMs) + parts;
  return dayLimit! < Math.min(maxRounds, hourLimit === undefined ? maxRounds : hours * hourLimit);
}

/** The plays of all items with a daily limit. */
export function dueTimesOf(playlist: PlayablePlaylist, day: Interval, parts: readonly Part[]): DuePlay[] {
  const limitedItems = playlist.items.filter(hasDailyLimit);
  return limitedItems.flatMap((timedItem, index) => dueTimesOfItem(timedItem, index, limitedItems.length, playlist, day, parts));
}

/**
 * The plays of one item: evenly spaced over the time in which it is valid and on screen, each of the `of` limited items at
 * another part of the spacing. If some parts last a whole round, the others do not count.
 */
function dueTimesOfItem(
  timedItem: TimedItem,
  index: number,
  of: number,
  { items, validity }: PlayablePlaylist,
  day: Interval,
  parts: readonly Part[],
): DuePlay[] {
  const roundMs = items.reduce((sum, { durationMs }) => sum + durationMs, 0);
  const validTimes = validity.get(timedItem)?.between(day.from, day.until) ?? [day];
  const validParts = parts.filter(({ from }) => validTimes.some((time) => time.from <= from && from < time.until));
  const longParts = validParts.filter(({ span }) => span.until - span.from >= roundMs);
  const usableParts = longParts.length > 0 ? longParts : validParts;
  const totalMs = usableParts.reduce((sum, { from, until }) => sum + until - from, 0);
  const count = timedItem.item.max_plays_per_day!;
  const due: DuePlay[] = [];
  let passedMs = 0;
  for (const { from, until, run } of usableParts) {
    while (due.length < count) {
      const intoMs = Math.floor(((2 * (due.length * of + index) + 1) * totalMs) / (2 * of * count));
      if (intoMs >= passedMs + until - from) break;
      due.push({ timedItem, at: from + intoMs - passedMs, run });
    }
    passedMs += until - from;
  }
  return due;
}
