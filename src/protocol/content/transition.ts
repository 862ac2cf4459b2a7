// How one picture replaces another: items in a zone, layouts on the screen.
import { z } from "zod";

/**
 * A change of picture. It begins at the boundary of the timeline and ends `duration_ms` later. The boundary does not move:
 * the new picture counts as shown from then on, and the old one stays visible beneath it until the transition ends.
 */
export const Transition = z
  .strictObject({
    type: z
      .enum(["cut", "crossfade", "slide", "wipe", "push", "zoom"])
      .describe(
        "slide: the new picture moves over the old one; push: it pushes the old one out; wipe: a moving edge reveals it; zoom: the old picture grows and fades while the new one settles into place",
      ),
    duration_ms: z.int().min(0).max(10_000).default(600).describe("At most half of the item's duration is used"),
    easing: z.enum(["linear", "ease", "ease-in", "ease-out", "ease-in-out"]).default("ease-in-out"),
    direction: z.enum(["left", "right", "up", "down"]).default("left").describe("The direction in which slide, push and wipe move"),
  })
  .meta({ id: "Transition" });
export type Transition = z.infer<typeof Transition>;
