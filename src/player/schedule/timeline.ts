// Loops: which item of a playlist is on at an instant, counted from an epoch, with what was skipped and held.
import type { DesiredAsset } from "../../protocol/desired.ts";
import { assetIdsOf, type PlaylistItem } from "../../protocol/items.ts";
import { durationOf } from "../scene-item.ts";
import { withinLimits, type TurnOfHour } from "./rounds.ts";

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
export function skippedAt(timeline: Timeline, instant: number): Omit<Skip, "at"> | null {
  const place = placeAt(timeline, instant);
  return place === null ? null : { itemId: place.timed.item.id, startsAt: place.startsAt };
}

/** When each item of the loop begins next after `instant`, by its id; what is skipped or held left aside. */
export function nextPlays({ items, totalMs, epochMs }: Timeline, instant: number): Map<string, number> {
  const next = new Map<string, number>();
  if (totalMs <= 0) return next;
  let startsAt = epochMs + Math.floor((instant - epochMs) / totalMs) * totalMs;
  for (const timed of [...items, ...items]) {
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

function loopAt({ items, totalMs, epochMs }: Timeline, instant: number): Play | null {
  if (totalMs <= 0) return null;
  const intoLoop = (((instant - epochMs) % totalMs) + totalMs) % totalMs;
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

/** The items of a playlist that have what they need, and when each may be shown. */
export interface Reel {
  items: readonly TimedItem[];
  /** Instants at which an item begins or ends to be valid, in order. */
  changes: readonly number[];
}

/** An item whose file is not proven is left out: it would be a hole in the loop. */
export function reelOf(
  items: readonly PlaylistItem[],
  assets: ReadonlyMap<string, DesiredAsset>,
  files: ReadonlyMap<string, string>,
): Reel {
  const timed: TimedItem[] = [];
  const changes = new Set<number>();
  for (const item of items) {
    const needed = assetIdsOf(item).map((id) => (files.has(id) ? assets.get(id) : undefined));
    if (needed.includes(undefined)) continue;
    const [asset = null, artwork = null] = needed;
    timed.push({ item, asset, artwork, durationMs: durationOf(item, asset) });
    for (const edge of [item.valid_from, item.valid_until]) if (edge !== undefined) changes.add(Date.parse(edge));
  }
  return { items: timed, changes: [...changes].toSorted((a, b) => a - b) };
}

/** When the loop of a layout counts anew; see `Presence` of the agenda. */
type PresenceOf = { from: number; until: number; restartOf(loopMs: number): number | null };

/**
 * The loop of what is valid at `instant`, within its limits, and the next instant at which something else is; Infinity: never.
 * @param presence how long its layout stays on; null: counted by `turn`
 */
export function loopOf(
  reel: Reel,
  instant: number,
  epochMs: number,
  turn: TurnOfHour | null,
  presence: (() => PresenceOf) | null,
): { timeline: Timeline; changesAt: number } {
  const valid = reel.changes.length === 0 ? reel.items : reel.items.filter(({ item }) => isValid(item, instant));
  const changesAt = reel.changes.find((change) => change > instant) ?? Number.POSITIVE_INFINITY;
  let items = withinLimits(valid, turn, false);
  let countsFrom = epochMs;
  if (items !== valid && presence !== null) {
    const restart = restartFor(valid, presence(), lengthOf(items));
    if (restart !== null) [items, countsFrom] = [withinLimits(valid, turn, true), restart];
  }
  return { timeline: { items, totalMs: lengthOf(items), epochMs: countsFrom, skips: [], hold: null }, changesAt };
}

/** The instant from which a loop of `loopMs` counts that, or an item of which, is on for less than its length; null: its epoch. */
function restartFor(valid: readonly TimedItem[], presence: PresenceOf, loopMs: number): number | null {
  const begins = valid.flatMap(({ item: { valid_from, valid_until, max_plays_per_hour } }) => {
    if (max_plays_per_hour === undefined) return [];
    const from = valid_from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(valid_from);
    const until = valid_until === undefined ? Number.POSITIVE_INFINITY : Date.parse(valid_until);
    return from > presence.from && Math.min(until, presence.until) - from < loopMs ? [from] : [];
  });
  return begins.length === 0 ? presence.restartOf(loopMs) : Math.max(...begins);
}

function lengthOf(items: readonly TimedItem[]): number {
  return items.reduce((sum, { durationMs }) => sum + durationMs, 0);
}

function isValid({ valid_from, valid_until }: PlaylistItem, instant: number): boolean {
  return (
    (valid_from === undefined || instant >= Date.parse(valid_from)) && (valid_until === undefined || instant < Date.parse(valid_until))
  );
}
