// What the service and a media process tell each other: one job at a time, one line of JSON a message.
import { z } from "zod";
import { AssetKind, AssetWarning } from "../../protocol/content/assets.ts";

/** What the bytes turned out to be. */
export const Media = z.object({
  kind: AssetKind,
  mimeType: z.string().max(100),
  width: z.int().nullable().describe("Of a picture or a video, pixels, else null"),
  height: z.int().nullable(),
  durationMs: z.int().nullable().describe("Length of a video or a sound, else null"),
  pageCount: z.int().nullable().describe("Pages of a document, else null"),
  codec: z.string().max(100).nullable().describe("Codec of a video's picture or of a sound, such as `avc`, else null"),
  convertedFrom: z.string().max(100).nullable().describe("The type that was sent, where the file was converted, else null"),
  warnings: z.array(AssetWarning).max(20).describe("What may go wrong on a screen all the same"),
});
export type Media = z.infer<typeof Media>;

/** To a media process. */
export const Job = z.discriminatedUnion("do", [
  z.strictObject({ id: z.int(), do: z.literal("examine"), path: z.string(), claimed: z.string().nullable(), to: z.string().nullable() }),
  z.strictObject({
    id: z.int(),
    do: z.literal("shrink"),
    source: z.union([z.object({ path: z.string() }), z.object({ base64: z.string() })]),
  }),
]);
export type Job = z.infer<typeof Job>;

/** From a media process. */
export const Answer = z.discriminatedUnion("is", [
  // Told before a file is read any further: each type has limits of its own.
  z.object({ id: z.int(), is: z.literal("type"), mimeType: z.string().max(100) }),
  z.object({ id: z.int(), is: z.literal("media"), media: Media }),
  z.object({ id: z.int(), is: z.literal("picture"), base64: z.string() }),
  z.object({ id: z.int(), is: z.literal("refused"), detail: z.string().max(2_000) }),
  z.object({ id: z.int(), is: z.literal("failed"), message: z.string().max(2_000) }),
]);
export type Answer = z.infer<typeof Answer>;

/** The longest line that a media process may write, characters: a thumbnail in Base64 has less than a tenth of it. */
export const longestAnswer = 8 * 1_024 * 1_024;
