// The messages between the service and a media process: one line of JSON each, one job at a time.
// The service sends a job. The process replies `type` first if it examines a file, then once with the result of the job.
import { z } from "zod";
import { AssetKind, AssetWarning } from "../../protocol/content/assets.ts";

/** The properties that an examination found in a file. */
export const MediaInfo = z.object({
  kind: AssetKind,
  mimeType: z.string().max(100),
  width: z.int().nullable().describe("Pixels of an image or a video, else null"),
  height: z.int().nullable(),
  durationMs: z.int().nullable().describe("Length of a video or audio file, else null"),
  pageCount: z.int().nullable().describe("Pages of a document, else null"),
  codec: z.string().max(100).nullable().describe("Codec of a video's picture or of an audio file, such as `avc`, else null"),
  convertedFrom: z.string().max(100).nullable().describe("The media type of the upload if it was converted, else null"),
  warnings: z.array(AssetWarning).max(20).describe("What may go wrong on some screens"),
});
export type MediaInfo = z.infer<typeof MediaInfo>;

/** From the service to the process. */
export const Job = z.discriminatedUnion("do", [
  z.strictObject({
    id: z.int(),
    do: z.literal("examine"),
    path: z.string(),
    claimed: z.string().nullable().describe("The Content-Type of the upload"),
    to: z.string().nullable().describe("Where to write the converted file"),
  }),
  z.strictObject({
    id: z.int(),
    do: z.literal("thumbnail"),
    source: z.union([z.object({ path: z.string() }), z.object({ base64: z.string() })]),
  }),
]);
export type Job = z.infer<typeof Job>;

/** From the process to the service. */
export const JobReply = z.discriminatedUnion("is", [
  // Sent as soon as the type is known: each type has its own limits.
  z.object({ id: z.int(), is: z.literal("type"), mimeType: z.string().max(100) }),
  z.object({ id: z.int(), is: z.literal("examined"), media: MediaInfo }),
  z.object({ id: z.int(), is: z.literal("thumbnail"), base64: z.string() }),
  z.object({ id: z.int(), is: z.literal("rejected"), detail: z.string().max(2_000) }).describe("The file is bad"),
  z.object({ id: z.int(), is: z.literal("failed"), message: z.string().max(2_000) }).describe("The process has a fault"),
]);
export type JobReply = z.infer<typeof JobReply>;

/** The reply that ends a job. */
export type JobResult = Exclude<JobReply, { is: "type" }>;

/** The longest line that a media process may write, in characters. A thumbnail in Base64 has less than a tenth of it. */
export const maxReplyLength = 8 * 1_024 * 1_024;
