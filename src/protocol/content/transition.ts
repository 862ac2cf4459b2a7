// How one picture gives way to the next: of items in a zone, of layouts on the glass.
import { z } from "zod";

/**
 * A change of picture. It begins at the boundary of the timeline and ends `duration_ms` later: the boundary itself
 * never moves, the new one counts as shown from it on, and the old one lingers beneath until the change is over.
 */
export const Transition = z.strictObject({
  type: z
    .enum(["cut", "crossfade", "slide", "wipe", "push", "zoom"])
    .describe(
      "slide: the new one moves over the old; push: it moves the old one out; wipe: an edge uncovers it; zoom: it settles out of the one that grows away",
    ),
  duration_ms: z.int().min(0).max(10_000).default(600).describe("At most half of the item's own time is used"),
  easing: z.enum(["linear", "ease", "ease-in", "ease-out", "ease-in-out"]).default("ease-in-out"),
  direction: z.enum(["left", "right", "up", "down"]).default("left").describe("Where slide, push and wipe move to"),
});
export type Transition = z.infer<typeof Transition>;
