// Player <-> page: what the glass shows (scene, down) and what it really showed (presented, up).
import { z } from "zod";
import { AudioLook, ClockLook, FeedLook, ImageLook, PdfLook, QrLook, StreamLook, TextLook, TickerLook, VideoLook } from "./looks.ts";
import { Rotation } from "./orientation.ts";
import { FrameFaultCode } from "./site-items.ts";
import { Transition } from "./transition.ts";
import { WallPart } from "./wall.ts";
import { Color, id } from "./words.ts";

const about = { item_id: id("itm"), asset_id: id("ast").nullable() };

const src = z.string().startsWith("/");
const media = { src, media_duration_ms: z.number().nullable() };

/** One entry of a feed: plain text without markup, in which HTML's character references may stand. */
export const FeedEntry = z.object({
  title: z.string(),
  summary: z.string(),
  published_at: z.number().nullable().describe("UTC ms"),
});
export type FeedEntry = z.infer<typeof FeedEntry>;

const site = {
  url: z.string().describe("Of a bundle: where the player serves it"),
  zoom: z.number(),
  version: z.string().describe("Changes with whatever is changed in the item"),
};

/** An item ready to be drawn: its file is verified and `src` is a path on the page's own origin. */
export const SceneItem = z.discriminatedUnion("type", [
  z.object({ ...about, type: z.literal("image"), src, ...ImageLook }),
  z.object({ ...about, type: z.literal("video"), ...media, ...VideoLook }),
  z.object({ ...about, type: z.literal("audio"), ...media, artwork_src: src.nullable(), ...AudioLook }),
  z.object({
    ...about,
    type: z.literal("text"),
    ...TextLook,
    font_size: z.number().nullable().describe("Layout pixels; null: as large as fits"),
  }),
  z.object({ ...about, type: z.literal("ticker"), ...TickerLook }),
  z.object({ ...about, type: z.literal("clock"), timezone: z.string(), ...ClockLook }),
  z.object({ ...about, type: z.literal("qr"), ...QrLook }),
  z.object({
    ...about,
    type: z.literal("feed"),
    timezone: z.string(),
    title: z.string(),
    entries: z.array(FeedEntry).describe("Empty while the player has no copy of the feed"),
    trouble: z.string().nullable().describe("Why there are no entries"),
    ...FeedLook,
  }),
  z.object({ ...about, type: z.literal("pdf"), src, ...PdfLook }),
  z.object({
    ...about,
    type: z.literal("stream"),
    src: src.describe("The stream's address at the player; with `url=` it takes the addresses of its parts"),
    url: z.string().describe("Its own address, against which its parts are resolved"),
    ...StreamLook,
  }),
  z.object({ ...about, type: z.literal("web"), ...site, refresh_interval_ms: z.number().nullable() }),
  z.object({ ...about, type: z.literal("html"), ...site }),
]);
export type SceneItem = z.infer<typeof SceneItem>;

/**
 * One play of one item. `key` names it: the same key is the same play and is never begun anew; times are corrected
 * wall time in ms. A slot whose item equals the one before (an image alone in its loop) goes on without a cut.
 */
export const Slot = z.object({
  key: z.string(),
  starts_at: z.number(),
  ends_at: z.number(),
  offset_ms: z.number().min(0).describe("How far into the item the play is at `starts_at`: above 0 when a new loop is joined midway"),
  item: SceneItem,
  of: z.string().optional().describe("Names the item as its zone's `loop` does"),
  transition: Transition.optional().describe("How it comes in, from `starts_at` on"),
  cost: z
    .object({ bytes: z.number(), decoders: z.int() })
    .optional()
    .describe("What keeping it ready takes: its file or its decoded picture, and the clips among them"),
});
export type Slot = z.infer<typeof Slot>;

/** A rectangle in stage pixels and its plays: the one due now and those that follow, oldest first. */
export const SceneZone = z.object({
  id: id("zon"),
  left: z.number(),
  top: z.number(),
  width: z.number(),
  height: z.number(),
  z_index: z.int(),
  rotation: z.number().optional().describe("Degrees clockwise about the middle"),
  background_color: Color.optional(),
  loop: z
    .array(z.string())
    .optional()
    .describe("Each item of the loop in force, whether its turn is near or not: one on the glass that is not among them was removed"),
  slots: z.array(Slot),
});
export type SceneZone = z.infer<typeof SceneZone>;

/** A layout as drawn. A new `key` is another geometry: it is built hidden and replaces the old one in one frame. */
export const Stage = z.object({
  key: z.string(),
  width: z.number(),
  height: z.number(),
  background_color: Color,
  background_src: z.string().startsWith("/").optional(),
  transition: Transition.optional().describe("How it takes the place of the stage before it"),
  wall: WallPart.optional().describe("The part of a video wall that is shown. Without it: the whole layout"),
  zones: z.array(SceneZone),
});
export type Stage = z.infer<typeof Stage>;

/** Trouble that the installer in front of the screen can do something about. */
export const Trouble = z.object({
  code: z.enum(["dns", "refused", "timeout", "tls", "clock", "http", "disk", "other"]),
  text: z.string().describe("What is wrong and what to do, in words"),
  retry_at: z.number().nullable().describe("Corrected wall time of the next attempt"),
});
export type Trouble = z.infer<typeof Trouble>;

/** What the glass shows. Unpaired, empty, on its way and playing are four different things. */
export const Screen = z.discriminatedUnion("is", [
  z.object({ is: z.literal("starting") }),
  z.object({
    is: z.literal("pairing"),
    code: z.string().nullable().describe("As shown, `WDJB-MJHT`; null while there is none"),
    claim_url: z.string().nullable().describe("Drawn as a QR code where the service has a public address"),
    service: z.string().describe("The service's address"),
    notice: z.string().nullable().describe("Such as: this player was removed"),
    trouble: Trouble.nullable(),
  }),
  z.object({
    is: z.literal("empty"),
    player_name: z.string(),
    trouble: Trouble.nullable(),
    service: z.string(),
  }),
  z.object({
    is: z.literal("preparing"),
    player_name: z.string(),
    ready_bytes: z.number(),
    total_bytes: z.number(),
    trouble: Trouble.nullable(),
    service: z.string(),
  }),
  z.object({ is: z.literal("stage"), stage: Stage }),
]);
export type Screen = z.infer<typeof Screen>;

/** All that is on the glass: a screen and, for a while, what the `identify` command lays over it. */
export const Scene = z.object({
  screen: Screen,
  rotation: Rotation.optional().describe("Turns everything, screens of words and touch included"),
  identify: z.object({ player_name: z.string(), lines: z.array(z.string()), until: z.number() }).nullable(),
});
export type Scene = z.infer<typeof Scene>;

/** Player to page. */
export const ToPage = z.discriminatedUnion("type", [
  z.object({ type: z.literal("scene"), scene: Scene }),
  z.object({
    type: z.literal("clock"),
    t0: z.number().describe("The page's own, returned"),
    now: z.number().describe("Corrected wall time"),
  }),
  z.object({
    type: z.literal("frame"),
    frame: z.string().describe("Its name"),
    failure: z
      .object({
        code: FrameFaultCode,
        detail: z.string(),
        death: z.string().optional().describe("Names the end of its renderer process: frames with an equal one died together"),
      })
      .nullable()
      .describe("Null: its page has painted"),
  }),
]);
export type ToPage = z.infer<typeof ToPage>;

/** Page to player. Every `at` is corrected wall time in ms of the frame that showed it. */
export const FromPage = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("hello"),
    viewport: z.object({ width: z.number(), height: z.number(), device_pixel_ratio: z.number() }),
    opened_at: z.number().optional().describe("When this page was opened, by its own clock: tells it from the page before"),
  }),
  z.object({ type: z.literal("clock"), t0: z.number().describe("performance.now() of the page") }),
  z.object({
    type: z.literal("beat"),
    at: z.number(),
    frames: z.int().min(0).describe("Frames presented since the last beat"),
    drift: z
      .object({
        worst_ms: z.number().min(0).describe("Of all measures, whichever way"),
        mean_ms: z.number().describe("Above 0: ahead of the clock"),
        measures: z.int().min(1),
      })
      .nullable()
      .optional()
      .describe("How far clips and sounds were from where the clock says, since the last beat; null: none played"),
  }),
  z.object({
    type: z.literal("screen"),
    is: z.string(),
    code: z.string().nullable(),
    at: z.number(),
  }),
  z.object({
    type: z.literal("presented"),
    zone_id: id("zon"),
    key: z.string(),
    ...about,
    at: z.number(),
  }),
  z.object({
    type: z.literal("failed"),
    zone_id: id("zon"),
    key: z.string(),
    ...about,
    code: z.enum(["load", "decode", "unsupported", "timeout", "stalled", "blank", "crashed"]),
    detail: z.string().max(2_000),
    at: z.number().optional().describe("When it left the glass, if it was on it and its picture went with it"),
  }),
  z.object({ type: z.literal("fallback"), zone_id: id("zon"), at: z.number() }),
  z.object({
    type: z.literal("simplified"),
    frames_per_second: z.number().describe("What the screen managed during the last transition"),
    for_ms: z.number().describe("How long transitions are cuts before they are tried again"),
  }),
  z.object({ type: z.literal("fault"), detail: z.string().max(2_000) }),
]);
export type FromPage = z.infer<typeof FromPage>;
