// When and how fast a player downloads its content.
import { z } from "zod";
import { Opening, validateOpening } from "../scheduling/opening-hours.ts";

const fields = {
  max_bytes_per_second: z
    .int()
    .min(10_000)
    .max(1e10)
    .optional()
    .describe("The limit of all its downloads together, at least 10 kB/s. Default: none"),
  windows: z
    .array(Opening)
    .min(1)
    .max(50)
    .optional()
    .describe(
      "When new content is downloaded, in the player's time zone. Lost files, and content while there is nothing to show, are downloaded at any time. Default: always",
    ),
};

/** The limits of a player's downloads. They apply to content files only. */
export const DownloadSettings = z.object(fields).meta({ id: "DownloadSettings" });
export type DownloadSettings = z.infer<typeof DownloadSettings>;

/** Limits as operators set them. */
export const DownloadSettingsInput = z
  .strictObject(fields)
  .superRefine(({ windows = [] }, context) => {
    for (const [index, opening] of windows.entries()) {
      for (const { pointer, detail } of validateOpening(opening, "")) {
        context.addIssue({ code: "custom", path: ["windows", index, pointer.slice(1)], message: detail });
      }
    }
  })
  .meta({ id: "DownloadSettingsInput" });
