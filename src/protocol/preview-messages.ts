// The messages between a console and the player's page in its preview: the console sets the page's clock and gives it scenes.
import { z } from "zod";
import { RawInstant } from "./common.ts";
import { FromPage } from "./page-messages.ts";
import { Scene } from "./scene.ts";

/** How fast the preview's clock runs; 0: it stands still. */
const Rate = z.number().min(0).max(64);

/** Console to page. */
export const ToPreview = z.discriminatedUnion("type", [
  z
    .object({
      type: z.literal("seek"),
      number: z.int().min(1).describe("Counts the console's seeks. The page answers with `drawn` of the same number"),
      scene: Scene.describe("The scene at `from`"),
      from: RawInstant.describe("The instant to begin at: before the transitions that run at `at`, else `at` itself"),
      steps: z.array(RawInstant).max(64).describe("The instants of the changes between `from` and `at`, in order"),
      at: RawInstant.describe("The instant to show"),
      rate: Rate,
    })
    .describe("Shows an instant. What was shown stays until this can be painted"),
  z.object({ type: z.literal("scene"), scene: Scene }).describe("The scene from now on, while the clock runs"),
  z.object({ type: z.literal("time"), at: RawInstant, rate: Rate }).describe("Sets the clock, stops it or lets it run"),
]);
export type ToPreview = z.infer<typeof ToPreview>;

/** Page to console. */
export const FromPreview = z.discriminatedUnion("type", [
  z.object({ type: z.literal("drawn"), number: z.int().min(1) }).describe("The seek's instant is on the screen, and its clock runs"),
  z.object({ type: z.literal("report"), message: FromPage }),
]);
export type FromPreview = z.infer<typeof FromPreview>;

/** The page's message to its parent when it is ready for a port. The parent answers with the same text and the port. */
export const previewGreeting = "signage-player-preview";
