// The items of playlists: the fields of each type.
import { z } from "zod";
import {
  AudioStyle,
  ClockStyle,
  FeedStyle,
  ImageStyle,
  PdfStyle,
  QrStyle,
  StreamStyle,
  TextStyle,
  TickerStyle,
  VideoStyle,
} from "./item-styles.ts";
import { contrastOf, minContrast, maxQrBytes } from "./qr-legibility.ts";
import { calendarIdsOf, ItemCondition } from "../scheduling/conditions.ts";
import { Opening, validateOpening } from "../scheduling/opening-hours.ts";
import { HtmlFields, WebFields } from "./web-items.ts";
import { Transition } from "./transition.ts";
import { id, TimeZone, Timestamp } from "../common.ts";

const DurationMs = z.int().min(100).max(86_400_000).describe("How long the item is shown, 100 ms to 24 h");

const optionalDuration = DurationMs.optional().describe(
  "How long the item is shown, 100 ms to 24 h. Default: the duration of its media, or 10 s",
);
/** A URL that players fetch. It must not contain secrets, because everybody who may read the playlist sees it. */
const Url = z
  .url({ protocol: /^https?$/, error: "must be an http or https address" })
  .max(2_048)
  .refine((url) => !/^[^/]*\/\/[^/?#]*@/.test(url), "must not contain a user name or password");

const every = { duration_ms: optionalDuration };
const ImageItem = z.strictObject({ type: z.literal("image"), asset_id: id("ast"), ...every, ...ImageStyle });
const VideoItem = z.strictObject({ type: z.literal("video"), asset_id: id("ast"), ...every, ...VideoStyle });
const AudioItem = z.strictObject({
  type: z.literal("audio"),
  asset_id: id("ast"),
  artwork_asset_id: id("ast").optional().describe("An image that is shown while the audio plays"),
  ...every,
  ...AudioStyle,
});
const TextItem = z.strictObject({ type: z.literal("text"), ...every, ...TextStyle });
const TickerItem = z.strictObject({ type: z.literal("ticker"), ...every, ...TickerStyle });
const ClockItem = z.strictObject({
  type: z.literal("clock"),
  ...every,
  timezone: TimeZone.optional().describe("Default: the player's time zone"),
  ...ClockStyle,
});
const QrItem = z.strictObject({ type: z.literal("qr"), ...every, ...QrStyle });
const FeedItem = z.strictObject({
  type: z.literal("feed"),
  url: Url.describe("An RSS, Atom, RDF or JSON feed. Each player fetches it"),
  duration_ms: DurationMs.optional().describe("Default: `max_entries` × `entry_duration_ms`"),
  max_entries: z.int().min(1).max(20).default(10),
  refresh_interval_ms: z.int().min(60_000).max(86_400_000).default(600_000),
  ...FeedStyle,
});
const PdfItem = z.strictObject({
  type: z.literal("pdf"),
  asset_id: id("ast"),
  duration_ms: DurationMs.optional().describe("Default: `page_duration_ms` for each page shown"),
  ...PdfStyle,
});
const StreamItem = z.strictObject({
  type: z.literal("stream"),
  url: Url,
  origins: z
    .array(Url)
    .max(10)
    .default([])
    .describe(
      "More origins that the stream's parts come from, such as `https://cdn.example.com`. The player fetches nothing from other origins",
    ),
  ...every,
  ...StreamStyle,
});

const WebItem = z.strictObject({ type: z.literal("web"), ...every, ...WebFields });
const HtmlItem = z.strictObject({ type: z.literal("html"), asset_id: id("ast"), ...every, ...HtmlFields });

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
const itemId = { id: id("itm"), ...common };
const newItemId = {
  ...common,
  id: id("itm")
    .optional()
    .describe("Send the id from an earlier response to keep the item's identity. Without an id, an equal item keeps its own"),
};

/** An item of a playlist. */
export const PlaylistItem = z
  .discriminatedUnion("type", [
    ImageItem.extend(itemId),
    VideoItem.extend(itemId),
    AudioItem.extend(itemId),
    TextItem.extend(itemId),
    TickerItem.extend(itemId),
    ClockItem.extend(itemId),
    QrItem.extend(itemId),
    FeedItem.extend(itemId),
    PdfItem.extend(itemId),
    StreamItem.extend(itemId),
    WebItem.extend(itemId),
    HtmlItem.extend(itemId),
  ])
  .meta({ id: "PlaylistItem" });
export type PlaylistItem = z.infer<typeof PlaylistItem>;

/** An item in a request. */
export const NewPlaylistItem = z
  .discriminatedUnion("type", [
    ImageItem.extend(newItemId),
    VideoItem.extend(newItemId),
    AudioItem.extend(newItemId),
    TextItem.extend(newItemId),
    TickerItem.extend(newItemId),
    ClockItem.extend(newItemId),
    QrItem.extend(newItemId),
    FeedItem.extend(newItemId),
    PdfItem.extend(newItemId),
    StreamItem.extend(newItemId),
    WebItem.extend(newItemId),
    HtmlItem.extend(newItemId),
  ])
  .superRefine((item, context) => {
    const span = (first: number, last: number | undefined, path: string, what: string): void => {
      if (last !== undefined && last < first) context.addIssue({ code: "custom", path: [path], message: what });
    };
    if (item.type === "video" || item.type === "audio")
      span(item.start_ms + 100, item.end_ms, "end_ms", "must be at least 100 ms after start_ms");
    if (item.type === "qr")
      for (const fault of qrFaults(item)) context.addIssue({ code: "custom", path: [fault.path], message: fault.message });
    for (const [index, each] of (item.dayparts ?? []).entries()) {
      for (const { pointer, detail } of validateOpening(each, "")) {
        context.addIssue({ code: "custom", path: ["dayparts", index, pointer.slice(1)], message: detail });
      }
    }
    if (item.type === "pdf") span(item.first_page, item.last_page, "last_page", "must not come before first_page");
  })
  .meta({ id: "NewPlaylistItem" });
export type NewPlaylistItem = z.infer<typeof NewPlaylistItem>;

/** Why no camera can read a code on any screen. The size of its modules is checked by the player's page, which knows it. */
function qrFaults(item: Pick<z.infer<typeof QrItem>, "data" | "color" | "background_color" | "error_correction">) {
  const faults: { path: "data" | "background_color"; message: string }[] = [];
  const bytes = new TextEncoder().encode(item.data).length;
  const maxBytes = maxQrBytes[item.error_correction];
  if (bytes > maxBytes) {
    const message = `has ${bytes} bytes, but a code with error_correction ${item.error_correction} holds ${maxBytes}: shorten it or lower error_correction`;
    faults.push({ path: "data", message });
  }
  const contrast = contrastOf(item.color, item.background_color);
  if (contrast < minContrast) {
    const message = `has a contrast of ${contrast.toFixed(1)} to color, cameras need ${minContrast}: choose colors that differ more`;
    faults.push({ path: "background_color", message });
  }
  return faults;
}

/** The ids of the assets that an item shows. */
export function assetIdsOf(item: PlaylistItem | NewPlaylistItem): string[] {
  const ids = "asset_id" in item ? [item.asset_id] : [];
  if (item.type === "audio" && item.artwork_asset_id !== undefined) ids.push(item.artwork_asset_id);
  return ids;
}

/** The ids of the calendars that conditions of items refer to, each once. */
export function calendarIdsOfItems(items: readonly (PlaylistItem | NewPlaylistItem)[]): string[] {
  return calendarIdsOf(items.flatMap(({ conditions = [] }) => conditions));
}
