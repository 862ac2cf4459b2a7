// Moving schedules in the calendar: what is written for a series and for one of its days.
import { expect, test } from "vitest";
import { NewSchedule } from "../../../src/schedule/validate-schedule.ts";
import type { Schedule } from "../../../renderer/console/pages/schedules/model/form.ts";
import { movedAll, splitWindow } from "../../../renderer/console/pages/schedules/model/move.ts";
import { daysOf, duesIn } from "../../../renderer/console/pages/schedules/model/windows.ts";

const stamps = { created_at: "2026-11-01T00:00:00Z", updated_at: "2026-11-01T00:00:00Z", deleted_at: null };
const dayMs = 86_400_000;
const hour = 3_600_000;
const dayNumber = (date: string): number => Date.parse(date) / dayMs;

function scheduleWith(more: object): Schedule {
  const layout_id = "lay_01jd3v8q6m9x2k4n7r5t1w0yzh";
  const id = "sch_01jd3v8q6m9x2k4n7r5t1w0yzh";
  const fields = NewSchedule.parse({ name: "Lunch", layout_id, target: { type: "team" }, ...more });
  return { id, ...fields, ...stamps } as Schedule;
}

/** The windows in two weeks, as texts. */
function windowsOf(schedule: Schedule): string[] {
  const dues = duesIn([schedule], dayNumber("2026-11-23"), 14, new Map(), "UTC");
  return dues.map(({ from, until }) => `${new Date(from).toISOString().slice(0, 16)} ${(until - from) / hour}`);
}

test("[CSD4] moving a series moves each of its windows, and the days that it leaves out", () => {
  const weekdays = "FREQ=WEEKLY;BYDAY=MO,TU";
  const times = { starts_at: "2026-11-23T11:00", ends_at: "2026-11-23T14:00", rrule: weekdays, exdates: ["2026-11-30"] };
  const schedule = scheduleWith(times);
  expect(windowsOf(schedule)).toEqual(["2026-11-23T11:00 3", "2026-11-24T11:00 3", "2026-12-01T11:00 3"]);
  const later = { ...schedule, ...movedAll(schedule, { start: dayMs + hour, end: dayMs + 2 * hour }) } as typeof schedule;
  expect(windowsOf(later)).toEqual(["2026-11-24T12:00 4", "2026-11-25T12:00 4", "2026-12-02T12:00 4"]);
  // In every second week, a day that would leave its week cannot move with the others.
  const second = scheduleWith({ ...times, exdates: [], rrule: "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU" });
  expect(movedAll(second, { start: dayMs, end: dayMs })).toBe(null);
});

test("[CSD5] moving one day of a series leaves the others where they are", () => {
  const schedule = scheduleWith({ starts_at: "2026-11-23T11:00", ends_at: "2026-11-23T14:00", rrule: "FREQ=DAILY;COUNT=3" });
  const from = Date.parse("2026-11-24T11:00Z");
  const { leaveOut, alone } = splitWindow(schedule, from, from + 3 * hour, { start: hour, end: hour });
  expect(windowsOf({ ...schedule, ...leaveOut } as typeof schedule)).toEqual(["2026-11-23T11:00 3", "2026-11-25T11:00 3"]);
  expect(windowsOf(alone as typeof schedule)).toEqual(["2026-11-24T12:00 3"]);
  const fair = scheduleWith({ starts_at: "2026-11-24", ends_at: "2026-11-25" });
  const moved = { ...fair, ...movedAll(fair, { start: dayMs, end: dayMs }) } as typeof fair;
  expect([moved.starts_at, moved.ends_at]).toEqual(["2026-11-25", "2026-11-26"]);
});

test("[CSD6] blocks that overlap lie beside each other, a night is in two days, and a minute is high enough to be clicked", () => {
  const at = (name: string, from: string, until: string) => ({ ...scheduleWith({ name, starts_at: from, ends_at: until }), id: name });
  const all = [
    at("a", "2026-11-23T09:00", "2026-11-23T12:00"),
    at("b", "2026-11-23T10:00", "2026-11-23T11:00"),
    at("c", "2026-11-23T11:00", "2026-11-23T13:00"),
    at("d", "2026-11-23T22:00", "2026-11-24T06:00"),
  ];
  const first = dayNumber("2026-11-23");
  const [monday, tuesday] = daysOf(duesIn(all, first, 2, new Map(), "UTC"), first, 2);
  expect(monday!.blocks.map(({ schedule, lane, lanes }) => [schedule.id, lane, lanes])).toEqual([
    ["a", 0, 2],
    ["b", 1, 2],
    ["c", 1, 2],
    ["d", 0, 1],
  ]);
  expect(tuesday!.blocks.map(({ schedule, fromMinute, toMinute }) => [schedule.id, fromMinute, toMinute])).toEqual([["d", 0, 360]]);
  const minutes = [at("e", "2026-11-23T09:00", "2026-11-23T09:01"), at("f", "2026-11-23T09:10", "2026-11-23T09:11")];
  const [day] = daysOf(duesIn([...minutes, at("g", "2026-11-23T23:59", "2026-11-24T00:00")], first, 1, new Map(), "UTC"), first, 1);
  expect(day!.blocks.map(({ schedule, lane, fromMinute, toMinute }) => [schedule.id, lane, fromMinute, toMinute])).toEqual([
    ["e", 0, 540, 576],
    ["f", 1, 550, 586],
    ["g", 0, 1_404, 1_440],
  ]);
});
