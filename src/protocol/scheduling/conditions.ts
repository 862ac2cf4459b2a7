// Conditions of a schedule, or of an item of a playlist: requirements, besides its times, for it to play.
import { z } from "zod";
import { id, Name } from "../common.ts";
import { LocalDate } from "./moments.ts";
import { Opening, opening } from "./opening-hours.ts";
import { VariableName, VariableValue } from "./variables.ts";

const TagCondition = z.strictObject({
  type: z.literal("tag"),
  tag: Name,
  is_present: z.boolean().default(true).describe("false: the player must not have the tag"),
});
const VariableCondition = z.strictObject({
  type: z.literal("variable"),
  name: VariableName,
  op: z.enum(["equals", "not_equals", "at_least", "at_most"]).default("equals"),
  value: VariableValue,
});
const CalendarCondition = z.strictObject({
  type: z.literal("calendar"),
  calendar_id: id("cal"),
  is_listed: z
    .boolean()
    .default(true)
    .describe(
      "true: only on the calendar's dates; false: except on them. A window of at most a day, also one that a daypart creates, counts by the day on which it begins, in the schedule's time zone, that of an item in the player's; a longer window is cut to whole days",
    ),
});

/** One condition. All conditions of a schedule must hold together. */
export const Condition = z
  .discriminatedUnion("type", [
    TagCondition,
    VariableCondition,
    z.strictObject({
      type: z.literal("date"),
      from: LocalDate.optional(),
      until: LocalDate.optional().describe("This day included"),
    }),
    z.strictObject({ type: z.literal("daypart"), ...opening }),
    z.strictObject({
      type: z.literal("hours"),
      open: z
        .array(Opening)
        .min(1)
        .max(50)
        .describe("The condition holds during any of these openings. Openings that touch or overlap are one window"),
    }),
    CalendarCondition,
  ])
  .meta({ id: "Condition" });
export type Condition = z.infer<typeof Condition>;

/** One condition of an item. All of them must hold together. Its dates and times of day are fields of the item. */
export const ItemCondition = z
  .discriminatedUnion("type", [TagCondition, VariableCondition, CalendarCondition])
  .meta({ id: "ItemCondition" });
export type ItemCondition = z.infer<typeof ItemCondition>;

/** The calendars that conditions refer to, each once. */
export function calendarIdsOf(conditions: readonly Condition[]): string[] {
  return [...new Set(conditions.flatMap((condition) => (condition.type === "calendar" ? condition.calendar_id : [])))];
}
