// Conditions of calendars: only on, or except on, a named list of dates.
import fc from "fast-check";
import { expect, test } from "vitest";
import { invalidSchedules, programAt } from "../../../src/schedule/program.ts";
import { windowAfter, windowsOf } from "../../../src/schedule/calendar/windows.ts";
import { timeZoneRules } from "../../../src/schedule/calendar/time-zone.ts";
import { DesiredSchedule } from "../../../src/schedule/validate-schedule.ts";
import { newId } from "../../support/states.ts";
import { layout, schedule, stateWith } from "../schedules.ts";

const at = (text: string): number => Date.parse(text);
const a = layout();
const [holidays, fair, empty] = [newId("cal"), newId("cal"), newId("cal")];
const calendars = [
  { id: holidays, dates: ["2026-12-25", "2026-12-26", "2027-01-01", "2026-03-29", "2026-10-25"] },
  { id: fair, dates: ["2026-12-26", "2026-12-27"] },
  { id: empty, dates: [] },
];
const only = (calendar_id = holidays) => ({ type: "calendar", calendar_id });
const except = (calendar_id = holidays) => ({ type: "calendar", calendar_id, is_listed: false });

/** Whether the schedule plays at each of the instants. */
function isOn(timing: { starts_at: string; ends_at: string | null } & Record<string, unknown>, instants: readonly string[]): boolean[] {
  const { starts_at, ends_at, ...about } = timing;
  const state = stateWith([schedule(a.id, starts_at, ends_at, about)], [a], { timezone: "Europe/Berlin" });
  const ready = { ...state, desired: { ...state.desired, calendars } };
  return instants.map((instant) => programAt(ready, at(instant)).program.layout?.id === a.id);
}

/** The first windows of the schedule after an instant, as times in UTC. */
function windows(timing: Record<string, unknown>, from: string, many: number): string[] {
  const parsed = DesiredSchedule.parse({
    id: newId("sch"),
    name: "S",
    layout_id: a.id,
    ends_at: null,
    timezone: "Europe/Berlin",
    ...timing,
  });
  const dates = new Map(calendars.map((calendar) => [calendar.id, calendar.dates]));
  const found: string[] = [];
  for (let instant = at(from); found.length < many;) {
    const window = windowAfter(parsed, "UTC", instant, dates);
    if (window === null) break;
    const end = Number.isFinite(window.until) ? new Date(window.until).toISOString().slice(0, 16) : "ever";
    found.push(`${new Date(window.from).toISOString().slice(0, 16)} ${end}`);
    instant = window.until;
  }
  return found;
}

const night = { starts_at: "2026-01-01T22:00", ends_at: "2026-01-02T02:00", rrule: "FREQ=DAILY" };

test("[CAL1] a window of at most a day counts by the day on which it begins, even if it ends after midnight", () => {
  // In Berlin 22:00 is 21:00 UTC.
  const instants = ["2026-12-24T21:00Z", "2026-12-25T00:59Z", "2026-12-25T21:00Z", "2026-12-27T00:59Z", "2026-12-27T21:00Z"];
  expect(isOn({ ...night, conditions: [except()] }, instants)).toEqual([true, true, false, false, true]);
  expect(isOn({ ...night, conditions: [only()] }, instants)).toEqual([false, false, true, true, false]);
  // A daypart splits an open-ended window into such windows.
  const open = { starts_at: "2026-01-01T00:00", ends_at: null };
  const daypart = { type: "daypart", from: "22:00", until: "02:00" };
  expect(isOn({ ...open, conditions: [except(), daypart] }, instants)).toEqual([true, true, false, false, true]);
  expect(isOn({ ...open, conditions: [daypart, only()] }, instants)).toEqual([false, false, true, true, false]);
});

test("[CAL1] a condition of dates is applied after the calendar and does not move a window to another day", () => {
  const from26 = { type: "date", from: "2026-12-27" };
  const instants = ["2026-12-27T00:00Z", "2026-12-27T21:00Z"];
  expect(isOn({ ...night, conditions: [from26, except()] }, instants)).toEqual([false, true]);
  expect(isOn({ ...night, conditions: [from26] }, instants)).toEqual([true, true]);
});

test("[CAL7] windows created by opening hours count by the day on which they begin, and all-day dates by each of their days", () => {
  const open = [
    { from: "22:00", until: "02:00" },
    { from: "10:00", until: "12:00" },
  ];
  const hours = { starts_at: "2026-12-01T00:00", ends_at: null, conditions: [except(), { type: "hours", open }] };
  const moments = ["25T01:00", "25T10:30", "25T22:30", "26T01:00", "27T01:00", "27T10:30", "27T22:30"];
  // Berlin is an hour ahead of UTC in December.
  const inBerlin = moments.map((moment) => `2026-12-${moment}:00+01:00`);
  expect(isOn(hours, inBerlin)).toEqual([true, false, false, false, false, true, true]);
  const days = { starts_at: "2026-12-24", ends_at: "2026-12-27", conditions: [except()] };
  const noons = ["24", "25", "26", "27", "28"].map((day) => `2026-12-${day}T12:00:00+01:00`);
  expect(isOn(days, noons)).toEqual([true, false, false, true, false]);
});

test("[CAL2] a window of more than a day is cut to whole days of the schedule's time zone; consecutive days are one window", () => {
  const open = { starts_at: "2026-12-24T10:00", ends_at: null };
  expect(windows({ ...open, conditions: [except()] }, "2026-12-01T00:00Z", 5)).toEqual([
    "2026-12-24T09:00 2026-12-24T23:00",
    "2026-12-26T23:00 2026-12-31T23:00",
    "2027-01-01T23:00 ever",
  ]);
  expect(windows({ ...open, conditions: [only()] }, "2026-12-01T00:00Z", 5)).toEqual([
    "2026-12-24T23:00 2026-12-26T23:00",
    "2026-12-31T23:00 2027-01-01T23:00",
  ]);
  // From Monday to Friday: only the holiday is excluded, not the whole week that began before it.
  const week = { starts_at: "2026-12-07T08:00", ends_at: "2026-12-11T18:00", rrule: "FREQ=WEEKLY;BYDAY=MO" };
  expect(windows({ ...week, conditions: [except()] }, "2026-12-20T00:00Z", 2)).toEqual([
    "2026-12-21T07:00 2026-12-24T23:00",
    "2026-12-28T07:00 2026-12-31T23:00",
  ]);
});

test("[CAL3] a day is as long as the clock of the schedule's time zone makes it: 23 hours in spring, 25 in autumn", () => {
  const open = { starts_at: "2026-01-01T00:00", ends_at: null };
  expect(windows({ ...open, conditions: [only()] }, "2026-03-01T00:00Z", 2)).toEqual([
    "2026-03-28T23:00 2026-03-29T22:00",
    "2026-10-24T22:00 2026-10-25T23:00",
  ]);
  // A whole day is a day on the wall clock even if it lasts 25 hours.
  const daily = { starts_at: "2026-01-01T06:00", ends_at: "2026-01-02T06:00", rrule: "FREQ=DAILY" };
  expect(windows({ ...daily, conditions: [only()] }, "2026-10-01T00:00Z", 1)).toEqual(["2026-10-25T05:00 2026-10-26T05:00"]);
  // So is a day whose end lies in the hour that the spring change skips.
  const gap = { starts_at: "2026-03-01T02:30", ends_at: "2026-03-02T02:30", rrule: "FREQ=DAILY", conditions: [except()] };
  expect(windows(gap, "2026-03-28T12:00Z", 2)).toEqual(["2026-03-28T01:30 2026-03-29T01:00", "2026-03-30T00:30 2026-03-31T00:30"]);
  // In another time zone the same date is at another time.
  expect(windows({ ...open, timezone: "Pacific/Kiritimati", conditions: [only(fair)] }, "2026-12-01T00:00Z", 1)).toEqual([
    "2026-12-25T10:00 2026-12-27T10:00",
  ]);
});

test("[CAL4] conditions of several calendars must all hold; on the dates of an empty calendar nothing plays, and except on them everything plays", () => {
  const open = { starts_at: "2026-12-01T00:00", ends_at: null };
  expect(windows({ ...open, conditions: [only(), only(fair)] }, "2026-12-01T00:00Z", 3)).toEqual(["2026-12-25T23:00 2026-12-26T23:00"]);
  expect(windows({ ...open, conditions: [only(), except(fair)] }, "2026-12-01T00:00Z", 3)).toEqual([
    "2026-12-24T23:00 2026-12-25T23:00",
    "2026-12-31T23:00 2027-01-01T23:00",
  ]);
  expect(windows({ ...open, conditions: [only(empty)] }, "2026-12-01T00:00Z", 3)).toEqual([]);
  expect(windows({ ...open, conditions: [except(empty)] }, "2026-12-01T00:00Z", 3)).toEqual(["2026-11-30T23:00 ever"]);
  expect(windows({ ...night, conditions: [only(empty)] }, "2026-12-01T00:00Z", 3)).toEqual([]);
});

test("[CAL5] a schedule whose calendar is missing from the state does not play and is reported; a new list of dates applies at once", () => {
  const one = schedule(a.id, "2026-12-01T00:00", null, { conditions: [except()] });
  const state = stateWith([one], [a], { timezone: "Europe/Berlin" });
  expect(invalidSchedules(state, "UTC")).toMatchObject([{ scheduleId: one.id, reason: expect.stringContaining(holidays) }]);
  const shown = (dates: string[]) => {
    const ready = { ...state, desired: { ...state.desired, calendars: [{ id: holidays, dates }] } };
    return programAt(ready, at("2026-12-24T12:00Z")).program.layout?.id === a.id;
  };
  expect([shown([]), shown(["2026-12-24"]), shown(["2026-12-25"])]).toEqual([true, false, true]);
});

const [first, last] = [at("2026-01-10T00:00Z"), at("2026-12-20T00:00Z")];
const someZone = fc.constantFrom(
  "Europe/London",
  "Australia/Lord_Howe",
  "America/New_York",
  "Asia/Kathmandu",
  "Africa/Cairo",
  "Asia/Beirut",
);
const someDates = fc.uniqueArray(
  fc.integer({ min: first, max: last }).map((instant) => new Date(instant).toISOString().slice(0, 10)),
  { minLength: 1, maxLength: 120 },
);
const someStart = fc.integer({ min: 0, max: 30 * 1_440 }).map((minutes) => at("2026-01-01T00:00Z") + minutes * 60_000);
const wall = (ms: number): string => new Date(ms).toISOString().slice(0, 16);

test("[CAL6] for windows of at most a day, an excluded calendar equals the excluded dates of a rule", () => {
  const minutes = fc.oneof(fc.constant(1_440), fc.integer({ min: 1, max: 1_440 }));
  fc.assert(
    fc.property(someZone, someDates, someStart, minutes, fc.integer({ min: 1, max: 3 }), (zone, listed, start, length, interval) => {
      const timing = { starts_at: wall(start), ends_at: wall(start + length * 60_000), rrule: `FREQ=DAILY;INTERVAL=${interval}` };
      const dates = new Map([[holidays, listed]]);
      const conditions = [{ type: "calendar" as const, calendar_id: holidays, is_listed: false }];
      const byRule = windowsOf({ ...timing, exdates: listed, conditions: [] }, timeZoneRules(zone)!, dates);
      const byCalendar = windowsOf({ ...timing, exdates: [], conditions }, timeZoneRules(zone)!, dates);
      expect(byCalendar.touching(first, last)).toEqual(byRule.touching(first, last));
    }),
    { numRuns: 200 },
  );
});

test("[CAL6] at each instant of its windows a schedule plays either only on a calendar's dates or except on them", () => {
  const instants = fc.array(fc.integer({ min: first, max: last }), { minLength: 20, maxLength: 20 });
  const daypart = { type: "daypart" as const, from: "22:00", until: "02:00" };
  fc.assert(
    fc.property(someZone, someDates, someStart, fc.boolean(), instants, (zoneName, listed, start, isParted, asked) => {
      const zone = timeZoneRules(zoneName)!;
      const once = { starts_at: wall(start), ends_at: null, rrule: null, exdates: [] };
      const dates = new Map([[holidays, listed]]);
      const plain = isParted ? [daypart] : [];
      const whether = (conditions: Parameters<typeof windowsOf>[0]["conditions"], instant: number) =>
        windowsOf({ ...once, conditions }, zone, dates).touching(instant, instant + 1).length > 0;
      const by = (is_listed: boolean) => [...plain, { type: "calendar" as const, calendar_id: holidays, is_listed }];
      for (const instant of asked) {
        const [onDates, onOthers] = [whether(by(true), instant), whether(by(false), instant)];
        expect([onDates || onOthers, onDates && onOthers]).toEqual([whether(plain, instant), false]);
        // Without a daypart the day is that of the wall clock.
        if (!isParted && onDates) expect(listed).toContain(wall(zone.wallAt(instant)).slice(0, 10));
      }
    }),
    { numRuns: 200 },
  );
});
