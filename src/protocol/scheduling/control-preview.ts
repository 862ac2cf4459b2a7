// The preview of a player's own actions: when its display is on, and when its recurring commands run.
import { z } from "zod";
import { id, Timestamp } from "../common.ts";
import { Power } from "../device/display-commands.ts";
import { recurringTypes } from "../device/command-request.ts";

/** How many runs of recurring commands a preview lists. */
export const maxPreviewRuns = 500;

export const ControlPreviewQuery = z.strictObject({
  from: Timestamp.optional().describe("Default: now"),
  to: Timestamp.optional().describe("At most 31 days after `from`. Default: seven days after it"),
});

/** A time for which the display is on or off. The end is excluded. */
const DisplayPeriod = z
  .object({
    from: Timestamp,
    to: Timestamp,
    power: Power,
    reason: z.enum(["hours", "override", "emergency"]).describe("Opening hours, or an override that is in force and wakes the display"),
  })
  .meta({ id: "DisplayPeriod" });

/** A run of a recurring command. */
const RecurringRun = z.object({ at: Timestamp, name: z.string(), type: z.enum(recurringTypes) }).meta({ id: "RecurringRun" });

/** `GET /players/{id}/control-preview`. */
export const ControlPreview = z
  .object({
    player_id: id("plr"),
    timezone: z.string().describe("The time zone in which the player reads its hours and times"),
    from: Timestamp,
    to: Timestamp,
    summary: z.string().describe("The opening hours of the display in words"),
    display: z
      .array(DisplayPeriod)
      .describe("When the display is on and off, without a gap; empty without opening hours. Power that was set by hand is left out"),
    runs: z.array(RecurringRun).describe(`The runs of the recurring commands in order, ${maxPreviewRuns} at most`),
    runs_left_out: z.int().describe("How many more runs there are until `to`"),
  })
  .meta({ id: "ControlPreview" });
export type ControlPreview = z.infer<typeof ControlPreview>;
