// Turns plays into the slots that the page gets. Slots are named so that the page recognizes the same play and the same item. Pure.
import { hashText } from "../base/text-hash.ts";
import type { DesiredAsset } from "../protocol/device/desired-state.ts";
import type { Zone } from "../protocol/operator/resources.ts";
import type { Slot } from "../protocol/scene.ts";
import type { TimedItem } from "../schedule/playlist/playable-playlist.ts";
import type { Timeline } from "../schedule/timeline.ts";
import { changesDuringPlays, identityOf, sceneItemOf, type ItemContext } from "./scene-item.ts";
import { itemsOf, type LimitedPlay } from "./zone-playback.ts";

export function slotOf({ timedItem, startsAt, endsAt, wholeEndsAt, offsetMs }: LimitedPlay, zone: Zone, context: ItemContext): Slot {
  const item = sceneItemOf(timedItem, context);
  const transition = timedItem.item.transition ?? zone.transition;
  const content = contentHash(item);
  // The key contains when the play began in its loop, not when it appeared, so it stays the same when a loop is joined midway.
  return {
    key: `${timedItem.item.id}@${startsAt - offsetMs}#${content}`,
    of: `${timedItem.item.id}#${content}`,
    starts_at: startsAt,
    ends_at: endsAt,
    ...(wholeEndsAt === endsAt ? {} : { whole_ends_at: wholeEndsAt }),
    offset_ms: offsetMs,
    item,
    ...(transition === undefined ? {} : { transition }),
    ...(timedItem.asset === null ? {} : { cost: costOf(timedItem.asset) }),
  };
}

/** The names of a loop's items. A name changes when the item shows something else. */
export function itemNames(timeline: Timeline, context: ItemContext): string[] {
  return [...new Set(itemsOf(timeline).map((timedItem) => nameOf(timedItem, context)))];
}

// Every stage needs all names, and a loop may have hundreds of items.
const cachedNames = new WeakMap<TimedItem, { timezone: string; name: string }>();

function nameOf(timedItem: TimedItem, context: ItemContext): string {
  const { timezone } = context;
  const fromCache = cachedNames.get(timedItem);
  // The name of a feed depends on whether it has entries.
  if (fromCache?.timezone === timezone && !changesDuringPlays(timedItem.item.type)) return fromCache.name;
  const name = `${timedItem.item.id}#${contentHash(sceneItemOf(timedItem, context))}`;
  cachedNames.set(timedItem, { timezone, name });
  return name;
}

/** Equal for items that show the same. */
function contentHash(item: Parameters<typeof identityOf>[0]): string {
  return hashText(JSON.stringify(identityOf(item))).slice(0, 8);
}

/** The resources that the page needs to keep an asset ready: a decoded image takes memory, a video takes its file and a decoder. */
function costOf({ mime_type, width, height, size_bytes }: DesiredAsset): NonNullable<Slot["cost"]> {
  const isImage = mime_type.startsWith("image/") && width !== null && height !== null;
  return { bytes: isImage ? width * height * 4 : size_bytes, decoders: mime_type.startsWith("video/") ? 1 : 0 };
}
