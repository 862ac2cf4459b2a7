// The loop of one zone: which loop is in force, when a changed loop takes over, and the plays that follow. Pure.
import { deepEqual } from "../base/deep-equal.ts";
import { playAt, type Play, type Timeline } from "../schedule/timeline.ts";
import type { TimedItem } from "../schedule/playlist/playable-playlist.ts";

/** A zone's loop in force, and the loop that takes over when the current item ends. */
export interface ZonePlayback {
  current: Timeline;
  /** When the loop came into force. None of its plays was shown before. Negative infinity if unknown. */
  since: number;
  next: { timeline: Timeline; from: number } | null;
}

/** A play, limited to the span in which its loop is in force. */
export interface LimitedPlay extends Play {
  /** How far into the item it starts. */
  offsetMs: number;
  /** When it would end if the program did not change. */
  wholeEndsAt: number;
}

// The page gets the plays of this span, so that it can continue alone while the player is busy.
const horizonMs = 5_000;
const minSlots = 3;
// The page skips items that it cannot show, so it gets this many different items, or the whole loop.
const minItems = 8;
const maxSlots = 40;

/** The zone's playback after its loop changed to that of `fresh` at `instant`. */
export function changeLoop(old: ZonePlayback, fresh: ZonePlayback, instant: number): ZonePlayback {
  const timeline = fresh.current;
  if (deepEqual(old.current, timeline)) return { ...old, next: null };
  // Another window, turn or override of the same layout starts its own loop, as on a player that has just started.
  if (old.current.epochMs !== timeline.epochMs) return fresh;
  // A skip, a pause or a resume changes the item on the screen at once.
  if (isSameLoop(old.current, timeline)) return { ...old, current: timeline, next: null };
  // A pause also holds an item that finishes while another loop waits.
  const current = { ...old.current, pause: timeline.pause };
  const onScreen = playAt(current, instant);
  const continues =
    onScreen !== null && onScreen.startsAt !== instant && itemsOf(timeline).some((timedItem) => deepEqual(timedItem, onScreen.timedItem));
  return continues ? { ...old, current, next: { timeline, from: onScreen.endsAt } } : fresh;
}

/** The zone's playback at `instant`, after a pending loop has replaced the current one. */
export function inForce(zone: ZonePlayback, instant: number): ZonePlayback {
  const { next } = zone;
  return next !== null && instant >= next.from ? { current: next.timeline, since: next.from, next: null } : zone;
}

/** The play at `instant` and those that follow. No play extends beyond `until`, where the program changes. */
export function playsFrom(zone: ZonePlayback, instant: number, until: number): LimitedPlay[] {
  const plays: LimitedPlay[] = [];
  const minPlays = Math.max(minSlots, Math.min(minItems, inForce(zone, instant).current.items.length));
  let at = instant;
  while (at < until && plays.length < maxSlots && (plays.length < minPlays || at < instant + horizonMs)) {
    const { current, since, next } = inForce(zone, at);
    const play = playAt(current, at);
    if (play === null) break;
    // If a new loop took over in the middle of a play, the play appears then, as far into its item as its loop is.
    const startsAt = plays.length === 0 ? Math.max(play.startsAt, Math.min(since, at)) : at;
    const wholeEndsAt = next === null ? play.endsAt : Math.min(play.endsAt, next.from);
    const endsAt = Math.min(wholeEndsAt, until);
    plays.push({ timedItem: play.timedItem, startsAt, endsAt, wholeEndsAt, offsetMs: startsAt - play.startsAt });
    at = endsAt;
  }
  return plays;
}

/** All items of a loop, including those with a daily limit. */
export function itemsOf({ items, dailyPlays }: Timeline): readonly TimedItem[] {
  return dailyPlays === null ? items : [...items, ...dailyPlays.items];
}

function isSameLoop(a: Timeline, b: Timeline): boolean {
  return a.epochMs === b.epochMs && deepEqual(a.items, b.items) && deepEqual(a.dailyPlays?.items, b.dailyPlays?.items);
}
