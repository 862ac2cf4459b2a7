// The items of playlists: what each kind takes.
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
import { Opening, validateOpening } from "../scheduling/opening-hours.ts";
import { HtmlFields, WebFields } from "./web-items.ts";
import { Transition } from "./transition.ts";
import { id, TimeZone, Timestamp } from "../common.ts";

const DurationMs = z.int().min(100).max(86_400_000).describe("How long the item stays, 100 ms to 24 h");

const optionalDuration = DurationMs.optional().describe(
  "How long the item stays, 100 ms to 24 h. Without it: the media's own length, or 10 s",
);
/** An address that a player fetches from. Secrets do not belong into it: everybody who may read the playlist sees it. */
const Url = z
  .url({ protocol: /^https?$/, error: "must be an http or https address" })
  .max(2_048)
  .refine((url) => !/^[^/]*\/\/[^/?#]*@/.test(url), "must not hold a user name or password");

const every = { duration_ms: optionalDuration };
const ImageItem = z.strictObject({ type: z.literal("image"), asset_id: id("ast"), ...every, ...ImageStyle });
const VideoItem = z.strictObject({ type: z.literal("video"), asset_id: id("ast"), ...every, ...VideoStyle });
const AudioItem = z.strictObject({
  type: z.literal("audio"),
  asset_id: id("ast"),
  artwork_asset_id: id("ast").optional().describe("An image to show while it plays"),
  ...every,
  ...AudioStyle,
});
const TextItem = z.strictObject({ type: z.literal("text"), ...every, ...TextStyle });
const TickerItem = z.strictObject({ type: z.literal("ticker"), ...every, ...TickerStyle });
const ClockItem = z.strictObject({
  type: z.literal("clock"),
  ...every,
  timezone: TimeZone.optional().describe("Without it: the player's zone"),
  ...ClockStyle,
});
const QrItem = z.strictObject({ type: z.literal("qr"), ...every, ...QrStyle });
const FeedItem = z.strictObject({
  type: z.literal("feed"),
  url: Url.describe("RSS, Atom, RDF or JSON Feed, fetched by each player"),
  duration_ms: DurationMs.optional().describe("Without it: `max_entries` × `entry_duration_ms`"),
  max_entries: z.int().min(1).max(20).default(10),
  refresh_interval_ms: z.int().min(60_000).max(86_400_000).default(600_000),
  ...FeedStyle,
});
const PdfItem = z.strictObject({
  type: z.literal("pdf"),
  asset_id: id("ast"),
  duration_ms: DurationMs.optional().describe("Without it: `page_duration_ms` for each page shown"),
  ...PdfStyle,
});
const StreamItem = z.strictObject({
  type: z.literal("stream"),
  url: Url,
  origins: z
    .array(Url)
    .max(10)
    .default([])
    .describe("Further origins, such as `https://cdn.example.com`, that the stream's parts come from. Nothing else is fetched"),
  ...every,
  ...StreamStyle,
});

const WebItem = z.strictObject({ type: z.literal("web"), ...every, ...WebFields });
const HtmlItem = z.strictObject({ type: z.literal("html"), asset_id: id("ast"), ...every, ...HtmlFields });

const validity = {
  valid_from: Timestamp.optional().describe("Left out of the loop before this instant"),
  valid_until: Timestamp.optional().describe("Left out of the loop from this instant on"),
  dayparts: z
    .array(Opening)
    .min(1)
    .max(20)
    .optional()
    .describe("In the loop only in these, by the clock of the player's zone; one of them is enough. Without it: at any time of day"),
};
const common = {
  ...validity,
  max_plays_per_hour: z
    .int()
    .min(1)
    .max(3_600)
    .optional()
    .describe("Left out of as many rounds of the loop as needed, spread evenly; counted by the clock, never from what was played"),
  max_plays_per_day: z
    .int()
    .min(1)
    .max(10_000)
    .optional()
    .describe(
      "At most so many plays from midnight to midnight in the player's zone, in each zone of its layouts, spread evenly over the time in which its playlist is due that day; counted by the clock, never from what was played. A change of schedules within the day spreads them anew; overrides count apart",
    ),
  transition: Transition.optional().describe("How the item comes in. Without it: as its zone says, else by a cut"),
};
const itemId = { id: id("itm"), ...common };
const newItemId = {
  ...common,
  id: id("itm").optional().describe("An id from an earlier read keeps the item's identity; without it an equal item keeps its own"),
};

/** An item of a playlist. */
export const PlaylistItem = z.discriminatedUnion("type", [
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
]);
export type PlaylistItem = z.infer<typeof PlaylistItem>;

/** An item as it is sent in. */
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
  });
export type NewPlaylistItem = z.infer<typeof NewPlaylistItem>;

/** Why no camera will read a code, wherever it is shown. How large its modules are, only the page on the screen can tell. */
function qrFaults(item: Pick<z.infer<typeof QrItem>, "data" | "color" | "background_color" | "error_correction">) {
  const faults: { path: "data" | "background_color"; message: string }[] = [];
  const bytes = new TextEncoder().encode(item.data).length;
  const most = maxQrBytes[item.error_correction];
  if (bytes > most) {
    const message = `takes ${bytes} bytes, a code with error_correction ${item.error_correction} holds ${most}: shorten it or lower error_correction`;
    faults.push({ path: "data", message });
  }
  const contrast = contrastOf(item.color, item.background_color);
  if (contrast < minContrast) {
    const message = `has a contrast of ${contrast.toFixed(1)} to color, cameras need ${minContrast}: choose colours further apart`;
    faults.push({ path: "background_color", message });
  }
  return faults;
}

/** The assets that an item shows, each once. */
export function assetIdsOf(item: PlaylistItem | NewPlaylistItem): string[] {
  const ids = "asset_id" in item ? [item.asset_id] : [];
  if (item.type === "audio" && item.artwork_asset_id !== undefined) ids.push(item.artwork_asset_id);
  return ids;
}
