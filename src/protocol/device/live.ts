// Live pictures of a screen: the service's response to a frame, and the limits that both sides keep.
import { z } from "zod";
import { LiveArgs } from "./machine-commands.ts";

/** The largest frame of a live view. */
export const maxLiveFrameBytes = 512 * 1_024;

/** The response to a frame while somebody watches: the settings of the next frames. */
export const LiveAnswer = LiveArgs.pick({ max_fps: true, max_width: true, quality: true })
  .extend({ is: z.literal("continue") })
  .meta({ id: "LiveAnswer" });
export type LiveAnswer = z.infer<typeof LiveAnswer>;

/** The viewers' settings. */
export const LiveQuery = z.strictObject({
  fps: z.coerce.number<string>().min(1).max(5).default(2).describe("Frames per second at most: the player sends fewer over a slow line"),
  width: z.coerce.number<string>().int().min(16).max(1_920).default(960).describe("The pictures are at most this wide"),
  quality: z.coerce.number<string>().int().min(1).max(100).default(60).describe("Of the JPEGs. Lower over a slow line"),
});
export type LiveQuery = z.infer<typeof LiveQuery>;

/** Why a live view ended. */
export const LiveEndReason = z.enum(["unwatched", "duration", "replaced", "disconnected", "refused", "no-picture"]);
export type LiveEndReason = z.infer<typeof LiveEndReason>;
