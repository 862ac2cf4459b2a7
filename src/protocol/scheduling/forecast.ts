// What a player will show: stretches of time, each with its layout and what brings it.
import { z } from "zod";
import { ShownReason } from "../device/heartbeat.ts";
import { id, Timestamp } from "../common.ts";

const maxStretches = 500;

export const ForecastQuery = z.strictObject({
  from: Timestamp.optional().describe("Without it, now"),
  to: Timestamp.optional().describe("At most seven days after `from`, which it is without it"),
  limit: z.coerce.number().int().min(1).max(maxStretches).default(100).describe("Stretches at most"),
});

/** One layout on end. The end is excluded. */
export const ForecastStretch = z.object({
  from: Timestamp,
  to: Timestamp,
  by: z
    .enum(["override", "schedule", "default", "nothing"])
    .describe("`default`: no schedule is due, the player's own layout plays. `nothing`: it has none, the screen is empty"),
  schedule_id: id("sch").nullable(),
  schedule_name: z.string().nullable(),
  override_id: id("cmd").nullable(),
  layout_id: id("lay").nullable(),
  layout_name: z.string().nullable(),
  asset_id: id("ast").nullable().describe("Of an override that shows an asset alone"),
  loops_from: Timestamp.nullable().describe("The instant from which the layout's loops count; null: there is no layout"),
});
export type ForecastStretch = z.infer<typeof ForecastStretch>;

/** `GET /players/{id}/forecast`. */
export const Forecast = z.object({
  player_id: id("plr"),
  revision: z.string().describe("The desired state that it is drawn from"),
  timezone: z.string().describe("The zone by whose clock the player plays"),
  from: Timestamp,
  to: Timestamp.describe("The end of the last stretch"),
  stretches: z.array(ForecastStretch).describe("One after the other, without a hole"),
  next_from: Timestamp.nullable().describe("There were more stretches than `limit`: go on from here. Null: that was all"),
});
export type Forecast = z.infer<typeof Forecast>;

export const WhyQuery = z.strictObject({
  at: Timestamp.optional().describe("Without it, now"),
  schedule_id: id("sch").optional().describe("Says of this schedule, too, why it is on, or why not"),
});

/** `GET /players/{id}/why`. */
export const Why = z.object({
  player_id: id("plr"),
  at: Timestamp,
  reasons: z.array(ShownReason).describe("What shows first, then what it outranks, then what takes no part"),
  schedule: z
    .object({
      schedule_id: id("sch"),
      verdict: z
        .enum(["shows", "held", "outranked", "set-aside", "not-due", "not-for-it"])
        .describe("`set-aside`: a condition does not hold. `not-due`: no window is open. `not-for-it`: its target leaves this player out"),
      detail: z.string(),
      next_at: Timestamp.nullable().describe("When its next window begins; null: none does, or it is open"),
    })
    .nullable()
    .describe("Of `schedule_id`; null where none was asked for"),
});
export type Why = z.infer<typeof Why>;
