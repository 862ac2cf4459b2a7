// The dates that a request gives for a calendar: as a list, or as an iCalendar file.
import type { z } from "zod";
import type { CalendarChange, CalendarDate, CalendarWithWarnings } from "../../../protocol/scheduling/calendars.ts";

/** The dates in a body, sorted; absent if it has none. */
export async function datesIn(
  { dates, ical }: Pick<z.output<typeof CalendarChange>, "dates" | "ical">,
  now: number,
): Promise<{ dates?: CalendarDate[]; warnings: CalendarWithWarnings["warnings"] }> {
  if (ical !== undefined) {
    // Loaded on first use, since few teams need it.
    const { importIcal } = await import("./icalendar-import.ts");
    return importIcal(ical, now);
  }
  if (dates === undefined) return { warnings: [] };
  return { dates: dates.toSorted((a, b) => (a.date < b.date ? -1 : 1)), warnings: [] };
}
