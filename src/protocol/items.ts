// The items of playlists: what each kind takes.
import { z } from "zod";
import { Transition } from "./transition.ts";
import { Color, id, TimeZone } from "./words.ts";

/** How a picture fills its zone: whole with bars, cropped, or stretched. */
export const Fit = z.enum(["contain", "cover", "fill"]);

const DurationMs = z.int().min(100).max(86_400_000).describe("How long the item stays, 100 ms to 24 h");

const optionalDuration = DurationMs.optional().describe(
  "How long the item stays, 100 ms to 24 h. Without it: the media's own length, or 10 s",
);

const ImageItem = z.strictObject({
  type: z.literal("image"),
  asset_id: id("ast"),
  duration_ms: optionalDuration,
  fit: Fit.default("contain"),
});
const VideoItem = z.strictObject({
  type: z.literal("video"),
  asset_id: id("ast"),
  duration_ms: optionalDuration,
  fit: Fit.default("contain"),
  muted: z.boolean().default(false),
});
const TextItem = z.strictObject({
  type: z.literal("text"),
  text: z.string().min(1).max(5_000),
  duration_ms: optionalDuration,
  color: Color.default("#ffffff"),
  background_color: Color.default("#000000"),
  align: z.enum(["start", "center", "end"]).default("center"),
  font_size: z.int().min(4).max(4_096).optional().describe("In layout pixels. Without it the text is made as large as its zone allows"),
});
const ClockItem = z.strictObject({
  type: z.literal("clock"),
  duration_ms: optionalDuration,
  timezone: TimeZone.optional().describe("Without it: the player's zone"),
  hour12: z.boolean().default(false),
  seconds: z.boolean().default(true),
  date: z.boolean().default(true),
  locale: z.string().max(35).default("en-GB").refine(isLocale, "must be a BCP 47 language tag such as en-GB"),
  color: Color.default("#ffffff"),
  background_color: Color.default("#000000"),
});

const common = { transition: Transition.optional().describe("How the item comes in. Without it: as its zone says, else by a cut") };
const itemId = { id: id("itm"), ...common };
const newItemId = {
  ...common,
  id: id("itm").optional().describe("An id from an earlier read keeps the item's identity; without it an equal item keeps its own"),
};

/** An item of a playlist. */
export const PlaylistItem = z.discriminatedUnion("type", [
  ImageItem.extend(itemId),
  VideoItem.extend(itemId),
  TextItem.extend(itemId),
  ClockItem.extend(itemId),
]);
export type PlaylistItem = z.infer<typeof PlaylistItem>;

/** An item as it is sent in. */
export const NewPlaylistItem = z.discriminatedUnion("type", [
  ImageItem.extend(newItemId),
  VideoItem.extend(newItemId),
  TextItem.extend(newItemId),
  ClockItem.extend(newItemId),
]);
export type NewPlaylistItem = z.infer<typeof NewPlaylistItem>;

function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false; // a malformed tag is a RangeError
  }
}
