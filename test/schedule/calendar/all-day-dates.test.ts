// Schedules with dates instead of times: whole days of their time zone.
import { expect, test } from "vitest";
import { invalidSchedules } from "../../../src/schedule/program.ts";
import { forecast } from "../../../src/schedule/forecast.ts";
import { layout, schedule, stateWith } from "../schedules.ts";

const one = layout();
const at = (text: string): number => Date.parse(text);

function on(starts: string, ends: string | null, zone: string, from: string, until: string, about: object = {}): string[] {
  const ready = stateWith([schedule(one.id, starts, ends, { timezone: zone, ...about })], [one]);
  expect(invalidSchedules(ready, "UTC")).toEqual([]);
  const stretches = [...forecast(ready, at(from), at(until))].filter(({ layoutId }) => layoutId === one.id);
  return stretches.map((each) => `${stamp(each.from)} ${stamp(each.until)}`);
}

function stamp(instant: number): string {
  return new Date(instant).toISOString().slice(5, 16);
}

test.each([
  ["Europe/Berlin", "2026-12-24", "2026-12-26", "12-23T23:00 12-26T23:00"],
  ["Europe/Berlin", "2026-12-24", "2026-12-24", "12-23T23:00 12-24T23:00"],
  ["Asia/Kathmandu", "2026-12-24", "2026-12-24", "12-23T18:15 12-24T18:15"],
  // A day of 23 hours, a day of 25, and two days whose clocks change at midnight.
  ["Europe/Berlin", "2026-03-29", "2026-03-29", "03-28T23:00 03-29T22:00"],
  ["Europe/Berlin", "2026-10-25", "2026-10-25", "10-24T22:00 10-25T23:00"],
  ["Asia/Beirut", "2026-03-29", "2026-03-29", "03-28T22:00 03-29T21:00"],
  ["America/Havana", "2026-11-01", "2026-11-01", "11-01T04:00 11-02T05:00"],
])("[HRS2] in %s a schedule from %s to %s lasts whole days, the last included", (zone, starts, ends, expected) => {
  const [from, until] = [at(starts) - 3 * 86_400_000, at(ends) + 4 * 86_400_000].map((instant) => new Date(instant).toISOString());
  expect(on(starts, ends, zone, from!, until!)).toEqual([expected]);
});

test("[HRS2] with a rule each of its days is whole, and without an end a schedule continues from its first day", () => {
  const span = ["2026-10-23T12:00Z", "2026-10-29T12:00Z"] as const;
  expect(on("2026-10-24", "2026-10-25", "Europe/Berlin", ...span, { rrule: "FREQ=WEEKLY;BYDAY=SA,TU" })).toEqual([
    "10-23T22:00 10-25T23:00",
    "10-26T23:00 10-28T23:00",
  ]);
  const excepted = { rrule: "FREQ=DAILY;UNTIL=20261026", exdates: ["2026-10-25"] };
  expect(on("2026-10-24", "2026-10-24", "Europe/Berlin", ...span, excepted)).toEqual([
    "10-23T22:00 10-24T22:00",
    "10-25T23:00 10-26T23:00",
  ]);
  expect(on("2026-10-26", null, "Europe/Berlin", ...span)).toEqual(["10-25T23:00 10-29T12:00"]);
});
