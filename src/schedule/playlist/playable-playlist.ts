// The items of a playlist that can be shown on a player, with their durations and the times in which they are valid.
import { assetIdsOf, itemDurationMs, type PlaylistItem } from "../../protocol/content/items.ts";
import type { DesiredAsset } from "../../protocol/device/desired-state.ts";
import { calendarIdsOf, type Condition } from "../../protocol/scheduling/conditions.ts";
import type { Variables } from "../../protocol/scheduling/variables.ts";
import { unmetReason, unmetTag, unmetVariable } from "../agenda/player-conditions.ts";
import type { CalendarDates } from "../calendar/condition-cuts.ts";
import { joinIntervals, type Interval } from "../calendar/intervals.ts";
import type { TimeZoneRules } from "../calendar/time-zone.ts";
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
  /** The items that a condition keeps out at any time. */
  exclusions: readonly ExcludedItem[];
}

/** An item that a condition keeps out, and why. */
interface ExcludedItem {
  itemId: string;
  reason: string;
}

/** The inputs, besides the items, that decide which of them can be shown and when. */
interface PlaylistContext {
  assets: ReadonlyMap<string, DesiredAsset>;
  /** The files that are present. */
  files: ReadonlyMap<string, string>;
  calendars: CalendarDates;
  tags: readonly string[];
  timeZone: TimeZoneRules;
}

export const emptyPlaylist: PlayablePlaylist = { items: [], validity: new Map(), exclusions: [] };

/**
 * The items whose files are present, without those whose conditions exclude this player. An item without its file would be a gap
 * in the loop. Conditions of variables are left to {@link withVariables}.
 */
export function playablePlaylist(
  items: readonly PlaylistItem[],
  { assets, files, calendars, tags, timeZone }: PlaylistContext,
): PlayablePlaylist {
  const playable: TimedItem[] = [];
  const validity = new Map<TimedItem, ItemValidity>();
  const exclusions: ExcludedItem[] = [];
  for (const item of items) {
    const reason = exclusionOf(item.conditions ?? [], tags, calendars);
    if (reason !== null) {
      exclusions.push({ itemId: item.id, reason });
      continue;
    }
    const itemAssets = assetIdsOf(item).map((id) => (files.has(id) ? assets.get(id) : undefined));
    if (itemAssets.includes(undefined)) continue;
    const [asset = null, artwork = null] = itemAssets;
    const timedItem = { item, asset, artwork, durationMs: itemDurationMs(item, asset) };
    playable.push(timedItem);
    const ownValidity = itemValidity(item, timeZone, calendars);
    if (ownValidity !== null) validity.set(timedItem, ownValidity);
  }
  return { items: playable, validity, exclusions };
}

/** Why a condition keeps an item out whatever the time and the variables; null: none does. */
function exclusionOf(conditions: readonly Condition[], tags: readonly string[], calendars: CalendarDates): string | null {
  const missing = calendarIdsOf(conditions).find((id) => !calendars.has(id));
  if (missing !== undefined) return `its calendar ${missing} does not exist`;
  const unmet = unmetTag(conditions, tags);
  return unmet === undefined ? null : unmetReason(unmet);
}

/** The playlist without the items whose conditions of variables do not hold; the same object if they all hold. */
export function withVariables(playlist: PlayablePlaylist, variables: Variables): PlayablePlaylist {
  const exclusions: ExcludedItem[] = [];
  const items = playlist.items.filter(({ item: { id: itemId, conditions = [] } }) => {
    const unmet = unmetVariable(conditions, variables);
    if (unmet !== undefined) exclusions.push({ itemId, reason: unmetReason(unmet) });
    return unmet === undefined;
  });
  if (exclusions.length === 0) return playlist;
  const remainingItems = new Set(items);
  const validity = new Map([...playlist.validity].filter(([timedItem]) => remainingItems.has(timedItem)));
  return { items, validity, exclusions: [...playlist.exclusions, ...exclusions] };
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
    items: items.filter((timedItem) => isValid(validity.get(timedItem) ?? null, instant)),
    from: instant,
    until: [...validity.values()].reduce((min, each) => Math.min(min, each.nextEdge(instant)), Number.POSITIVE_INFINITY),
  };
  lastValidItems.set(playlist, valid);
  return valid;
}

/** The times from `from` to `until`, UTC ms, in which one item or more is valid, in order; those that touch are joined. */
export function validTimesOf({ items, validity }: PlayablePlaylist, from: number, until: number): Interval[] {
  const times: Interval[] = [];
  for (const timedItem of items) {
    const own = validity.get(timedItem)?.between(from, until) ?? [{ from, until }];
    if (own.length === 1 && own[0]!.from <= from && own[0]!.until >= until) return own;
    times.push(...own);
  }
  return joinIntervals(times);
}

/** The total duration of items in ms. */
export function totalMsOf(items: readonly TimedItem[]): number {
  return items.reduce((sum, { durationMs }) => sum + durationMs, 0);
}
