// Shares of interrupts that together exceed the hour.
import { expect, test } from "vitest";
import type { Condition } from "../../src/protocol/scheduling/conditions.ts";
import { activeTimesOf, areComparable, findShareConflict, type InterruptSchedule } from "../../src/schedule/shares.ts";

// A Saturday.
const now = Date.UTC(2026, 10, 21, 12);
const holidays = `cal_${"0".repeat(26)}`;
const dates = new Map([[holidays, ["2026-12-25", "2026-12-26"]]]);

function interrupt(name: string, share: number, more: Partial<InterruptSchedule> = {}): InterruptSchedule {
  const times = { starts_at: "2026-11-01T00:00", ends_at: null, rrule: null, exdates: [], timezone: null };
  return { name, interrupt: { share_percent: share }, conditions: [], ...times, ...more };
}

const conflict = (own: InterruptSchedule, ...others: InterruptSchedule[]) =>
  findShareConflict(
    activeTimesOf(own, now, dates),
    others.map((other) => activeTimesOf(other, now, dates)),
  );
const friday = { starts_at: "2026-11-27T22:00", ends_at: "2026-11-28T02:00", rrule: "FREQ=WEEKLY;BYDAY=FR" };
const daypart = (weekday: "FR" | "SA", from: string, until: string): Partial<InterruptSchedule> => ({
  conditions: [{ type: "daypart", weekdays: [weekday], from, until }],
});
const onHolidays = (is_listed: boolean): Condition[] => [{ type: "calendar", calendar_id: holidays, is_listed }];

test("[INT4] the conflict names the first time, the other schedules and the share that is left", () => {
  expect(conflict(interrupt("New", 40), interrupt("Beer", 60))).toBeNull();
  expect(conflict(interrupt("New", 41), interrupt("Beer", 60))).toBe(
    "together with “Beer” (60 %) it is 101 % of the hour at 2026-11-20T00:00: at most 40 % are left",
  );
  expect(conflict(interrupt("New", 20, daypart("SA", "01:00", "03:00")), interrupt("Beer", 60), interrupt("Night", 30, friday))).toBe(
    "together with “Beer” (60 %), “Night” (30 %) it is 110 % of the hour at 2026-11-28T01:00: at most 10 % are left",
  );
});

test("[INT4] only schedules that are active at the same time conflict", () => {
  const night = interrupt("Night", 90, friday);
  expect(conflict(interrupt("New", 90, daypart("SA", "02:00", "03:00")), night)).toBeNull();
  expect(conflict(interrupt("New", 90, daypart("FR", "21:00", "22:01")), night)).not.toBeNull();
  // Existing schedules may conflict among themselves without the new one.
  expect(conflict(interrupt("New", 90, daypart("SA", "02:00", "03:00")), night, { ...night, name: "Other" })).toBeNull();
  // Windows that are over do not count, and overlapping windows of one schedule count once.
  const past = { starts_at: "2026-11-06T22:00", ends_at: "2026-11-07T02:00" };
  expect(conflict(interrupt("New", 90, past), interrupt("Beer", 90))).toBeNull();
  const overlapping = { starts_at: "2026-11-01T00:00", ends_at: "2026-11-03T12:00", rrule: "FREQ=DAILY" };
  expect(conflict(interrupt("New", 50, overlapping), interrupt("Beer", 50))).toBeNull();
  expect(conflict(interrupt("New", 50.1, overlapping), interrupt("Beer", 50))).toContain("100.1 %");
});

test("[INT4] schedules on different clocks and schedules with variables are not compared", () => {
  const plain = interrupt("A", 90);
  expect(areComparable(plain, interrupt("B", 90))).toBe(true);
  expect(areComparable(plain, interrupt("B", 90, { timezone: "Asia/Kathmandu" }))).toBe(false);
  expect(areComparable(plain, interrupt("B", 90, { starts_at: "2026-11-01T00:00:00Z" }))).toBe(false);
  const waiting = interrupt("B", 90, { conditions: [{ type: "variable", name: "door_open", op: "equals", value: true }] });
  expect([areComparable(plain, waiting), areComparable(waiting, plain)]).toEqual([false, false]);
});

test("[CAL17] shares are added up only on days on which the calendars let both schedules play", () => {
  const daily = { starts_at: "2026-11-01T20:00", ends_at: "2026-11-02T02:00", rrule: "FREQ=DAILY" };
  const listed = interrupt("Listed", 90, { ...daily, conditions: onHolidays(true) });
  const unlisted = interrupt("Unlisted", 90, { ...daily, conditions: onHolidays(false) });
  expect(conflict(listed, unlisted)).toBeNull();
  expect(conflict(listed, interrupt("Beer", 20))).toContain("2026-12-25T20:00");
  // A window of a day counts by its beginning: the night of the 26th ends on the 27th.
  const late = interrupt("Late", 90, { starts_at: "2026-12-27T01:00", ends_at: "2026-12-27T03:00" });
  expect(conflict(late, listed)).toContain("2026-12-27T01:00");
  expect(conflict(late, unlisted)).toBeNull();
});
