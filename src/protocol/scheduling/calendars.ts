// Calendars: named lists of dates, such as public holidays, that conditions of schedules and items refer to.
import { z } from "zod";
import { LocalDate } from "./moments.ts";
import { NameFilter, PageQuery } from "../operator/resources.ts";
import { id, Name, Timestamp } from "../common.ts";

/** The largest number of dates in one calendar. */
export const maxDates = 2_000;
const maxIcalLength = 1_000_000;
/** How many players the uses of a calendar name. */
export const maxUsers = 20;

/** One day of a calendar. */
export const CalendarDate = z
  .strictObject({ date: LocalDate, name: Name.optional().describe("The day's name, for people") })
  .meta({ id: "CalendarDate" });
export type CalendarDate = z.infer<typeof CalendarDate>;

/** A named list of whole days. The time zone of the schedule decides when such a day begins and ends. */
export const Calendar = z
  .object({
    id: id("cal"),
    name: Name,
    dates: z.array(CalendarDate).describe("In order, each day once"),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: "Calendar" });
export type Calendar = z.infer<typeof Calendar>;

/** Something about an import that is probably not intended. */
export const CalendarWarning = z
  .object({
    code: z
      .enum(["cut", "outside", "repeats", "skipped"])
      .describe(
        "`cut`: more than 2,000 dates. `outside`: events before or after the imported years. `repeats`: events that recur after these years. `skipped`: events that cannot be imported",
      ),
    message: z.string(),
  })
  .meta({ id: "CalendarWarning" });
export type CalendarWarning = z.infer<typeof CalendarWarning>;

/** A calendar, and the events that its import left out. */
export const CalendarWithWarnings = Calendar.extend({
  warnings: z.array(CalendarWarning).describe("Which parts of `ical` were not imported, or are imported only up to a date"),
}).meta({ id: "CalendarWithWarnings" });
export type CalendarWithWarnings = z.infer<typeof CalendarWithWarnings>;

const dates = z.array(CalendarDate).max(maxDates).describe("Each day once, in any order");
const ical = z
  .string()
  .max(maxIcalLength)
  .describe(
    "Instead of `dates`: an iCalendar file (RFC 5545) as text, at most 20,000 lines, the whole body at most 1 MB. Each day of an event becomes a date, from one year before today to five years after it",
  );
const source = { dates: dates.optional(), ical: ical.optional() };

export const NewCalendar = z
  .strictObject({ name: Name, ...source })
  .superRefine(refine)
  .meta({ id: "NewCalendar" });
export const CalendarChange = z
  .strictObject({ name: Name.optional(), ...source })
  .superRefine(refine)
  .meta({ id: "CalendarChange" });

const inBin = z.boolean().describe("Whether it is in the bin: it may be restored");

/** `GET /calendars/{id}/uses`. While anything uses it, also in the bin, it cannot be deleted. */
export const CalendarUses = z
  .object({
    schedules: z
      .array(z.object({ id: id("sch"), name: Name, in_bin: inBin }))
      .describe("The schedules with a condition that names it, also those that are switched off"),
    playlists: z
      .array(z.object({ id: id("pls"), name: Name, in_bin: inBin, item_count: z.int().min(1).describe("How many of its items name it") }))
      .describe("The playlists with items that name it in a condition"),
    player_count: z.int().min(0).describe("How many players name it in the exceptions of their display hours or in recurring commands"),
    players: z.array(z.object({ id: id("plr"), name: Name, in_bin: inBin })).describe(`The first ${maxUsers} of them, by name`),
  })
  .meta({ id: "CalendarUses" });
export type CalendarUses = z.infer<typeof CalendarUses>;

/** `POST /calendars/{id}/effect`: a change that is tried and not made. */
export const CalendarEffectRequest = z
  .strictObject({
    change: CalendarChange.describe("As in `PATCH /calendars/{id}`"),
    from: Timestamp.optional().describe("Default, and earliest: now"),
    to: Timestamp.optional().describe("At most 32 days after `from`. Default: 31 days after it"),
  })
  .meta({ id: "CalendarEffectRequest" });

/** Query of the list of calendars. */
export const CalendarsQuery = PageQuery.extend({ q: NameFilter });

function refine(
  { dates: list = [], ical: text }: { dates?: CalendarDate[] | undefined; ical?: string | undefined },
  context: z.RefinementCtx,
): void {
  if (list.length > 0 && text !== undefined) {
    context.addIssue({ code: "custom", message: "must not be given together with dates: send one of them", path: ["ical"] });
  }
  const dates = new Set<string>();
  for (const [index, { date }] of list.entries()) {
    if (dates.has(date)) {
      context.addIssue({ code: "custom", message: `lists ${date} twice: once is enough`, path: ["dates", index, "date"] });
    }
    dates.add(date);
  }
}
