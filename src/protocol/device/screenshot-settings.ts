// Screenshots that a player takes by itself, and the parts that all its pictures must not show.
import { z } from "zod";

const Percent = z.number().min(0).max(100);

/** A rectangle that pictures of the screen do not show, in percent of the picture. */
export const Redaction = z.strictObject({ left: Percent, top: Percent, width: Percent, height: Percent }).meta({ id: "Redaction" });
export type Redaction = z.infer<typeof Redaction>;

export const ScreenshotSettings = z
  .strictObject({
    every_s: z
      .int()
      .min(10)
      .max(86_400)
      .nullable()
      .default(null)
      .describe("The interval of pictures, 10 s to a day; null: only on command"),
    format: z.enum(["jpeg", "webp"]).default("jpeg"),
    quality: z.int().min(1).max(100).default(70),
    max_width: z.int().min(16).max(3_840).default(960),
    only_changed: z.boolean().default(true).describe("No picture that looks like the one before"),
    redact: z
      .array(Redaction)
      .max(20)
      .default([])
      .describe(
        "Rectangles that the player blackens in every picture before it leaves the device: screenshots on command, at an interval, and live",
      ),
  })
  .meta({ id: "ScreenshotSettings" });
export type ScreenshotSettings = z.infer<typeof ScreenshotSettings>;

/** Hides everything. */
const hidden: ScreenshotSettings = ScreenshotSettings.parse({ redact: [{ left: 0, top: 0, width: 100, height: 100 }] });
/**
 * The settings as players receive them. Those that a player cannot read must neither make its whole state invalid nor uncover a
 * part that they may hide: its pictures are black then.
 */
export const DesiredScreenshots = z.object(ScreenshotSettings.shape).catch(hidden);
