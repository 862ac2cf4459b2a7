// Decides what should be on screen at an instant. Pure: no clock, no disk, no memory of what was.
import { loopEpochMs, type DesiredAsset, type DesiredLayout } from "../protocol/desired.ts";
import { assetIdsOf, type PlaylistItem } from "../protocol/items.ts";
import type { Zone } from "../protocol/resources.ts";
import type { Ready } from "./content-cache.ts";
import { durationOf } from "./scene-item.ts";

/** An item that can be shown, with its file where it has one, and how long it stays. */
export interface TimedItem {
  item: PlaylistItem;
  asset: DesiredAsset | null;
  /** The picture that goes with an audio item. */
  artwork: DesiredAsset | null;
  durationMs: number;
}

/** A loop: items in order, counted from the fixed epoch. `totalMs` is 0 when there is none. */
export interface Timeline {
  items: readonly TimedItem[];
  totalMs: number;
}

/** One play of one item; `startsAt` and `endsAt` in UTC ms, the end excluded. */
export interface Play {
  timed: TimedItem;
  startsAt: number;
  endsAt: number;
}

/** What each zone of the layout loops. `layout: null` means that nothing is assigned. */
export interface Program {
  layout: DesiredLayout | null;
  zones: readonly { zone: Zone; timeline: Timeline }[];
  timezone: string | null;
}

/** The program at `instant` (UTC ms) and the next instant at which it changes, Infinity if it does not. */
export function programAt(ready: Ready, _instant: number): { program: Program; changesAt: number } {
  const { layout, playlists, player } = ready.desired;
  const timelines = new Map(playlists.map(({ id, items }) => [id, timelineOf(items, ready)]));
  const zones = (layout?.zones ?? []).map((zone) => ({
    zone,
    timeline: (zone.playlist_id === null ? undefined : timelines.get(zone.playlist_id)) ?? emptyTimeline,
  }));
  return {
    program: { layout, zones, timezone: player.timezone },
    changesAt: Number.POSITIVE_INFINITY,
  };
}

/** The play that `instant` falls in; null when the loop is empty. */
export function playAt(timeline: Timeline, instant: number): Play | null {
  const { items, totalMs } = timeline;
  if (totalMs <= 0) return null;
  const intoLoop = (((instant - loopEpochMs) % totalMs) + totalMs) % totalMs;
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

const emptyTimeline: Timeline = { items: [], totalMs: 0 };

/** An item whose file is not proven is left out: it would be a hole in the loop. */
function timelineOf(items: readonly PlaylistItem[], ready: Ready): Timeline {
  const timed: TimedItem[] = [];
  for (const item of items) {
    const ids = assetIdsOf(item);
    const assets = ids.map((id) => ready.desired.assets.find((asset) => asset.id === id && ready.files.has(id)));
    if (assets.includes(undefined)) continue;
    const [asset = null, artwork = null] = assets;
    timed.push({ item, asset, artwork, durationMs: durationOf(item, asset) });
  }
  return { items: timed, totalMs: timed.reduce((sum, { durationMs }) => sum + durationMs, 0) };
}
