// Calendars: named lists of dates, such as public holidays, that conditions of schedules ask for.
import { z } from "zod";
import { LocalDate } from "./schedules.ts";
import { PageQuery, NameFilter } from "../operator/resources.ts";
import { id, Name, Timestamp } from "../common.ts";

/** The most dates that one calendar holds. */
export const maxDates = 2_000;
const longestIcal = 1_000_000;

/** One day of a calendar. */
export const CalendarDate = z.strictObject({ date: LocalDate, name: Name.optional().describe("What the day is, for people") });
export type CalendarDate = z.infer<typeof CalendarDate>;

/** A named list of whole days. Which instants a day is hangs on the zone of the schedule that asks. */
export const Calendar = z.object({
  id: id("cal"),
  name: Name,
  dates: z.array(CalendarDate).describe("In order, each day once"),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Calendar = z.infer<typeof Calendar>;

/** Something about an import that is hardly meant. */
export const CalendarWarning = z.object({
  code: z
    .enum(["cut", "outside", "repeats", "skipped"])
    .describe(
      "`cut`: more than 2,000 dates. `outside`: events before or after the years that are taken. `repeats`: events that go on after them. `skipped`: events that cannot be taken",
    ),
  message: z.string(),
});
export type CalendarWarning = z.infer<typeof CalendarWarning>;

/** A calendar, and what an import left out of it. */
export const CalendarWritten = Calendar.extend({
  warnings: z.array(CalendarWarning).describe("What of `ical` was not taken, or ends one day"),
});
export type CalendarWritten = z.infer<typeof CalendarWritten>;

const dates = z.array(CalendarDate).max(maxDates).describe("Each day once, in any order");
const ical = z
  .string()
  .max(longestIcal)
  .describe(
    "Instead of `dates`: an iCalendar file (RFC 5545) as text, the whole body at most 1 MB. Each day that an event touches becomes a date, from one year before today to five years after it",
  );
const given = { dates: dates.optional(), ical: ical.optional() };

export const NewCalendar = z.strictObject({ name: Name, ...given }).superRefine(refine);
export const CalendarChange = z.strictObject({ name: Name.optional(), ...given }).superRefine(refine);

/** Query of the list of calendars. */
export const CalendarsQuery = PageQuery.extend({ q: NameFilter });

function refine(
  { dates: list = [], ical: text }: { dates?: CalendarDate[] | undefined; ical?: string | undefined },
  context: z.RefinementCtx,
): void {
  if (list.length > 0 && text !== undefined) {
    context.addIssue({ code: "custom", message: "must not be given together with dates: send either", path: ["ical"] });
  }
  const seen = new Set<string>();
  for (const [index, { date }] of list.entries()) {
    if (seen.has(date))
      context.addIssue({ code: "custom", message: `lists ${date} twice: once is enough`, path: ["dates", index, "date"] });
    seen.add(date);
  }
}
