// The version that operators choose for a player or a rollout, and when players may switch to it.
import { z } from "zod";
import { DesiredRelease } from "../device/updates.ts";
import { Opening, validateOpening } from "../scheduling/opening-hours.ts";

/** The fields that say when players may switch to a version. */
export const installFields = {
  install: DesiredRelease.shape.install
    .default("in-window")
    .describe("`in-window`: in the maintenance window; `now`: without waiting for it"),
  windows: z
    .array(Opening)
    .min(1)
    .max(50)
    .optional()
    .describe("The maintenance windows, in each player's time zone. Default: from 02:00 to 05:00"),
};

/** Reports invalid windows with their pointers. */
export function checkWindows({ windows = [] }: { windows?: Opening[] | undefined }, context: z.core.$RefinementCtx): void {
  for (const [index, opening] of windows.entries()) {
    for (const { pointer, detail } of validateOpening(opening, "")) {
      context.addIssue({ code: "custom", path: ["windows", index, pointer.slice(1)], message: detail, input: opening });
    }
  }
}

/** The version for one player, as operators set it. */
export const ReleaseChoice = z
  .strictObject({ version: DesiredRelease.shape.version, ...installFields })
  .superRefine(checkWindows)
  .meta({ id: "ReleaseChoice" });
