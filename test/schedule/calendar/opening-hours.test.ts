// Opening hours: several times of the day and the week in one condition.
import fc from "fast-check";
import { expect, test } from "vitest";
import { forecast } from "../../../src/schedule/forecast.ts";
import { programAt } from "../../../src/schedule/program.ts";
import { windowsOf } from "../../../src/schedule/calendar/windows.ts";
import type { Interval } from "../../../src/schedule/calendar/intervals.ts";
import { timeZoneRules } from "../../../src/schedule/calendar/time-zone.ts";
import { weekdays } from "../../../src/protocol/scheduling/opening-hours.ts";
import { Condition } from "../../../src/protocol/scheduling/conditions.ts";
import { layout, schedule, stateWith } from "../schedules.ts";

const workdays = ["MO", "TU", "WE", "TH", "FR"];
const shop = [
  { weekdays: workdays, from: "09:00", until: "12:00" },
  { weekdays: workdays, from: "14:00", until: "18:00" },
  { weekdays: ["SA"], from: "10:00", until: "13:00" },
];
const [a, b] = [layout(), layout()];
const at = (text: string): number => Date.parse(text);
const always = { starts_at: "2020-01-01T00:00Z", ends_at: null, rrule: null, exdates: [] };

/** The windows that the condition leaves of an endless schedule, as times in UTC. */
function spans(conditions: object[], zone: string, from: string, until: string): string[] {
  return intervals(conditions, zone, at(from), at(until)).map((span) => `${stamp(span.from)} ${stamp(span.until)}`);
}

function intervals(conditions: object[], zone: string, from: number, until: number): Interval[] {
  return windowsOf({ ...always, conditions: Condition.array().parse(conditions) }, timeZoneRules(zone)!, new Map()).touching(from, until);
}

function stamp(instant: number): string {
  return Number.isFinite(instant) ? new Date(instant).toISOString().slice(5, 16) : "ever";
}

test("[HRS1] a schedule with several openings is active during each of them, by the clock of its time zone", () => {
  const ready = stateWith([schedule(a.id, "2026-01-01T00:00", null, { conditions: [{ type: "hours", open: shop }] })], [a], {
    timezone: "Europe/Berlin",
  });
  // Friday to Monday across the end of summer time.
  const on = [...forecast(ready, at("2026-10-23T00:00Z"), at("2026-10-27T00:00Z"))].filter(({ layoutId }) => layoutId === a.id);
  expect(on.map(({ from, until }) => `${stamp(from)} ${stamp(until)}`)).toEqual([
    "10-23T07:00 10-23T10:00",
    "10-23T12:00 10-23T16:00",
    "10-24T08:00 10-24T11:00",
    "10-26T08:00 10-26T11:00",
    "10-26T13:00 10-26T17:00",
  ]);
});

test("[HRS1] openings that touch or overlap are one window, also past midnight and across the end of the week", () => {
  const of = (...open: object[]) => [{ type: "hours", open }];
  const week = ["2026-11-23T00:00Z", "2026-11-30T00:00Z"] as const;
  const night = of({ weekdays: ["SA"], from: "22:00", until: "02:00" }, { weekdays: ["SU"], from: "02:00", until: "04:00" });
  expect(spans(night, "UTC", ...week)).toEqual(["11-28T22:00 11-29T04:00"]);
  const overlapping = of({ weekdays: ["TU"], from: "09:00", until: "13:00" }, { weekdays: ["TU"], from: "12:00", until: "18:00" });
  expect(spans(overlapping, "UTC", ...week)).toEqual(["11-24T09:00 11-24T18:00"]);
  const within = of({ weekdays: ["TU"], from: "09:00", until: "18:00" }, { weekdays: ["TU"], from: "12:00", until: "13:00" });
  expect(spans(within, "UTC", ...week)).toEqual(["11-24T09:00 11-24T18:00"]);
  const weekend = of({ weekdays: ["SU"], from: "20:00" }, { weekdays: ["MO"], until: "06:00" });
  expect(spans(weekend, "UTC", ...week)).toEqual(["11-22T20:00 11-23T06:00", "11-29T20:00 11-30T06:00"]);
  // Any query that touches a window returns the complete window; a week without a gap has no beginning and no end.
  expect(spans(weekend, "UTC", "2026-11-23T05:00Z", "2026-11-23T05:01Z")).toEqual(["11-22T20:00 11-23T06:00"]);
  const long = of({ weekdays: workdays }, { weekdays: ["SA"], until: "12:00" });
  expect(spans(long, "Europe/Berlin", "2026-10-22T05:00Z", "2026-10-22T05:01Z")).toEqual(["10-18T22:00 10-24T10:00"]);
  expect(spans(of({ until: "12:00" }, { from: "12:00" }), "Europe/Berlin", ...week)).toEqual(["01-01T00:00 ever"]);
});

test("[HRS1] of equal schedules the window that began last wins, and a window of two joined openings began with the first", () => {
  const conditions = [
    {
      type: "hours",
      open: [
        { until: "12:00", from: "09:00" },
        { from: "12:00", until: "18:00" },
      ],
    },
  ];
  const lunch = schedule(b.id, "2026-01-01T11:00", "2026-01-01T13:00", { rrule: "FREQ=DAILY" });
  const ready = stateWith([lunch, schedule(a.id, "2026-01-01T00:00", null, { conditions })], [a, b], { timezone: "UTC" });
  const shown = (time: string) => programAt(ready, at(`2026-05-05T${time}Z`)).program.layout?.id;
  expect([shown("10:00"), shown("12:30"), shown("13:00"), shown("18:00")]).toEqual([a.id, b.id, a.id, ready.desired.layout!.id]);
});

test("[HRS1] loops that begin with the window begin once for openings that touch", () => {
  const open = [
    { from: "09:00", until: "12:00" },
    { from: "12:00", until: "18:00" },
    { from: "20:00", until: "21:00" },
  ];
  const windowed = schedule(a.id, "2026-01-01T00:00", null, { conditions: [{ type: "hours", open }], loop_from: "window" });
  const ready = stateWith([windowed], [a], { timezone: "UTC" });
  const day = [...forecast(ready, at("2026-05-05T00:00Z"), at("2026-05-06T00:00Z"))].filter(({ layoutId }) => layoutId === a.id);
  expect(day.map(({ from, loopsFrom }) => [stamp(from), stamp(loopsFrom!)])).toEqual([
    ["05-05T09:00", "05-05T09:00"],
    ["05-05T20:00", "05-05T20:00"],
  ]);
});

const time = (minutes: number): string => `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
const entry = fc
  .record({
    weekdays: fc.option(fc.subarray([...weekdays], { minLength: 1 }), { nil: undefined }),
    from: fc.integer({ min: 0, max: 95 }).map((quarter) => time(15 * quarter)),
    until: fc.integer({ min: 0, max: 96 }).map((quarter) => time(15 * quarter)),
  })
  .filter(({ from, until }) => from !== until);

test("[HRS1] opening hours are open while any of their entries is, and their windows never touch, across every clock change", () => {
  const zones = fc.constantFrom("Europe/Berlin", "Australia/Lord_Howe", "America/Havana", "Asia/Kathmandu");
  // The clock changes of these time zones in 2026, and a month without one.
  const weeks = fc.constantFrom("2026-03-08", "2026-03-29", "2026-04-05", "2026-06-10", "2026-10-04", "2026-10-25", "2026-11-01");
  const instants = fc.tuple(weeks, fc.integer({ min: -9 * 96, max: 9 * 96 })).map(([day, quarters]) => at(day) + quarters * 900_000);
  fc.assert(
    fc.property(fc.array(entry, { minLength: 1, maxLength: 6 }), zones, instants, (open, zone, instant) => {
      const asked = (conditions: object[]) => intervals(conditions, zone, instant, instant + 1);
      const isOpen = open.some((each) => asked([{ type: "daypart", ...each }]).length > 0);
      const [window, ...others] = asked([{ type: "hours", open }]);
      expect(others).toEqual([]);
      expect(window !== undefined).toBe(isOpen);
      const around = intervals([{ type: "hours", open }], zone, instant - 86_400_000, instant + 86_400_000);
      if (window !== undefined) expect(around).toContainEqual(window);
      for (const [index, { from }] of around.entries()) {
        if (index > 0) expect(from).toBeGreaterThanOrEqual(around[index - 1]!.until);
      }
    }),
    { numRuns: 1_000 },
  );
});
