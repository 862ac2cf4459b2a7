// How schedules recur: rules as the form shows them, and as it writes them.
import { expect, test } from "vitest";
import { daysBetween, scheduleRecurrence } from "../../../src/schedule/calendar/recurrence.ts";
import { parseRule } from "../../../src/schedule/calendar/rrule.ts";
import { floatingClock } from "../../../src/schedule/calendar/time-zone.ts";
import { monthDaysOf, repeatOf, ruleOf } from "../../../renderer/console/pages/schedules/model/repeat.ts";

// A Tuesday, the fourth and last of its month.
const start = "2026-11-24T11:00";

test("[CSD1] a rule that the form can show is written back as a rule with the same days", () => {
  const rules = [
    "FREQ=DAILY",
    "FREQ=DAILY;INTERVAL=3;COUNT=7",
    "FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR",
    "FREQ=WEEKLY",
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU;UNTIL=20270331",
    "FREQ=WEEKLY;BYDAY=SU,MO;WKST=SU",
    "FREQ=MONTHLY",
    "FREQ=MONTHLY;BYMONTHDAY=-1",
    "FREQ=MONTHLY;INTERVAL=2;BYDAY=2TU",
    "FREQ=MONTHLY;BYDAY=-1FR;UNTIL=20270630T235959",
    "FREQ=YEARLY",
    "FREQ=YEARLY;BYMONTH=11;BYMONTHDAY=24;COUNT=3",
  ];
  for (const rule of rules) {
    const repeat = repeatOf(rule, start);
    expect([rule, repeat === null]).toEqual([rule, false]);
    expect([rule, daysOf(ruleOf(repeat!))]).toEqual([rule, daysOf(rule)]);
    expect(repeatOf(ruleOf(repeat!), start)).toEqual(repeat);
  }
});

test("[CSD2] a rule for which the form has no words is not read as another one", () => {
  const rules = [
    "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,MO;WKST=SU",
    "FREQ=WEEKLY;BYDAY=TU;UNTIL=20270331T120000Z",
    "FREQ=WEEKLY;BYDAY=TU;BYMONTH=6,7",
    "FREQ=MONTHLY;BYMONTHDAY=1,15",
    "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24",
    "FREQ=HOURLY",
    "nonsense",
  ];
  expect(rules.map((rule) => [rule, repeatOf(rule, start)])).toEqual(rules.map((rule) => [rule, null]));
});

test("[CSD3] a day of a month is offered by its number and as a weekday, from the beginning and from the end", () => {
  const tuesday = { by: "weekday", weekday: "TU" } as const;
  expect(monthDaysOf(start)).toEqual([
    { by: "date", day: 24 },
    { ...tuesday, ordinal: 4 },
    { ...tuesday, ordinal: -1 },
  ]);
  expect(monthDaysOf("2026-03-31")).toEqual([
    { by: "date", day: 31 },
    { by: "date", day: -1 },
    { ...tuesday, ordinal: -1 },
  ]);
});

function daysOf(rule: string): number[] {
  const first = Date.parse(`${start}Z`);
  const recurrence = scheduleRecurrence(parseRule(rule), first, [], floatingClock);
  return daysBetween(recurrence, recurrence.startDay, recurrence.startDay + 2_000);
}
