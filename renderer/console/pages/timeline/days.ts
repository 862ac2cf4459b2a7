// The days that the timeline shows, in a time zone.
import { dayMs, iso } from "../../../../src/base/time.ts";
import { daysFrom, type ZoneDay } from "../../data/zones.ts";

/** The days from a date on, in a time zone. */
export function shownDays(firstDay: string, timeZone: string, count: number): ZoneDay[] {
  // At noon UTC it is this date nearly everywhere; where it is not, it is the day after.
  const noon = `${firstDay}T12:00:00Z`;
  const days = daysFrom(noon, timeZone, count);
  if (days[0]!.date === firstDay) return days;
  return daysFrom(iso(Date.parse(noon) - dayMs), timeZone, count);
}
