// Schedules on the wire: which layout plays when, and on which players. Combinations of fields are checked in src/schedule.
import { z } from "zod";
import { hourMs } from "../../base/time.ts";
import { DeletedAt, id, Name, Timestamp, TimeZone } from "../common.ts";
import { Condition } from "./conditions.ts";
import { LocalDate, Moment } from "./moments.ts";

/** Takes turns with the other content instead of replacing it. */
const Interrupt = z.strictObject({
  share_percent: z
    .number()
    .min(0.1)
    .max(100)
    .describe(
      "Share of each hour, spread evenly over it. Shares that exceed 100 together, at one time on one player, are rejected; if they occur anyway, the player scales all of them down",
    ),
  play_ms: z.int().min(1_000).max(hourMs).optional().describe("Length of one play. Default: one loop of the layout's longest zone"),
  max_plays_per_hour: z
    .int()
    .min(1)
    .max(3_600)
    .optional()
    .describe(
      "Counted on the grid of the UTC hour, not from past plays; if other interrupts begin or end within the hour, the grid is computed again",
    ),
});

const targets = [
  z.strictObject({ type: z.literal("team") }),
  z.strictObject({ type: z.literal("tag"), tag: Name }),
  z.strictObject({ type: z.literal("player"), player_id: id("plr") }),
] as const;
const OneTarget = z.discriminatedUnion("type", targets);
/** A target that is not a list of targets. */
export type OneTarget = z.infer<typeof OneTarget>;

/** Which players a schedule is for. */
export const ScheduleTarget = z
  .discriminatedUnion("type", [
    ...targets,
    z.strictObject({
      type: z.literal("any"),
      of: z
        .array(OneTarget)
        .min(2)
        .max(100)
        .superRefine(rejectRepeats)
        .describe(
          "Each player that matches one of them gets the schedule, once. A player in the bin stays listed but does not match; a player that is deleted for good is removed from the list",
        ),
    }),
  ])
  .meta({ id: "ScheduleTarget" });
export type ScheduleTarget = z.infer<typeof ScheduleTarget>;

const timing = {
  starts_at: Moment,
  ends_at: Moment.nullable().describe(
    "Not included; a date: this day included. Of the same kind as `starts_at`. null: open-ended, which is possible only without `rrule`",
  ),
  rrule: z
    .string()
    .max(500)
    .nullable()
    .describe("RFC 5545: `FREQ=WEEKLY;BYDAY=FR`. Each day of the rule has a window as long, on the wall clock, as the first"),
  exdates: z.array(LocalDate).max(1_000).describe("Days on which no window begins (EXDATE)"),
  timezone: TimeZone.nullable().describe("IANA time zone; null: the player's"),
  priority: z
    .int()
    .min(-1_000)
    .max(1_000)
    .describe("The highest priority plays; among equal priorities the window that began last, then the newest schedule"),
  conditions: z.array(Condition).max(20),
  enabled: z.boolean().describe("false: the schedule is kept but sent to no player"),
  interrupt: Interrupt.nullable(),
  sync_epoch: Timestamp.nullable().describe("The instant from which the layout's loops count; null: the fixed epoch 2024-01-01T00:00:00Z"),
  loop_from: z
    .enum(["epoch", "window"])
    .describe(
      "`epoch`: loops count from `sync_epoch`, so a window may begin in the middle of an item. `window`: loops begin with the first item when a window begins, on all players at once; content that interrupts them does not restart them. The loops of an interrupt always begin with each of its turns",
    ),
};
const identity = { id: id("sch"), name: Name, layout_id: id("lay") };

/** When a layout plays, and on which players. */
export const Schedule = z
  .object({
    ...identity,
    target: ScheduleTarget,
    ...timing,
    created_at: Timestamp,
    updated_at: Timestamp,
    deleted_at: DeletedAt,
  })
  .meta({ id: "Schedule" });
export type Schedule = z.infer<typeof Schedule>;

/** Something about a schedule that is allowed but probably a mistake. */
export const ScheduleWarning = z
  .object({
    code: z.enum(["disabled", "past", "conditions-exclude", "clock-gap", "exdate-unused", "calendar-ended", "outranked", "no-screens"]),
    message: z.string(),
    field: z.string().describe("RFC 6901 pointer"),
  })
  .meta({ id: "ScheduleWarning" });
export type ScheduleWarning = z.infer<typeof ScheduleWarning>;

/** A schedule with its summary, its next window and warnings. */
export const ScheduleOutlook = Schedule.extend({
  summary: z.string().describe("In words: “Fridays 22:00 to 02:00, Berlin”"),
  next_at: Timestamp.nullable().describe(
    "When its next window begins, or began if it is open now, in its own time zone or that of a screen it is for; null: never again",
  ),
  screens: z.int().describe("How many players it is for"),
  warnings: z.array(ScheduleWarning).describe("Why it may never play, or not as intended. The schedule is saved anyway"),
}).meta({ id: "ScheduleOutlook" });
export type ScheduleOutlook = z.infer<typeof ScheduleOutlook>;

const timingWithDefaults = {
  ...timing,
  ends_at: timing.ends_at.default(null),
  rrule: timing.rrule.default(null),
  exdates: timing.exdates.default([]),
  timezone: timing.timezone.default(null),
  priority: timing.priority.default(0),
  conditions: timing.conditions.default([]),
  enabled: timing.enabled.default(true),
  interrupt: timing.interrupt.default(null),
  sync_epoch: timing.sync_epoch.default(null),
  loop_from: timing.loop_from.default("epoch"),
};

/** The fields of a new schedule. src/schedule/validate-schedule.ts makes the complete schema of them. */
export const newScheduleFields = { name: Name, layout_id: identity.layout_id, target: ScheduleTarget, ...timingWithDefaults };

/** The fields of a schedule that a player receives; the complete schema is there too. */
export const desiredScheduleFields = { ...identity, ...timingWithDefaults };

export const ScheduleChange = z
  .strictObject({ name: Name, layout_id: identity.layout_id, target: ScheduleTarget, ...timing })
  .partial()
  .meta({ id: "ScheduleChange" });

function rejectRepeats(all: readonly OneTarget[], context: z.RefinementCtx): void {
  const keys = new Set<string>();
  for (const [index, target] of all.entries()) {
    const key = JSON.stringify(target);
    if (keys.has(key)) context.addIssue({ code: "custom", message: "is there already: name each target once", path: [index] });
    keys.add(key);
  }
}
