// Calendars while they are edited: rows, dates of files, and the changes of two people.
import { expect, test } from "vitest";
import {
  calendarOf,
  changeOf,
  firstDifference,
  mergeCalendars,
  duplicateRows,
  valuesOf,
  withCalendar,
  withDates,
  withParts,
  withRow,
  type CalendarContent,
} from "../../../renderer/console/pages/calendars/model/dates.ts";

const day = (date: string, name?: string) => (name === undefined ? { date } : { date, name });
const calendar = (name: string, ...dates: { date: string; name?: string }[]): CalendarContent => ({ name, dates });
const base = calendar("Holidays", day("2026-12-24"), day("2026-12-25", "Christmas"), day("2026-12-31"));

test("[CSD19] two people's changes of a calendar are merged by name and date, and only contradictions are left", () => {
  const mine = calendar("Holidays", day("2026-12-24", "Eve"), day("2026-12-25", "Christmas"), day("2027-01-01"));
  const theirs = calendar("Closing days", day("2026-12-24"), day("2026-12-25", "Christmas Day"), day("2026-12-26"), day("2026-12-31"));
  const merged = mergeCalendars(base, mine, theirs);
  expect(merged.contradictions).toEqual([]);
  expect(merged.calendar).toEqual(
    calendar("Closing days", day("2026-12-24", "Eve"), day("2026-12-25", "Christmas Day"), day("2026-12-26"), day("2027-01-01")),
  );
  // What one removed and the other named, and two names.
  const removed = calendar("Mine", day("2026-12-24"), day("2026-12-31"));
  const both = mergeCalendars(base, removed, theirs);
  expect(both.contradictions).toEqual([{ is: "name" }, { is: "date", date: "2026-12-25" }]);
  expect(both.calendar.name).toBe("Mine");
  expect(withParts(both.calendar, both.contradictions, theirs)).toEqual(theirs);
  // The same change of both is no contradiction.
  expect(mergeCalendars(base, theirs, theirs)).toEqual({ calendar: theirs, contradictions: [] });
});

test("[CSD19] rows keep their keys while others change the calendar, and a change names only what differs", () => {
  const values = withRow(valuesOf(base));
  const next = withCalendar(values, calendar("Holidays", day("2026-12-20"), day("2026-12-25", "Christmas")));
  expect(next.rows.map(({ key, date, isNew }) => [key, date, isNew])).toEqual([
    [4, "2026-12-20", true],
    [1, "2026-12-25", false],
    // It has no date yet.
    [3, "", true],
  ]);
  const twice = withRow(values, "2026-12-24", " Eve ");
  expect([...duplicateRows(twice.rows)]).toEqual([4]);
  expect(calendarOf(twice)).toEqual(base);
  expect(changeOf(base, base)).toBe(null);
  expect(changeOf(base, { ...base, name: "Other" })).toEqual({ name: "Other" });
  const named = calendar("Holidays", day("2026-12-24"), day("2026-12-25"), day("2026-12-31"));
  expect([changeOf(base, named), firstDifference(base, named)]).toEqual([{ dates: named.dates }, "2026-12-25"]);
  expect(withDates(base.dates, [day("2026-12-25"), day("2026-12-24", "Eve"), day("2026-01-01")])).toEqual([
    day("2026-01-01"),
    day("2026-12-24", "Eve"),
    day("2026-12-25", "Christmas"),
    day("2026-12-31"),
  ]);
});
