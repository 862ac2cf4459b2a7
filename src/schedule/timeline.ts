// The loop of a zone: which item plays at an instant, counted from an epoch, with its skips, its pause and its daily plays.
import type { DailyPlay, DailyPlays } from "./limits/daily-limits.ts";
import type { TimedItem } from "./playlist/playable-playlist.ts";

/** A play that ended early: the play of `itemId` that begins at `startsAt` in the loop ended at `at`. */
export interface Skip {
  itemId: string;
  startsAt: number;
  at: number;
}

/** A loop of items in order, counted from `epochMs`. `totalMs` is 0 if there are none. */
export interface Timeline {
  items: readonly TimedItem[];
  totalMs: number;
  epochMs: number;
  /** The play after a skipped one begins early and ends at its usual time. */
  skips: readonly Skip[];
  /** The pause: from `from` to `until` the item of `from` stays; then the loop is where it would have been. */
  pause: { from: number; until: number } | null;
  /** Plays during which the loop waits; null: there are none. */
  dailyPlays: DailyPlays | null;
}

/** One play of one item; `startsAt` and `endsAt` in UTC ms, the end excluded. */
export interface Play {
  timedItem: TimedItem;
  startsAt: number;
  endsAt: number;
}

/** The play at `instant`; null if the loop is empty. */
export function playAt(timeline: Timeline, instant: number): Play | null {
  const { pause } = timeline;
  if (pause === null || instant < pause.from || instant >= pause.until) return unpausedPlayAt(timeline, instant);
  const pausedPlay = unpausedPlayAt(timeline, pause.from);
  if (pausedPlay === null) return null;
  // If the item still plays when the pause ends, it is one play, not two.
  return { ...pausedPlay, endsAt: Math.max(pause.until, pausedPlay.endsAt) };
}

/** The play that a skip at `instant` ends, by its place in the loop; null if the loop is empty. */
export function skipTargetAt(timeline: Timeline, instant: number): Omit<Skip, "at"> | null {
  const play = scheduledPlayAt(timeline, instant);
  return play === null ? null : { itemId: play.timedItem.item.id, startsAt: play.startsAt };
}

/** When the next play of each item begins after `instant`, by item id. Ignores skips and pauses. */
export function nextPlayStarts({ items, totalMs, epochMs, dailyPlays }: Timeline, instant: number): Map<string, number> {
  const next = new Map<string, number>();
  if (totalMs <= 0) return next;
  const upcoming = dailyPlays?.plays.filter(({ at }) => at > instant) ?? [];
  for (const { timedItem, at } of upcoming) if (!next.has(timedItem.item.id)) next.set(timedItem.item.id, at);
  const countsFrom = epochMs + waitedMsAt(dailyPlays, instant);
  let startsAt = countsFrom + Math.floor((instant - countsFrom) / totalMs) * totalMs;
  for (const timedItem of [...items, ...items]) {
    while (upcoming[0] !== undefined && upcoming[0].at <= startsAt) startsAt += upcoming.shift()!.timedItem.durationMs;
    if (startsAt > instant && !next.has(timedItem.item.id)) next.set(timedItem.item.id, startsAt);
    startsAt += timedItem.durationMs;
  }
  return next;
}

function unpausedPlayAt(timeline: Timeline, instant: number): Play | null {
  const play = scheduledPlayAt(timeline, instant);
  if (play === null || timeline.skips.length === 0) return play;
  return { ...play, startsAt: actualStart(timeline, play), endsAt: actualEnd(timeline, play) };
}

/** The play at `instant` with its times in the loop: the one that the clock gives, or after skips a later one. */
function scheduledPlayAt(timeline: Timeline, instant: number): Play | null {
  let play = loopPlayAt(timeline, instant);
  if (timeline.skips.length === 0) return play;
  while (play !== null && instant >= actualEnd(timeline, play)) play = loopPlayAt(timeline, play.endsAt);
  return play;
}

function actualStart(timeline: Timeline, play: Play): number {
  const previous = loopPlayAt(timeline, play.startsAt - 1)!;
  return skipOf(timeline, previous)?.at ?? play.startsAt;
}

function actualEnd(timeline: Timeline, play: Play): number {
  return skipOf(timeline, play)?.at ?? play.endsAt;
}

function skipOf({ skips }: Timeline, play: Play): Skip | undefined {
  return skips.find(({ itemId, startsAt }) => startsAt === play.startsAt && itemId === play.timedItem.item.id);
}

/** The play at `instant` without skips and pauses. */
function loopPlayAt({ items, totalMs, epochMs, dailyPlays }: Timeline, instant: number): Play | null {
  if (totalMs <= 0) return null;
  const last = lastDailyPlay(dailyPlays, instant);
  if (last !== undefined && instant < last.at + last.timedItem.durationMs) {
    return { timedItem: last.timedItem, startsAt: last.at, endsAt: last.at + last.timedItem.durationMs };
  }
  const countsFrom = epochMs + waitedMsAt(dailyPlays, instant);
  const intoLoop = (((instant - countsFrom) % totalMs) + totalMs) % totalMs;
  // Add integers only, so that a play has the same start for every instant in it.
  let startsAt = Math.round(instant - intoLoop);
  for (const timedItem of items) {
    const endsAt = startsAt + timedItem.durationMs;
    if (instant < endsAt) return { timedItem, startsAt, endsAt };
    startsAt = endsAt;
  }
  // Rounding moved the instant to the very end of the loop: it belongs to the next round.
  const first = items[0]!;
  return { timedItem: first, startsAt, endsAt: startsAt + first.durationMs };
}

/** The last of the daily plays that has begun by `instant`. */
function lastDailyPlay(dailyPlays: DailyPlays | null, instant: number): DailyPlay | undefined {
  if (dailyPlays === null) return undefined;
  let [low, high] = [0, dailyPlays.plays.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (dailyPlays.plays[middle]!.at > instant) high = middle;
    else low = middle + 1;
  }
  return dailyPlays.plays[low - 1];
}

/** How long daily plays have delayed the loop since its epoch, in ms. A play that has begun by `instant` counts completely. */
function waitedMsAt(dailyPlays: DailyPlays | null, instant: number): number {
  return lastDailyPlay(dailyPlays, instant)?.waitedMs ?? dailyPlays?.waitedMs ?? 0;
}
