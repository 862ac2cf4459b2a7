// Commands that a player runs by itself at times of the day, such as a nightly restart.
import { z } from "zod";
import { id, Name } from "../common.ts";
import { weekdays } from "../scheduling/opening-hours.ts";
import { CommandRequest, recurringTypes } from "./command-request.ts";

/** A command as operators send it, without the time within which it must start. */
const RecurringAction = z
  .strictObject({ type: z.enum(recurringTypes), args: z.record(z.string(), z.unknown()).default({}) })
  .superRefine((action, context) => {
    const request = CommandRequest.safeParse(action);
    for (const { message, path } of request.error?.issues ?? []) context.addIssue({ code: "custom", message, path });
  })
  .meta({ id: "RecurringAction" });
export type RecurringAction = z.infer<typeof RecurringAction>;

const TimeOfDay = z
  .string()
  .regex(/^(?:[01][0-9]|2[0-3]):[0-5][0-9]$/, "must be a time of day from 00:00 to 23:59")
  .meta({ examples: ["03:30"] });

/**
 * Runs once at each of its times. A time that a clock change skips runs right after the change; one that comes twice runs the first time. A player
 * that was off or busy at the time runs it up to five minutes late, or not at all.
 */
export const RecurringCommand = z
  .strictObject({
    name: Name.describe("Unique on the player"),
    command: RecurringAction,
    at: z.array(TimeOfDay).min(1).max(24).describe("Times of the day in the player's time zone"),
    weekdays: z.array(z.enum(weekdays)).min(1).max(7).optional().describe("Default: every day"),
    calendar: z
      .strictObject({ calendar_id: id("cal"), is_listed: z.boolean().default(true) })
      .optional()
      .describe("true: only on the calendar's dates; false: except on them"),
    enabled: z.boolean().default(true),
  })
  .meta({ id: "RecurringCommand" });
export type RecurringCommand = z.infer<typeof RecurringCommand>;

export const RecurringCommands = z
  .array(RecurringCommand)
  .max(50)
  .refine((each) => new Set(each.map(({ name }) => name)).size === each.length, "names a command twice: give each its own name");
