// Commands that change the playback: overrides, skip, pause, resume, and variables for conditions of schedules and items.
import { z } from "zod";
import { dayMs } from "../../base/time.ts";
import { VariableName, Variables } from "../scheduling/variables.ts";
import { id } from "../common.ts";
import { requestsOf, type CommandDefinitions } from "./command-definition.ts";

/** Shows a layout or an asset instead of the scheduled content. Ended by `override.clear` with this command's id. */
const OverrideArgs = z
  .strictObject({
    layout_id: id("lay").optional(),
    asset_id: id("ast").optional().describe("An image or a video, shown alone on the whole screen"),
    duration_ms: z.int().min(1_000).max(31_536_000_000).optional().describe("1 s to 365 days; without it, until it is cleared"),
    level: z
      .enum(["normal", "emergency"])
      .default("normal")
      .describe("An emergency takes precedence over every other override and over a pause"),
  })
  .refine((args) => (args.layout_id === undefined) !== (args.asset_id === undefined), {
    message: "give either layout_id or asset_id",
    path: ["layout_id"],
  });
const ClearArgs = z.strictObject({
  override_id: id("cmd").optional().describe("The id of the override.set command; without it, all overrides end"),
});
const SkipArgs = z.strictObject({
  zone_id: id("zon").optional().describe("Without it, every zone skips to its next item"),
});
const PauseArgs = z.strictObject({
  duration_ms: z
    .int()
    .min(1_000)
    .max(dayMs)
    .default(300_000)
    .describe("1 s to 24 h. Then the loop continues where it would be without the pause"),
});

const SettingDurationMs = z.int().min(1_000).max(31_536_000_000);
/** Arguments of `variables.set`, also sent by triggers on the player. */
export const VariablesSetArgs = z
  .strictObject({
    variables: Variables.refine((map) => Object.keys(map).length > 0, "must be at least one variable").describe(
      "They take effect at once and override the player's own `variables`, which do not change",
    ),
    duration_ms: SettingDurationMs.optional().describe("1 s to 365 days; without it, until they are set again or cleared"),
  })
  .meta({ id: "VariablesSetArgs" });
export type VariablesSetArgs = z.infer<typeof VariablesSetArgs>;
const VariablesClearArgs = z.strictObject({
  names: z
    .array(VariableName)
    .min(1)
    .max(100)
    .optional()
    .describe("Variables that were set by command or trigger; without it, all of these"),
});

export const playCommands = {
  "override.set": { args: OverrideArgs },
  "override.clear": { args: ClearArgs.prefault({}) },
  skip: { args: SkipArgs.prefault({}) },
  pause: { args: PauseArgs.prefault({}) },
  resume: { args: z.strictObject({}).default({}) },
  "variables.set": { args: VariablesSetArgs },
  "variables.clear": { args: VariablesClearArgs.prefault({}) },
} as const satisfies CommandDefinitions;
export const PlayCommand = z.discriminatedUnion("type", requestsOf(playCommands));
export type PlayCommand = z.infer<typeof PlayCommand>;
export const playCommandTypes = Object.keys(playCommands) as (keyof typeof playCommands)[];
