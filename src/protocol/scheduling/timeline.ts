// The timeline: the plans of many screens for a span of time, and the effect of a change of schedules on them.
import { z } from "zod";
import { id, Name, Timestamp } from "../common.ts";
import { NameFilter, PageQuery } from "../operator/resources.ts";
import { EmptyReason, ForecastStretch } from "./forecast.ts";
import { ScheduleChange } from "./schedules.ts";

/** The longest span of a timeline, in days: a month of any length, and a clock change. */
export const maxTimelineDays = 32;
/** How many intervals a plan has at most. */
export const maxPlanStretches = 1_000;
/** How many screens, and how many gaps, an effect names. */
export const maxNamed = 100;

const playerIds = z
  .string()
  .max(100 * 31)
  .regex(/^plr_[0-9a-hjkmnp-tv-z]{26}(?:,plr_[0-9a-hjkmnp-tv-z]{26}){0,99}$/, "must be up to 100 ids of screens, separated by commas")
  .meta({ examples: ["plr_01jd3v8q6m9x2k4n7r5t1w0yzh"] });

export const TimelineQuery = PageQuery.extend({
  from: Timestamp.optional().describe("Default: now"),
  to: Timestamp.optional().describe(`At most ${maxTimelineDays} days after \`from\`. Default: seven days after it`),
  ids: playerIds.optional().describe("Only these players, up to 100, separated by commas"),
  tag: Name.optional().describe("Only players with this tag"),
  q: NameFilter,
});

/** An interval of a plan. Content that takes turns does not end it. */
export const PlanStretch = ForecastStretch.extend({
  turns: z
    .array(z.object({ schedule_id: id("sch"), schedule_name: z.string() }))
    .describe("Schedules with `interrupt` that take turns with it, the highest priority first"),
  content: z
    .string()
    .describe("Equal for what looks the same: its layout with all items and files, and its turns. So a change within a playlist is seen"),
  empty_because: ForecastStretch.shape.empty_because.describe(
    "As in `GET /players/{id}/forecast`. A stretch with `turns` is empty only if none of them shows anything either",
  ),
}).meta({ id: "PlanStretch" });
export type PlanStretch = z.infer<typeof PlanStretch>;

/** The plan of equal screens. */
const Plan = z
  .object({
    stretches: z.array(PlanStretch).describe("The intervals in order, without a gap"),
    to: Timestamp.describe(
      `The end of the last interval: \`to\` of the timeline, or earlier if there are more than ${maxPlanStretches} intervals`,
    ),
  })
  .meta({ id: "Plan" });

/** A screen in the timeline. */
const TimelinePlayer = z
  .object({
    player_id: id("plr"),
    name: Name,
    timezone: z.string().describe("The time zone that the player uses"),
    plan: z.int().min(0).describe("What it plays: a place in `plans`, from 0"),
  })
  .meta({ id: "TimelinePlayer" });

/** `GET /timeline`. */
export const Timeline = z
  .object({
    from: Timestamp,
    to: Timestamp,
    plans: z.array(Plan).describe("Each plan once. Screens with the same content, schedules and time zone share one"),
    data: z.array(TimelinePlayer),
    next_cursor: z.string().nullable().describe("The cursor of the next page; null on the last page"),
  })
  .meta({ id: "Timeline" });
export type Timeline = z.infer<typeof Timeline>;

/** One of the changes that are tried. */
export const TriedChange = z
  .strictObject({
    schedule_id: id("sch").nullable().default(null).describe("The schedule to change; null: a new one"),
    change: ScheduleChange.nullable().describe("As in `PATCH /schedules/{id}`, for a new one as in `POST /schedules`; null: it is deleted"),
  })
  .meta({ id: "TriedChange" });
export type TriedChange = z.output<typeof TriedChange>;

/** `POST /schedules/effect`: changes that are tried together and not made. */
export const EffectRequest = z
  .strictObject({
    changes: z.array(TriedChange).min(1).max(20).describe("Tried one after the other"),
    from: Timestamp.optional().describe("Default, and earliest: now"),
    to: Timestamp.optional().describe(`At most ${maxTimelineDays} days after \`from\`. Default: ${maxTimelineDays - 1} days after it`),
  })
  .meta({ id: "EffectRequest" });

/** The content of a screen when it begins to differ. */
const Shown = z.object({
  by: ForecastStretch.shape.by,
  layout_id: ForecastStretch.shape.layout_id,
  layout_name: ForecastStretch.shape.layout_name,
  schedule_name: ForecastStretch.shape.schedule_name,
  empty_because: ForecastStretch.shape.empty_because.describe("Why the screen is empty then; null: it is not"),
});

/** A screen that will show something else. */
const ChangedScreen = z.object({
  player_id: id("plr"),
  name: Name,
  timezone: z.string(),
  first_at: Timestamp.describe("When it first shows something else"),
  before: Shown.describe("What would play then without the change"),
  after: Shown,
});

/** A time in which a screen would be empty, and is not without the change. */
const Gap = z.object({
  player_id: id("plr"),
  name: Name,
  timezone: z.string(),
  from: Timestamp,
  to: Timestamp.describe("If it is the `to` of the effect, it may last longer"),
  empty_because: EmptyReason.describe("Why, as in `GET /players/{id}/forecast`"),
});

/** The effect that a change of content would have on screens. Nothing was changed. */
export const ScheduleEffect = z
  .object({
    from: Timestamp,
    to: Timestamp,
    first_at: Timestamp.nullable().describe("When the first screen shows something else; null: none does until `to`"),
    screen_count: z.int().min(0).describe("How many screens will show something else"),
    screens: z.array(ChangedScreen).describe(`The first ${maxNamed} of them, by the time of their first change`),
    gap_count: z.int().min(0),
    gaps: z.array(Gap).describe(`Times in which screens become empty, the first ${maxNamed} by time`),
  })
  .meta({ id: "ScheduleEffect" });
export type ScheduleEffect = z.infer<typeof ScheduleEffect>;
