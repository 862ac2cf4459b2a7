// The items of a playlist that can be shown, with their durations and the times in which they are valid.
import { assetIdsOf, type PlaylistItem } from "../../protocol/content/items.ts";
import type { DesiredAsset } from "../../protocol/device/desired-state.ts";
import type { Interval } from "../calendar/intervals.ts";
import type { TimeZoneRules } from "../calendar/time-zone.ts";
import { itemDurationMs } from "../item-duration.ts";
import { isValid, itemValidity, type ItemValidity } from "./item-validity.ts";

/** An item that can be shown, with its file if it has one. */
export interface TimedItem {
  item: PlaylistItem;
  asset: DesiredAsset | null;
  /** The picture of an audio item. */
  artwork: DesiredAsset | null;
  durationMs: number;
}

export interface PlayablePlaylist {
  items: readonly TimedItem[];
  /** Of the items that are not always valid. */
  validity: ReadonlyMap<TimedItem, ItemValidity>;
}

export const emptyPlaylist: PlayablePlaylist = { items: [], validity: new Map() };

/** The items whose files are present. An item without its file would be a gap in the loop. */
export function playablePlaylist(
  items: readonly PlaylistItem[],
  assets: ReadonlyMap<string, DesiredAsset>,
  files: ReadonlyMap<string, string>,
  timeZone: TimeZoneRules,
): PlayablePlaylist {
  const playable: TimedItem[] = [];
  const validity = new Map<TimedItem, ItemValidity>();
  for (const item of items) {
    const needed = assetIdsOf(item).map((id) => (files.has(id) ? assets.get(id) : undefined));
    if (needed.includes(undefined)) continue;
    const [asset = null, artwork = null] = needed;
    const timed = { item, asset, artwork, durationMs: itemDurationMs(item, asset) };
    playable.push(timed);
    const ownValidity = itemValidity(item, timeZone);
    if (ownValidity !== null) validity.set(timed, ownValidity);
  }
  return { items: playable, validity };
}

/** The valid items of an interval. */
export interface ValidItems extends Interval {
  items: readonly TimedItem[];
}

// Asked at each change of item, and dayparts are slow to compute.
const lastValidItems = new WeakMap<PlayablePlaylist, ValidItems>();

/** The items that are valid at `instant`, and until when this set stays the same. */
export function validItemsAt(playlist: PlayablePlaylist, instant: number): ValidItems {
  const { items, validity } = playlist;
  if (validity.size === 0) return { items, from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY };
  const last = lastValidItems.get(playlist);
  if (last !== undefined && last.from <= instant && instant < last.until) return last;
  const valid: ValidItems = {
    items: items.filter((timed) => isValid(validity.get(timed) ?? null, instant)),
    from: instant,
    until: [...validity.values()].reduce((min, each) => Math.min(min, each.nextEdge(instant)), Number.POSITIVE_INFINITY),
  };
  lastValidItems.set(playlist, valid);
  return valid;
}

/** The total duration of items in ms. */
export function totalMsOf(items: readonly TimedItem[]): number {
  return items.reduce((sum, { durationMs }) => sum + durationMs, 0);
}
