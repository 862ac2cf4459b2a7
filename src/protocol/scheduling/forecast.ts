// The forecast for a player: time intervals, each with its layout and the reason for it.
import { z } from "zod";
import { ShownReason } from "../device/heartbeat.ts";
import { id, Timestamp } from "../common.ts";

const maxIntervals = 500;

export const ForecastQuery = z.strictObject({
  from: Timestamp.optional().describe("Default: now"),
  to: Timestamp.optional().describe("At most seven days after `from`, which is also the default"),
  limit: z.coerce.number().int().min(1).max(maxIntervals).default(100).describe("Maximum number of intervals"),
});

/** Why a screen is empty. */
export const EmptyReason = z.enum(["no-schedule", "not-due", "set-aside", "no-items"]).meta({ id: "EmptyReason" });
export type EmptyReason = z.infer<typeof EmptyReason>;

/** An interval in which one layout plays. The end is excluded. */
export const ForecastStretch = z
  .object({
    from: Timestamp,
    to: Timestamp,
    by: z
      .enum(["override", "schedule", "default", "nothing"])
      .describe("`default`: no schedule is active, the player's own layout plays. `nothing`: it has no layout, the screen is empty"),
    schedule_id: id("sch").nullable(),
    schedule_name: z.string().nullable(),
    override_id: id("cmd").nullable(),
    layout_id: id("lay").nullable(),
    layout_name: z.string().nullable(),
    asset_id: id("ast").nullable().describe("Of an override that shows an asset without a layout"),
    loops_from: Timestamp.nullable().describe("The instant from which the layout's loops count; null: there is no layout"),
    empty_because: EmptyReason.nullable().describe(
      "Why the screen is empty; null: it is not. `no-items`: the layout is due, but has no background image, and no zone has an item that can be shown then: without zones, with empty playlists, or outside of its items' times and conditions. The others: nothing is due, and the screen has no layout of its own. `no-schedule`: none is for it. `not-due`: no window is open. `set-aside`: no window is open of those that take part, and others do not, such as by a condition",
    ),
  })
  .meta({ id: "ForecastStretch" });
export type ForecastStretch = z.infer<typeof ForecastStretch>;

/** `GET /players/{id}/forecast`. */
export const Forecast = z
  .object({
    player_id: id("plr"),
    revision: z.string().describe("The desired state from which the forecast is computed"),
    timezone: z.string().describe("The time zone that the player uses"),
    from: Timestamp,
    to: Timestamp.describe("The end of the last interval"),
    stretches: z.array(ForecastStretch).describe("The intervals in order, without a gap"),
    next_from: Timestamp.nullable().describe(
      "If there are more intervals than `limit`: the `from` of the next request. null: these are all",
    ),
  })
  .meta({ id: "Forecast" });
export type Forecast = z.infer<typeof Forecast>;

export const WhyQuery = z.strictObject({
  at: Timestamp.optional().describe("Default: now"),
  schedule_id: id("sch").optional().describe("Explains also why this schedule plays, or why not"),
});

/** `GET /players/{id}/why`. */
export const Why = z
  .object({
    player_id: id("plr"),
    at: Timestamp,
    reasons: z
      .array(ShownReason)
      .describe("First the content that plays, then the content it outranks, then the content that is set aside"),
    schedule: z
      .object({
        schedule_id: id("sch"),
        verdict: z
          .enum(["shows", "held", "outranked", "set-aside", "not-due", "not-for-it"])
          .describe(
            "`set-aside`: a condition does not hold. `not-due`: no window is open. `not-for-it`: its target does not include this player",
          ),
        detail: z.string(),
        next_at: Timestamp.nullable().describe("When its next window begins; null: there is none, or a window is open"),
      })
      .nullable()
      .describe("About `schedule_id`; null if the request named none"),
  })
  .meta({ id: "Why" });
export type Why = z.infer<typeof Why>;
