// Parts of RFC 5545 that are easily misread: UNTIL as an instant, and numbered weekdays in a year.
import { expect, test } from "vitest";
import { forecast } from "../../../src/schedule/forecast.ts";
import { dayOf } from "../../../src/schedule/calendar/day-numbers.ts";
import { createRecurrence, daysBetween } from "../../../src/schedule/calendar/recurrence.ts";
import { parseRule } from "../../../src/schedule/calendar/rrule.ts";
import { layout, schedule, stateWith } from "../schedules.ts";

const [from, until] = [Date.UTC(2026, 9, 23), Date.UTC(2026, 9, 28)];

/** When the windows of a daily schedule in Berlin begin around the night of the autumn change, 2026-10-25 at 01:00Z. */
function startedAt(starts: string, ends: string, rrule: string): string[] {
  const one = layout();
  const ready = stateWith([schedule(one.id, `2026-10-23T${starts}`, `2026-10-23T${ends}`, { rrule, timezone: "Europe/Berlin" })], [one]);
  return [...forecast(ready, from, until)]
    .filter(({ layoutId }) => layoutId === one.id)
    .map((stretch) => new Date(stretch.from).toISOString().slice(5, 16));
}

test("[SCH16] UNTIL in UTC is an instant: it includes a window that begins at it or before, also in a repeated hour", () => {
  const at = (rule: string) => startedAt("02:30", "02:45", `FREQ=DAILY;UNTIL=${rule}`);
  const days = ["10-23T00:30", "10-24T00:30", "10-25T00:30"];
  // 02:30 occurs at 00:30Z and again at 01:30Z: the window begins at the first.
  expect(at("20261025T002959Z")).toEqual(days.slice(0, 2));
  expect(at("20261025T003000Z")).toEqual(days);
  // 01:15Z is the second 02:15 on the clock.
  expect(at("20261025T011500Z")).toEqual(days);
  expect(at("20261026T012959Z")).toEqual(days);
  expect(at("20261026T013000Z")).toEqual([...days, "10-26T01:30"]);
  // Without Z it is a wall time.
  expect(at("20261025T021500")).toEqual(days.slice(0, 2));
  expect(at("20261025T023000")).toEqual(days);
  expect(at("20261025")).toEqual(days);
});

test("[SCH16] UNTIL in UTC across the spring change: a skipped time is the instant of the change", () => {
  const one = layout();
  const days = (rule: string) => {
    const rrule = `FREQ=DAILY;UNTIL=${rule}`;
    const ready = stateWith([schedule(one.id, "2026-03-28T02:30", "2026-03-28T04:00", { rrule, timezone: "Europe/Berlin" })], [one]);
    const shown = [...forecast(ready, Date.UTC(2026, 2, 27), Date.UTC(2026, 2, 31))].filter(({ layoutId }) => layoutId === one.id);
    return shown.map((stretch) => new Date(stretch.from).toISOString().slice(5, 16));
  };
  expect(days("20260329T005959Z")).toEqual(["03-28T01:30"]);
  expect(days("20260329T010000Z")).toEqual(["03-28T01:30", "03-29T01:00"]);
});

/** The days of a rule from 2024-01-01. */
function dates(rrule: string, many: number): string[] {
  const day = dayOf(Date.UTC(2024, 0, 1));
  const recurrence = createRecurrence(parseRule(rrule), day, Number.MAX_SAFE_INTEGER, new Set());
  return daysBetween(recurrence, day, day + 366 * 20)
    .slice(0, many)
    .map((number) => new Date(number * 86_400_000).toISOString().slice(0, 10));
}

// Expected: the results of rrule.js 2.8, dateutil 2.9 and ical.js 2. Comments name the cases in which they differ.
test.each([
  ["FREQ=YEARLY;BYDAY=1MO;BYMONTHDAY=1,2,3,4,5,6,7", "2024-01-01 2025-01-06 2026-01-05 2027-01-04 2028-01-03 2029-01-01"],
  ["FREQ=YEARLY;BYDAY=-1FR;BYMONTHDAY=25,26,27,28,29,30,31", "2024-12-27 2025-12-26 2026-12-25 2027-12-31 2028-12-29"],
  // ical.js counts within the month here.
  ["FREQ=YEARLY;BYDAY=20MO;BYMONTHDAY=15,16,17,18,19,20", "2025-05-19 2026-05-18 2027-05-17 2028-05-15 2030-05-20"],
  ["FREQ=YEARLY;BYDAY=MO;BYMONTHDAY=1,2,3,4,5,6,7", "2024-01-01 2024-02-05 2024-03-04 2024-04-01 2024-05-06"],
  // With BYMONTH the number counts within the month; ical.js returns nothing.
  ["FREQ=YEARLY;BYDAY=1MO;BYMONTH=3;BYMONTHDAY=1,2,3,4,5,6,7", "2024-03-04 2025-03-03 2026-03-02 2027-03-01"],
  // A weekday with a number next to one without: the days of ical.js; the other two return none.
  ["FREQ=YEARLY;BYDAY=1MO,TU;BYMONTHDAY=1,2,3", "2024-01-01 2024-01-02 2024-04-02 2024-07-02 2024-09-03 2024-10-01"],
  ["FREQ=MONTHLY;BYDAY=1MO;BYMONTHDAY=1,3,5,7", "2024-01-01 2024-02-05 2024-04-01 2024-06-03"],
])(
  "[SCH17] in a yearly rule without months, a numbered weekday counts within the year, even if BYMONTHDAY limits it: %s",
  (rrule, expected) => {
    const days = expected.split(" ");
    expect(dates(rrule, days.length)).toEqual(days);
  },
);
