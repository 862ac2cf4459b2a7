// Loops: which item of a playlist is on at an instant, counted from an epoch, with what was skipped and held.
import type { DesiredAsset } from "../protocol/device/desired-state.ts";
import { assetIdsOf, type PlaylistItem } from "../protocol/content/items.ts";
import { itemDurationMs as durationOf } from "./item-duration.ts";
import { dailyLimitsAt, type DailyPlay, type DailyPlays, type DailyTiming } from "./limits/daily-limits.ts";
import { loopRestart } from "./limits/restarts.ts";
import { withinLimits } from "./limits/hourly-limits.ts";
import { isValid, itemValidity, type Validity } from "./validity.ts";
import type { TimeZoneRules } from "./calendar/time-zone.ts";

/** An item that can be shown, with its file where it has one, and how long it stays. */
export interface TimedItem {
  item: PlaylistItem;
  asset: DesiredAsset | null;
  /** The picture that goes with an audio item. */
  artwork: DesiredAsset | null;
  durationMs: number;
}

/** A play that gave way before its end: that of `itemId` which begins at `startsAt` in its loop, at the instant `at`. */
export interface Skip {
  itemId: string;
  startsAt: number;
  at: number;
}

/** A loop: items in order, counted from `epochMs`. `totalMs` is 0 when there is none. */
export interface Timeline {
  items: readonly TimedItem[];
  totalMs: number;
  epochMs: number;
  /** What was skipped; what follows comes on early and stays until it would have ended. */
  skips: readonly Skip[];
  /** From `from` to `until` the item of `from` stays; then the loop is where it would have been. */
  hold: { from: number; until: number } | null;
  /** What comes in besides, while the loop waits; null: nothing does. */
  daily: DailyPlays | null;
}

/** One play of one item; `startsAt` and `endsAt` in UTC ms, the end excluded. */
export interface Play {
  timed: TimedItem;
  startsAt: number;
  endsAt: number;
}

/** The play that `instant` falls in; null when the loop is empty. */
export function playAt(timeline: Timeline, instant: number): Play | null {
  const { hold } = timeline;
  if (hold === null || instant < hold.from || instant >= hold.until) return unheldAt(timeline, instant);
  const held = unheldAt(timeline, hold.from);
  if (held === null) return null;
  // Still on when the hold ends, it is one play, not two.
  return { ...held, endsAt: Math.max(hold.until, held.endsAt) };
}

/** What a skip at `instant` would skip: the play on then, by its place in the loop. Null when the loop is empty. */
export function skipTargetAt(timeline: Timeline, instant: number): Omit<Skip, "at"> | null {
  const place = placeAt(timeline, instant);
  return place === null ? null : { itemId: place.timed.item.id, startsAt: place.startsAt };
}

/** When each item of the loop begins next after `instant`, by its id; what is skipped or held left aside. */
export function nextPlayStarts({ items, totalMs, epochMs, daily }: Timeline, instant: number): Map<string, number> {
  const next = new Map<string, number>();
  if (totalMs <= 0) return next;
  const coming = daily?.plays.filter(({ at }) => at > instant) ?? [];
  for (const { timed, at } of coming) if (!next.has(timed.item.id)) next.set(timed.item.id, at);
  const countsFrom = epochMs + waitedAt(daily, instant);
  let startsAt = countsFrom + Math.floor((instant - countsFrom) / totalMs) * totalMs;
  for (const timed of [...items, ...items]) {
    while (coming[0] !== undefined && coming[0].at <= startsAt) startsAt += coming.shift()!.timed.durationMs;
    if (startsAt > instant && !next.has(timed.item.id)) next.set(timed.item.id, startsAt);
    startsAt += timed.durationMs;
  }
  return next;
}

function unheldAt(timeline: Timeline, instant: number): Play | null {
  const place = placeAt(timeline, instant);
  if (place === null || timeline.skips.length === 0) return place;
  return { ...place, startsAt: begin(timeline, place), endsAt: end(timeline, place) };
}

/** The place in the loop that is on at `instant`: with nothing skipped the one that the clock says, else a later one. */
function placeAt(timeline: Timeline, instant: number): Play | null {
  let place = loopAt(timeline, instant);
  if (timeline.skips.length === 0) return place;
  while (place !== null && instant >= end(timeline, place)) place = loopAt(timeline, place.endsAt);
  return place;
}

/** When a play really begins: as soon as the one before it was skipped. */
function begin(timeline: Timeline, play: Play): number {
  const before = loopAt(timeline, play.startsAt - 1)!;
  return skipOf(timeline, before)?.at ?? play.startsAt;
}

function end(timeline: Timeline, play: Play): number {
  return skipOf(timeline, play)?.at ?? play.endsAt;
}

function skipOf({ skips }: Timeline, play: Play): Skip | undefined {
  return skips.find(({ itemId, startsAt }) => startsAt === play.startsAt && itemId === play.timed.item.id);
}

function loopAt({ items, totalMs, epochMs, daily }: Timeline, instant: number): Play | null {
  if (totalMs <= 0) return null;
  const last = lastDaily(daily, instant);
  if (last !== undefined && instant < last.at + last.timed.durationMs) {
    return { timed: last.timed, startsAt: last.at, endsAt: last.at + last.timed.durationMs };
  }
  const countsFrom = epochMs + waitedAt(daily, instant);
  const intoLoop = (((instant - countsFrom) % totalMs) + totalMs) % totalMs;
  // Adding integers only: the start of a play is the same number whichever instant of it is asked for.
  let startsAt = Math.round(instant - intoLoop);
  for (const timed of items) {
    const endsAt = startsAt + timed.durationMs;
    if (instant < endsAt) return { timed, startsAt, endsAt };
    startsAt = endsAt;
  }
  // Rounding put the instant at the very end of the loop: the next one begins.
  const first = items[0]!;
  return { timed: first, startsAt, endsAt: startsAt + first.durationMs };
}

/** The last of the day's plays that has begun by `instant`. */
function lastDaily(daily: DailyPlays | null, instant: number): DailyPlay | undefined {
  if (daily === null) return undefined;
  let [low, high] = [0, daily.plays.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (daily.plays[middle]!.at > instant) high = middle;
    else low = middle + 1;
  }
  return daily.plays[low - 1];
}

/** For how long the loop has waited by `instant`. */
function waitedAt(daily: DailyPlays | null, instant: number): number {
  return lastDaily(daily, instant)?.waitedMs ?? daily?.waitedMs ?? 0;
}

/** The items of a playlist that have what they need, and when each may be shown. */
export interface PlayablePlaylist {
  items: readonly TimedItem[];
  /** Of the items that are not always valid. */
  validity: ReadonlyMap<TimedItem, Validity>;
}

/** An item whose file is not proven is left out: it would be a hole in the loop. */
export function playablePlaylist(
  items: readonly PlaylistItem[],
  assets: ReadonlyMap<string, DesiredAsset>,
  files: ReadonlyMap<string, string>,
  zone: TimeZoneRules,
): PlayablePlaylist {
  const timed: TimedItem[] = [];
  const validity = new Map<TimedItem, Validity>();
  for (const item of items) {
    const needed = assetIdsOf(item).map((id) => (files.has(id) ? assets.get(id) : undefined));
    if (needed.includes(undefined)) continue;
    const [asset = null, artwork = null] = needed;
    const each = { item, asset, artwork, durationMs: durationOf(item, asset) };
    timed.push(each);
    const own = itemValidity(item, zone);
    if (own !== null) validity.set(each, own);
  }
  return { items: timed, validity };
}

/** When the loop of a layout counts anew; see `Presence` of the agenda. */
type PresenceOf = { from: number; until: number; loopRestart(loopMs: number): number | null };

/** What the loop of a zone hangs on besides its reel and the instant; see `Decision`. */
export interface LoopTiming extends DailyTiming {
  epochMs: number;
  /** How long its layout stays on; null: counted by `turn`. */
  layoutRun: (() => PresenceOf) | null;
}

const dayMs = 86_400_000;

/** The loop of what is valid at `instant`, within its limits, and the next instant at which something else is; Infinity: never. */
export function timelineAt(reel: PlayablePlaylist, instant: number, timing: LoopTiming): { timeline: Timeline; changesAt: number } {
  const { epochMs, turn, layoutRun: presence } = timing;
  const { items: valid, until } = validAt(reel, instant);
  const daily = dailyLimitsAt(reel, valid, instant, timing);
  // What is limited by the day comes in between: it takes no time of the loop, only a place in its rounds.
  const looped =
    daily === null || daily.items.length === 0
      ? valid
      : valid.map((timed) => (daily.items.includes(timed) ? { ...timed, durationMs: 0 } : timed));
  let items = withinLimits(looped, turn, false);
  let countsFrom = epochMs;
  if (items !== looped && presence !== null) {
    const restart = restartFor(reel, valid, instant, presence(), lengthOf(items));
    if (restart !== null) [items, countsFrom] = [withinLimits(looped, turn, true), restart];
  }
  const plays = looped === valid ? null : daily!.playsIn(items, countsFrom);
  const rest = plays === null ? items : items.filter(({ durationMs }) => durationMs > 0);
  return {
    timeline: { items: rest, totalMs: lengthOf(rest), epochMs: countsFrom, skips: [], hold: null, daily: plays },
    changesAt: Math.min(until, daily?.until ?? Number.POSITIVE_INFINITY),
  };
}

interface ValidItems {
  items: readonly TimedItem[];
  from: number;
  until: number;
}

// Asked for with each change of item, and dayparts take a while.
const lastValid = new WeakMap<PlayablePlaylist, ValidItems>();

/** The valid items at `instant`, and until when it is these. */
function validAt(reel: PlayablePlaylist, instant: number): ValidItems {
  const { items, validity } = reel;
  if (validity.size === 0) return { items, from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY };
  const last = lastValid.get(reel);
  if (last !== undefined && last.from <= instant && instant < last.until) return last;
  const valid: ValidItems = {
    items: items.filter((timed) => isValid(validity.get(timed) ?? null, instant)),
    from: instant,
    until: [...validity.values()].reduce((least, each) => Math.min(least, each.nextEdge(instant)), Number.POSITIVE_INFINITY),
  };
  lastValid.set(reel, valid);
  return valid;
}

/** The instant from which a loop of `loopMs` counts that, or an item of which, is on for less than its length; null: its epoch. */
function restartFor(
  { validity }: PlayablePlaylist,
  valid: readonly TimedItem[],
  instant: number,
  presence: PresenceOf,
  loopMs: number,
): number | null {
  const begins = valid.flatMap((timed) => {
    const own = timed.item.max_plays_per_hour === undefined ? undefined : validity.get(timed);
    return own === undefined ? [] : (itemRestart(own, instant, presence, loopMs) ?? []);
  });
  return begins.length === 0 ? presence.loopRestart(loopMs) : Math.max(...begins);
}

/** The same for one item, whose times of validity within an hour share its plays as short windows do. */
function itemRestart(validity: Validity, instant: number, presence: PresenceOf, loopMs: number): number | null {
  const first = (Math.floor(instant / dayMs) - 3) * dayMs;
  const around = validity.between(first, first + 6 * dayMs);
  const own = around.find(({ from, until }) => from <= instant && instant < until)!;
  const isWhole = own.from <= presence.from || Math.min(own.until, presence.until) - own.from >= loopMs;
  return isWhole ? null : loopRestart(own, around, around[0]!.from === first, loopMs);
}

function lengthOf(items: readonly TimedItem[]): number {
  return items.reduce((sum, { durationMs }) => sum + durationMs, 0);
}
