// The items of playlists: the schemas of stored and of sent items, and the references of items.
import { z } from "zod";
import {
  itemKinds,
  itemTypes,
  kindOf,
  defaultItemDurationMs,
  type AssetKind,
  type ItemFeed,
  type ItemType,
  type MediaLength,
  type SchemaOfKinds,
} from "./item-kinds.ts";
import { calendarIdsOf, ItemCondition } from "../scheduling/conditions.ts";
import { Opening, validateOpening } from "../scheduling/opening-hours.ts";
import { Transition } from "./transition.ts";
import { id, Timestamp } from "../common.ts";

const validity = {
  valid_from: Timestamp.optional().describe("The loop skips the item before this instant"),
  valid_until: Timestamp.optional().describe("The loop skips the item from this instant on"),
  dayparts: z
    .array(Opening)
    .min(1)
    .max(20)
    .optional()
    .describe("The item plays only while at least one of these holds, in the player's time zone. Default: always"),
  conditions: z
    .array(ItemCondition)
    .min(1)
    .max(10)
    .optional()
    .describe(
      "The item plays only on players, and only while, all of these hold. Loops of players that leave out different items are of different length: on a video wall, give all players the tags and variables that the conditions name. Default: everywhere",
    ),
};
const common = {
  ...validity,
  max_plays_per_hour: z
    .int()
    .min(1)
    .max(3_600)
    .optional()
    .describe("The loop skips the item in as many rounds as needed, spread evenly. Computed from the clock, not from past plays"),
  max_plays_per_day: z
    .int()
    .min(1)
    .max(10_000)
    .optional()
    .describe(
      "The largest number of plays from midnight to midnight in the player's time zone, for each zone of its layouts. The plays are spread evenly over the time in which the playlist is due that day. Computed from the clock, not from past plays. A change of schedules during the day spreads them again. Overrides count separately",
    ),
  transition: Transition.optional().describe("How the item appears. Default: the zone's transition, else a cut"),
};
/** The union of all kinds of items, each with `more` fields. */
function unionOf<More extends z.ZodRawShape>(more: More) {
  type Option = SchemaOfKinds<"fields", More, z.core.$strict>;
  const options = itemTypes.map((type) => z.strictObject({ type: z.literal(type), ...itemKinds[type].fields, ...more }));
  // The compiler does not relate the type of each schema to its key.
  return z.discriminatedUnion("type", options as unknown as [Option, ...Option[]]);
}

/** An item of a playlist. */
export const PlaylistItem = unionOf({ id: id("itm"), ...common }).meta({ id: "PlaylistItem" });
export type PlaylistItem = z.infer<typeof PlaylistItem>;

/** An item in a request. */
export const NewPlaylistItem = unionOf({
  ...common,
  id: id("itm")
    .optional()
    .describe("Send the id from an earlier response to keep the item's identity. Without an id, an equal item keeps its own"),
})
  .superRefine((item, context) => {
    for (const { field, message } of kindOf(item.type).faults?.(item) ?? []) context.addIssue({ code: "custom", path: [field], message });
    for (const [index, each] of (item.dayparts ?? []).entries()) {
      for (const { pointer, detail } of validateOpening(each, "")) {
        context.addIssue({ code: "custom", path: ["dayparts", index, pointer.slice(1)], message: detail });
      }
    }
  })
  .meta({ id: "NewPlaylistItem" });
export type NewPlaylistItem = z.infer<typeof NewPlaylistItem>;

type AnyItem = PlaylistItem | NewPlaylistItem;

/** The assets that an item shows, by field. */
export function assetFieldsOf(item: AnyItem): { field: string; assetId: string; kind: AssetKind }[] {
  return Object.entries(kindOf(item.type).assets ?? {}).flatMap(([field, kind]) => {
    const assetId = (item as Record<string, unknown>)[field] as string | undefined;
    return assetId === undefined || kind === undefined ? [] : [{ field, assetId, kind }];
  });
}

/** The ids of the assets that an item shows: first that of its own file. */
export function assetIdsOf(item: AnyItem): string[] {
  return assetFieldsOf(item).map(({ assetId }) => assetId);
}

/** The duration of an item, ms: the one it is given, else that of its media, entries or pages, else ten seconds. */
export function itemDurationMs(item: PlaylistItem, file: MediaLength | null): number {
  return item.duration_ms ?? kindOf(item.type).durationMs?.(item, file) ?? file?.duration_ms ?? defaultItemDurationMs;
}

/** True if an item without a duration lasts as long as its file. */
export function lastsAsItsFile(type: ItemType): boolean {
  const kind = kindOf(type);
  return kind.assets !== undefined && kind.durationMs !== undefined;
}

/** The feeds that playlists show. */
export function feedsOf(playlists: readonly { items: readonly AnyItem[] }[]): ItemFeed[] {
  return playlists.flatMap(({ items }) => items.flatMap((item) => kindOf(item.type).feed?.(item) ?? []));
}

/** The ids of the calendars that conditions of items refer to, each once. */
export function calendarIdsOfItems(items: readonly AnyItem[]): string[] {
  return calendarIdsOf(items.flatMap(({ conditions = [] }) => conditions));
}
