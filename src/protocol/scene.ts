// Player <-> page: what the glass shows (scene, down) and what it really showed (presented, up).
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
} from "./content/item-styles.ts";
import { Rotation } from "./content/orientation.ts";
import { IframeFaultCode } from "./content/web-items.ts";
import { Transition } from "./content/transition.ts";
import { WallPart } from "./content/wall.ts";
import { Color, Count, DifferenceMs, id, Pixels, RawInstant, SpanMs } from "./common.ts";

const about = { item_id: id("itm"), asset_id: id("ast").nullable() };

const src = z.string().startsWith("/");
const media = { src, media_duration_ms: SpanMs.nullable() };

/** One entry of a feed: plain text without markup, in which HTML's character references may stand. */
export const FeedEntry = z.object({
  title: z.string(),
  summary: z.string(),
  published_at: RawInstant.nullable().describe("UTC ms"),
});
export type FeedEntry = z.infer<typeof FeedEntry>;

const site = {
  url: z.string().describe("Of a bundle: where the player serves it"),
  zoom: z.number().min(0).max(100),
  version: z.string().describe("Changes with whatever is changed in the item"),
};

/** An item ready to be drawn: its file is verified and `src` is a path on the page's own origin. */
export const SceneItem = z.discriminatedUnion("type", [
  z.object({ ...about, type: z.literal("image"), src, ...ImageStyle }),
  z.object({ ...about, type: z.literal("video"), ...media, ...VideoStyle }),
  z.object({ ...about, type: z.literal("audio"), ...media, artwork_src: src.nullable(), ...AudioStyle }),
  z.object({
    ...about,
    type: z.literal("text"),
    ...TextStyle,
    font_size: Pixels.nullable().describe("Layout pixels; null: as large as fits"),
  }),
  z.object({ ...about, type: z.literal("ticker"), ...TickerStyle }),
  z.object({ ...about, type: z.literal("clock"), timezone: z.string(), ...ClockStyle }),
  z.object({ ...about, type: z.literal("qr"), ...QrStyle }),
  z.object({
    ...about,
    type: z.literal("feed"),
    timezone: z.string(),
    title: z.string(),
    entries: z.array(FeedEntry).describe("Empty while the player has no copy of the feed"),
    trouble: z.string().nullable().describe("Why there are no entries"),
    ...FeedStyle,
  }),
  z.object({ ...about, type: z.literal("pdf"), src, ...PdfStyle }),
  z.object({
    ...about,
    type: z.literal("stream"),
    src: src.describe("The stream's address at the player; with `url=` it takes the addresses of its parts"),
    url: z.string().describe("Its own address, against which its parts are resolved"),
    ...StreamStyle,
  }),
  z.object({ ...about, type: z.literal("web"), ...site, refresh_interval_ms: SpanMs.nullable() }),
  z.object({ ...about, type: z.literal("html"), ...site }),
]);
export type SceneItem = z.infer<typeof SceneItem>;

/**
 * One play of one item. `key` names it: the same key is the same play and is never begun anew; times are corrected
 * wall time in ms. A slot whose item equals the one before (an image alone in its loop) goes on without a cut.
 */
export const Slot = z.object({
  key: z.string(),
  starts_at: RawInstant,
  ends_at: RawInstant.describe("Where the program changes within the play: that instant"),
  whole_ends_at: RawInstant.optional().describe("Where the play would end, if the program did not change before"),
  offset_ms: SpanMs.describe("How far into the item the play is at `starts_at`: above 0 when a new loop is joined midway"),
  item: SceneItem,
  cause: z.string().max(200).optional().describe("Why it is on, in the player's own words: the page hands it back as it is"),
  of: z.string().optional().describe("Names the item as its zone's `loop` does"),
  transition: Transition.optional().describe("How it comes in, from `starts_at` on"),
  cost: z
    .object({ bytes: Pixels, decoders: Count })
    .optional()
    .describe("What keeping it ready takes: its file or its decoded picture, and the clips among them"),
});
export type Slot = z.infer<typeof Slot>;

/** A rectangle in stage pixels and its plays: the one due now and those that follow, oldest first. */
export const SceneZone = z.object({
  id: id("zon"),
  left: z.number().min(-1e6).max(1e6),
  top: z.number().min(-1e6).max(1e6),
  width: Pixels,
  height: Pixels,
  z_index: z.int().min(-1e6).max(1e6),
  rotation: z.number().min(-360).max(360).optional().describe("Degrees clockwise about the middle"),
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
  width: Pixels,
  height: Pixels,
  background_color: Color,
  background_src: z.string().startsWith("/").optional(),
  transition: Transition.optional().describe("How it takes the place of the stage before it"),
  wall: WallPart.optional().describe("The part of a video wall that is shown. Without it: the whole layout"),
  until: RawInstant.optional().describe("When it is to leave, where that is near: no play is begun anew for the time after"),
  zones: z.array(SceneZone),
});
export type Stage = z.infer<typeof Stage>;

/** Trouble that the installer in front of the screen can do something about. */
export const Trouble = z.object({
  code: z.enum(["dns", "refused", "timeout", "tls", "clock", "http", "disk", "other"]),
  text: z.string().describe("What is wrong and what to do, in words"),
  retry_at: RawInstant.nullable().describe("Corrected wall time of the next attempt"),
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
    device: z.string().optional().describe("Which device this is, for whoever stands before it: its addresses and its version"),
    notice: z.string().nullable().describe("Such as: this player was removed"),
    trouble: Trouble.nullable(),
  }),
  z.object({
    is: z.literal("empty"),
    player_name: z.string(),
    link: z.enum(["online", "connecting", "offline"]).optional().describe("Without it: by `trouble`"),
    is_assigned: z.boolean().optional().describe("Whether there is content of which nothing is due now"),
    trouble: Trouble.nullable(),
    service: z.string(),
  }),
  z.object({
    is: z.literal("withheld"),
    player_name: z.string(),
    trouble: Trouble.describe("What showing the content did, and when it is tried again"),
    remedy: z.string(),
    service: z.string(),
  }),
  z.object({
    is: z.literal("preparing"),
    player_name: z.string(),
    ready_bytes: Count,
    total_bytes: Count,
    trouble: Trouble.nullable(),
    service: z.string(),
  }),
  z.object({ is: z.literal("stage"), stage: Stage }),
]);
export type Screen = z.infer<typeof Screen>;

/** The stage that takes the place of the screen at the instant `at`, corrected wall time in ms. Its plays begin then at the earliest. */
export const UpcomingStage = z.object({ at: RawInstant, stage: Stage });
export type UpcomingStage = z.infer<typeof UpcomingStage>;

/** All that is on the glass: a screen and, for a while, what the `identify` command lays over it. */
export const Scene = z.object({
  screen: Screen,
  coming: z
    .array(UpcomingStage)
    .max(2)
    .optional()
    .describe("One after the other. Prepared behind the screen, and shown at their instants also if the player is silent then"),
  rotation: Rotation.optional().describe("Turns everything, screens of words and touch included"),
  identify: z.object({ player_name: z.string(), lines: z.array(z.string()), until: RawInstant }).nullable(),
  claim: z.object({ code: z.string() }).optional().describe("A code in a corner over the content: the service has another key"),
});
export type Scene = z.infer<typeof Scene>;

/** Player to page. */
export const ToPage = z.discriminatedUnion("type", [
  z.object({ type: z.literal("scene"), scene: Scene }),
  z.object({
    type: z.literal("clock"),
    t0: SpanMs.describe("The page's own, returned"),
    now: RawInstant.describe("Corrected wall time"),
  }),
  z.object({
    type: z.literal("frame"),
    frame: z.string().describe("Its name"),
    failure: z
      .object({
        code: IframeFaultCode,
        detail: z.string(),
        death: z.string().optional().describe("Names the end of its renderer process: frames with an equal one died together"),
      })
      .nullable()
      .describe("Null: its page has painted"),
  }),
]);
export type ToPage = z.infer<typeof ToPage>;

/** How often a page tells that frames come, ms. Each beat costs a frame: on a still screen it is most of what the page does. */
export const pageHeartbeatMs = 3_000;
const stageKey = z.string().optional().describe("The key of the stage that it belongs to, on the glass or behind it");
/** Which slot a message of the page is about. */
const ofSlot = { zone_id: id("zon"), key: z.string(), cause: z.string().max(200).optional() };

/** Page to player. Every `at` is corrected wall time in ms of the frame that showed it. */
export const FromPage = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("hello"),
    viewport: z.object({ width: Pixels, height: Pixels, device_pixel_ratio: z.number().min(0).max(1e3) }),
    opened_at: RawInstant.optional().describe("When this page was opened, by its own clock: tells it from the page before"),
  }),
  z.object({ type: z.literal("clock"), t0: SpanMs.describe("performance.now() of the page") }),
  z.object({
    type: z.literal("beat"),
    at: RawInstant,
    frames: Count.describe("Frames presented since the last beat"),
    drift: z
      .object({
        worst_ms: z.number().min(0).max(1e15).describe("Of all measures, whichever way"),
        mean_ms: DifferenceMs.describe("Above 0: ahead of the clock"),
        measures: z.int().min(1).max(1e15),
      })
      .nullable()
      .optional()
      .describe("How far clips and sounds were from where the clock says, since the last beat; null: none played"),
  }),
  z.object({
    type: z.literal("screen"),
    is: z.string(),
    code: z.string().nullable(),
    at: RawInstant,
  }),
  z
    .object({
      type: z.literal("stage"),
      key: z.string(),
      at: RawInstant,
      showing: z.array(z.object(ofSlot)).describe("What its first frame shows; each is told by itself too, right after this"),
    })
    .describe("A stage has taken the glass: what was on it before has left, or is fading out"),
  z.object({
    type: z.literal("presented"),
    ...ofSlot,
    stage: stageKey,
    ...about,
    starts_at: RawInstant.optional().describe("When its play began in its loop"),
    ends_at: RawInstant.optional().describe("When it is due to end"),
    at: RawInstant,
  }),
  z.object({
    type: z.literal("failed"),
    ...ofSlot,
    stage: stageKey,
    ...about,
    code: z.enum(["load", "decode", "unsupported", "timeout", "stalled", "blank", "crashed"]),
    detail: z.string().max(2_000),
    at: RawInstant.optional().describe("When it left the glass, if it was on it and its picture went with it"),
  }),
  z.object({
    type: z.literal("flawed").describe("It is shown, but not as it was meant. Told once for each item"),
    zone_id: id("zon"),
    key: z.string(),
    ...about,
    code: z.enum(["text-too-long", "qr-unreadable"]),
    detail: z.string().max(2_000).describe("What is wrong, and what to do"),
  }),
  z.object({ type: z.literal("fallback"), zone_id: id("zon"), stage: stageKey, at: RawInstant }),
  z.object({
    type: z.literal("simplified"),
    frames_per_second: z.number().min(0).max(1e6).describe("What the screen managed during the last transition"),
    for_ms: SpanMs.describe("How long transitions are cuts before they are tried again"),
  }),
  z.object({ type: z.literal("fault"), detail: z.string().max(2_000) }),
]);
export type FromPage = z.infer<typeof FromPage>;
