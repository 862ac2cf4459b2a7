// The messages between the player and its page: scenes go to the page, reports of presented frames come back.
import { z } from "zod";
import { Count, DifferenceMs, id, Pixels, RawInstant, SpanMs } from "./common.ts";
import { IframeFaultCode } from "./content/web-items.ts";
import { Scene, sceneItemIds } from "./scene.ts";

/** Player to page. */
export const ToPage = z.discriminatedUnion("type", [
  z.object({ type: z.literal("scene"), scene: Scene }),
  z.object({
    type: z.literal("clock"),
    t0: SpanMs.describe("The `t0` of the page's request"),
    now: RawInstant.describe("Corrected wall time"),
  }),
  z.object({ type: z.literal("measure"), id: z.string() }).describe("Asks for one `measured` with the same id, a second later"),
  z.object({
    type: z.literal("frame"),
    frame: z.string().describe("The iframe's name"),
    failure: z
      .object({
        code: IframeFaultCode,
        detail: z.string(),
        crash_id: z
          .string()
          .optional()
          .describe("Identifies the exit of its renderer process: iframes with the same value failed together"),
      })
      .nullable()
      .describe("Null: the iframe has painted"),
  }),
]);
export type ToPage = z.infer<typeof ToPage>;

/** How often the page reports that it presents frames, ms. Each report costs a frame, which is most of the work on a still screen. */
export const pageHeartbeatMs = 3_000;

const stageKey = z.string().optional().describe("The key of the stage that the play belongs to, on the screen or hidden");
/** Identifies the slot that a report is about. */
const slotFields = { zone_id: id("zon"), key: z.string(), cause: z.string().max(200).optional() };

/** Page to player. Every `at` is the corrected wall time, in ms, of the frame that showed it. */
export const FromPage = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("hello"),
    viewport: z.object({ width: Pixels, height: Pixels, device_pixel_ratio: z.number().min(0).max(1e3) }),
    opened_at: RawInstant.optional().describe("When this page was opened, by its own clock. Distinguishes it from an earlier page"),
  }),
  z.object({ type: z.literal("clock"), t0: SpanMs.describe("`performance.now()` of the page") }),
  z.object({
    type: z.literal("beat"),
    at: RawInstant,
    frames: Count.describe("Frames presented since the last report"),
    late: Count.optional().describe("How many of them took longer than two frame times"),
    video_frames: Count.optional().describe("Frames of videos presented since the last report"),
    dropped: Count.optional().describe("Frames of videos that were decoded too late to be shown"),
    drift: z
      .object({
        worst_ms: z.number().min(0).max(1e15).describe("The largest difference, in either direction"),
        mean_ms: DifferenceMs.describe("Above 0: ahead of the clock"),
        measures: z.int().min(1).max(1e15),
      })
      .nullable()
      .optional()
      .describe("How far video and audio were from the clock since the last report; null: none played"),
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
      showing: z.array(z.object(slotFields)).describe("The plays in its first frame. Each is also reported by itself right after this"),
    })
    .describe("A stage appeared. The previous screen has left or is fading out"),
  z.object({
    type: z.literal("presented"),
    ...slotFields,
    stage: stageKey,
    ...sceneItemIds,
    starts_at: RawInstant.optional().describe("When its play began in its loop"),
    ends_at: RawInstant.optional().describe("When it is due to end"),
    at: RawInstant,
  }),
  z.object({
    type: z.literal("failed"),
    ...slotFields,
    stage: stageKey,
    ...sceneItemIds,
    code: z.enum(["load", "decode", "unsupported", "timeout", "stalled", "blank", "crashed"]),
    detail: z.string().max(2_000),
    at: RawInstant.optional().describe("When it left the screen, if it was on the screen and its picture disappeared"),
  }),
  z.object({
    type: z.literal("flawed").describe("The item is shown, but not as intended. Sent once for each item"),
    zone_id: id("zon"),
    key: z.string(),
    ...sceneItemIds,
    code: z.enum(["text-too-long", "qr-unreadable", "font-missing"]),
    detail: z.string().max(2_000).describe("What is wrong, and what to do about it"),
  }),
  z.object({ type: z.literal("fallback"), zone_id: id("zon"), stage: stageKey, at: RawInstant }),
  z.object({
    type: z.literal("simplified"),
    frames_per_second: z.number().min(0).max(1e6).describe("The frame rate of the last transition"),
    for_ms: SpanMs.describe("How long transitions are cuts before the page tries them again"),
  }),
  z.object({
    type: z.literal("measured"),
    id: z.string().max(64),
    codecs: z
      .array(z.object({ name: z.string().max(64), is_supported: z.boolean(), is_smooth: z.boolean(), is_efficient: z.boolean() }))
      .max(32),
    frames: Count,
    for_ms: SpanMs.describe("The time in which the frames were presented"),
  }),
  z.object({ type: z.literal("fault"), detail: z.string().max(2_000) }),
]);
export type FromPage = z.infer<typeof FromPage>;
