// Schedules: which layout plays when, and what is wrong with one that cannot be. The same check on both sides of the wire.
import { z } from "zod";
import { Opening, opening, validateOpening } from "./opening-hours.ts";
import { createRecurrence, dayOf, firstDay, type Recurrence } from "../../schedule/calendar/recurrence.ts";
import { parseRule, RuleError, type Rule } from "../../schedule/calendar/rrule.ts";
import { cleanText, deviceText } from "../text.ts";
import { DeletedAt, id, Name, Timestamp, TimeZone } from "../common.ts";

const dayMs = 86_400_000;
const longestRecurringDays = 31;
const searchedDays = 50 * 366;
// Kiritimati is 14 hours ahead of UTC, no zone is further.
const furthestAheadMs = 14 * 3_600_000;

/** A wall time in the schedule's zone, a date there, or with `Z` an instant. */
export const Moment = z
  .string()
  .regex(
    /^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,3}Z|Z)?|Z)?)?$/,
    "must be a wall time such as 2026-11-21T16:00, a date such as 2026-12-24, or an instant that ends in Z",
  )
  .refine((text) => momentOf(text) !== null, "must be a date and a time that exist, from 1970 to 2199")
  .describe(
    "Wall time in the schedule's zone, `2026-11-21T16:00` or `2026-11-21T16:00:30`; a date there, `2026-12-24`, for whole days; or an instant, `2026-11-21T16:00:00Z`",
  );
/** A day, as a wall calendar names it. */
export const LocalDate = z
  .string()
  .regex(/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/, "must be a date such as 2026-12-24")
  .refine((text) => momentOf(`${text}T00:00`) !== null, "must be a date that exists, from 1970 to 2199");

const longestValue = 200;
/** A value that operators or triggers set on a player and that conditions ask for. */
export const VariableName = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, "must be lower-case letters, digits and _, such as door_open");
export const VariableValue = z.union([
  z
    .string()
    .max(longestValue)
    .overwrite((text) => cleanText(text, longestValue)),
  z.number().min(-1e15).max(1e15),
  z.boolean(),
]);
export const Variables = z
  .record(VariableName, VariableValue)
  .refine((map) => Object.keys(map).length <= 100, "must be at most 100 variables");
export type Variables = z.infer<typeof Variables>;

/** What holds on a player, as it tells: what an operator has given it and, above that, what commands and triggers have set. */
export const ReportedVariables = z.record(VariableName, VariableValue).describe("The first of them by name where they are many");

/** The same as it comes: what is no variable's name is left out, or one of them would cost the whole heartbeat. */
export const HeartbeatVariables = z
  .record(z.string(), z.union([deviceText(longestValue), ...VariableValue.options.slice(1)]))
  .overwrite((map) => Object.fromEntries(Object.entries(map).filter(([name]) => VariableName.safeParse(name).success)));

/** What must hold besides the window. All conditions of a schedule must hold together. */
export const Condition = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("tag"),
    tag: Name,
    is_present: z.boolean().default(true).describe("false: the player must not have the tag"),
  }),
  z.strictObject({
    type: z.literal("variable"),
    name: VariableName,
    op: z.enum(["equals", "not_equals", "at_least", "at_most"]).default("equals"),
    value: VariableValue,
  }),
  z.strictObject({
    type: z.literal("date"),
    from: LocalDate.optional(),
    until: LocalDate.optional().describe("That day included"),
  }),
  z.strictObject({ type: z.literal("daypart"), ...opening }),
  z.strictObject({
    type: z.literal("hours"),
    open: z.array(Opening).min(1).max(50).describe("It holds while any of them does. Those that touch or overlap are one window"),
  }),
  z.strictObject({
    type: z.literal("calendar"),
    calendar_id: id("cal"),
    is_listed: z
      .boolean()
      .default(true)
      .describe(
        "true: only on the calendar's dates; false: except on them. A window of at most a day, also one that a daypart makes, counts by the day on which it begins, in the schedule's zone; a longer one is cut to whole days",
      ),
  }),
]);
export type Condition = z.infer<typeof Condition>;

/** Takes turns with what else plays instead of replacing it. */
const Interrupt = z.strictObject({
  share_percent: z
    .number()
    .min(0.1)
    .max(100)
    .describe(
      "Share of each hour, spread evenly over it. Together above 100 at one time on one player they are refused; where they come so all the same, all are scaled down",
    ),
  play_ms: z.int().min(1_000).max(3_600_000).optional().describe("Length of one play; without it, one loop of the layout's longest zone"),
  max_plays_per_hour: z
    .int()
    .min(1)
    .max(3_600)
    .optional()
    .describe(
      "Counted on the grid of the UTC hour, never from what was played; where other interrupts begin or end within the hour, the grid is laid out anew",
    ),
});

const targets = [
  z.strictObject({ type: z.literal("team") }),
  z.strictObject({ type: z.literal("tag"), tag: Name }),
  z.strictObject({ type: z.literal("player"), player_id: id("plr") }),
] as const;
const OneTarget = z.discriminatedUnion("type", targets);
/** A target that is no list of targets. */
export type OneTarget = z.infer<typeof OneTarget>;

/** Which players a schedule is for. */
export const ScheduleTarget = z.discriminatedUnion("type", [
  ...targets,
  z.strictObject({
    type: z.literal("any"),
    of: z
      .array(OneTarget)
      .min(2)
      .max(100)
      .superRefine(refuseRepeats)
      .describe(
        "Each player that one of them means gets the schedule, once. A player in the bin stays listed and counts for nobody; one that is deleted for good is taken out",
      ),
  }),
]);
export type ScheduleTarget = z.infer<typeof ScheduleTarget>;

const timing = {
  starts_at: Moment,
  ends_at: Moment.nullable().describe(
    "Not included; a date: that day included. Of the same kind as `starts_at`. null: open-ended, which only a schedule without `rrule` can be",
  ),
  rrule: z
    .string()
    .max(500)
    .nullable()
    .describe("RFC 5545: `FREQ=WEEKLY;BYDAY=FR`. Each day it names has a window as long, on the wall clock, as the first"),
  exdates: z.array(LocalDate).max(1_000).describe("Days on which no window begins (EXDATE)"),
  timezone: TimeZone.nullable().describe("IANA zone; null: the player's"),
  priority: z
    .int()
    .min(-1_000)
    .max(1_000)
    .describe("The highest plays; of equal ones the window that began last, then the newest schedule"),
  conditions: z.array(Condition).max(20),
  enabled: z.boolean().describe("false: kept, and sent to no player"),
  interrupt: Interrupt.nullable(),
  sync_epoch: Timestamp.nullable().describe("The instant from which the layout's loops count; null: the fixed epoch 2024-01-01T00:00:00Z"),
  loop_from: z
    .enum(["epoch", "window"])
    .describe(
      "`epoch`: loops count from `sync_epoch`, so a window may begin amid an item. `window`: they begin with the first item when a window begins, on all players at once; what interrupts them does not set them back. An interrupt's loops begin with each of its turns, whatever stands here",
    ),
};
const about = { id: id("sch"), name: Name, layout_id: id("lay") };

/** When a layout plays, and on which players. */
export const Schedule = z.object({
  ...about,
  target: ScheduleTarget,
  ...timing,
  created_at: Timestamp,
  updated_at: Timestamp,
  deleted_at: DeletedAt,
});
export type Schedule = z.infer<typeof Schedule>;

/** Something about a schedule that is allowed and hardly meant. */
export const ScheduleWarning = z.object({
  code: z.enum(["disabled", "past", "conditions-exclude", "clock-gap", "exdate-unused", "calendar-ended", "outranked", "no-screens"]),
  message: z.string(),
  field: z.string().describe("RFC 6901 pointer"),
});
export type ScheduleWarning = z.infer<typeof ScheduleWarning>;

/** A schedule, and what comes of it. */
export const ScheduleOutlook = Schedule.extend({
  summary: z.string().describe("In words: “Fridays 22:00 to 02:00, Berlin”"),
  next_at: Timestamp.nullable().describe(
    "When its next window begins, or began if it is open now, by its own zone or that of a screen it is for; null: never again",
  ),
  screens: z.int().describe("How many players it is for"),
  warnings: z.array(ScheduleWarning).describe("Why it may never play, or not as meant. It is taken all the same"),
});
export type ScheduleOutlook = z.infer<typeof ScheduleOutlook>;

const newTiming = {
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

export const NewSchedule = z
  .strictObject({ name: Name, layout_id: about.layout_id, target: ScheduleTarget, ...newTiming })
  .superRefine(refine);
export const ScheduleChange = z.strictObject({ name: Name, layout_id: about.layout_id, target: ScheduleTarget, ...timing }).partial();

/** A schedule as a player gets it, once it has been found whole. */
export const DesiredSchedule = z.object({ ...about, ...newTiming }).superRefine(refine);
export type DesiredSchedule = z.infer<typeof DesiredSchedule>;

/** What {@link validateSchedule} looks at. */
export type ScheduleTiming = Pick<DesiredSchedule, "starts_at" | "ends_at" | "rrule" | "exdates" | "conditions">;

/**
 * A moment as UTC ms: of the wall clock, or with `isUtc` of the instant; a date alone is the beginning of its day. Null when
 * there is no such date or time.
 */
export function momentOf(text: string): { at: number; isUtc: boolean } | null {
  const isUtc = text.endsWith("Z");
  const at = Date.parse(isUtc ? text : isDate(text) ? `${text}T00:00Z` : `${text}Z`);
  const isReal = Number.isFinite(at) && new Date(at).toISOString().startsWith(text.slice(0, 16));
  return isReal && at >= 0 && at < Date.UTC(2200, 0, 1) ? { at, isUtc } : null;
}

/**
 * The moment at which what lasts until `text` is over. A date alone is included, as people mean it (and unlike DTEND of
 * RFC 5545): over is what lasts until it when the next day begins.
 */
export function endMomentOf(text: string): { at: number; isUtc: boolean } | null {
  const moment = momentOf(text);
  // The last day that there is ends a second early: its end is to be a moment too.
  return moment !== null && isDate(text) ? { ...moment, at: Math.min(moment.at + dayMs, Date.UTC(2200, 0, 1) - 1_000) } : moment;
}

/** The same window for players: where it is of dates, in wall times, which players of versions that know no dates read too. */
export function withWallTimes({
  starts_at,
  ends_at,
}: Pick<ScheduleTiming, "starts_at" | "ends_at">): Pick<ScheduleTiming, "starts_at" | "ends_at"> {
  if (!isDate(starts_at)) return { starts_at, ends_at };
  const ends = ends_at === null ? null : endMomentOf(ends_at)!.at;
  return { starts_at: `${starts_at}T00:00:00`, ends_at: ends === null ? null : new Date(ends).toISOString().slice(0, 19) };
}

/** Whether a moment is a date alone. */
export function isDate(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text);
}

/**
 * The days of a rule that begins at the wall time `startWall`.
 * @param instantOf the instant of a wall time in the schedule's zone. Without it, where the zone is not known, an UNTIL in
 * UTC lets all days in that any zone might.
 */
export function recurrenceOf(rule: Rule, startWall: number, exdates: readonly string[], instantOf?: (wall: number) => number): Recurrence {
  const lastDay = lastDayOf(rule, startWall - dayOf(startWall) * dayMs, instantOf);
  const except = new Set(exdates.map((date) => dayOf(momentOf(`${date}T00:00`)?.at ?? Number.NaN)));
  return createRecurrence(rule, dayOf(startWall), lastDay, except);
}

/** The last day whose window begins at UNTIL or before: instants are compared with instants, wall times with wall times. */
function lastDayOf({ until }: Rule, timeOfDay: number, instantOf?: (wall: number) => number): number {
  if (until === null) return Number.MAX_SAFE_INTEGER;
  if (!until.isUtc) return dayOf(until.at - timeOfDay);
  if (instantOf === undefined) return dayOf(until.at + furthestAheadMs - timeOfDay);
  let day = dayOf(until.at - timeOfDay) + 2;
  while (instantOf(day * dayMs + timeOfDay) > until.at) day -= 1;
  return day;
}

/** What makes a schedule impossible: RFC 6901 pointer and remedy of each fault. None: it can play. */
export function validateSchedule(schedule: ScheduleTiming): { pointer: string; detail: string }[] {
  const faults = schedule.conditions.flatMap((condition, index) => conditionFaults(condition, `/conditions/${index}`));
  const starts = momentOf(schedule.starts_at);
  const ends = schedule.ends_at === null ? null : endMomentOf(schedule.ends_at);
  // A text that is no moment has been refused by its own field.
  if (starts === null || (ends === null && schedule.ends_at !== null)) return faults;
  if (ends !== null && (ends.isUtc !== starts.isUtc || isDate(schedule.ends_at!) !== isDate(schedule.starts_at))) {
    faults.push({ pointer: "/ends_at", detail: "must be of the same kind as starts_at: both wall times, both dates or both with Z" });
  } else if (ends !== null && ends.at <= starts.at) {
    const remedy = isDate(schedule.starts_at)
      ? "must not be before starts_at: it is the last day, and included"
      : "must be after starts_at: a window past midnight ends on the next day";
    faults.push({ pointer: "/ends_at", detail: remedy });
  }
  if (schedule.rrule === null) return faults;
  const longest = longestRecurringDays * dayMs;
  if (ends === null) faults.push({ pointer: "/ends_at", detail: "must be given with rrule: a window that never ends cannot recur" });
  else if (ends.at - starts.at > longest) {
    faults.push({ pointer: "/ends_at", detail: `must be at most ${longestRecurringDays} days after starts_at when there is an rrule` });
  }
  return [...faults, ...ruleFaults(schedule.rrule, starts.at, schedule.exdates)];
}

function ruleFaults(text: string, startWall: number, exdates: readonly string[]): { pointer: string; detail: string }[] {
  let rule: Rule;
  try {
    rule = parseRule(text);
  } catch (error) {
    if (!(error instanceof RuleError)) throw error;
    return [{ pointer: "/rrule", detail: error.message }];
  }
  const recurrence = recurrenceOf(rule, startWall, exdates);
  if (firstDay(recurrence, recurrence.startDay, recurrence.startDay + searchedDays) !== null) return [];
  return [{ pointer: "/rrule", detail: "never starts: it names no day from starts_at on that exdates leaves" }];
}

function conditionFaults(condition: Condition, pointer: string): { pointer: string; detail: string }[] {
  if (condition.type === "date" && condition.from !== undefined && condition.until !== undefined && condition.until < condition.from) {
    return [{ pointer: `${pointer}/until`, detail: "must not be before from" }];
  }
  if (condition.type === "daypart") return validateOpening(condition, pointer);
  if (condition.type === "hours") return condition.open.flatMap((each, index) => validateOpening(each, `${pointer}/open/${index}`));
  return [];
}

function refuseRepeats(all: readonly OneTarget[], context: z.RefinementCtx): void {
  const seen = new Set<string>();
  for (const [index, target] of all.entries()) {
    const key = JSON.stringify(target);
    if (seen.has(key)) context.addIssue({ code: "custom", message: "is there already: name each target once", path: [index] });
    seen.add(key);
  }
}

function refine(schedule: ScheduleTiming, context: z.RefinementCtx): void {
  for (const { pointer, detail } of validateSchedule(schedule)) {
    const path = pointer.slice(1).split("/");
    context.addIssue({ code: "custom", message: detail, path: path.map((part) => (/^\d+$/.test(part) ? Number(part) : part)) });
  }
}
