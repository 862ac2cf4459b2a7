// Compares the scheduler with a naive one, minute by minute over a year.
import { expect, test } from "vitest";
import { programAt } from "../../src/schedule/program.ts";
import { walk, type NaiveSchedule } from "./schedule-oracle.ts";
import { layout, schedule, stateWith } from "./schedules.ts";

/** Rules, each with a function that decides its days without the parser. */
const rules: { rrule: string | null; start: string; end: string; priority: number; exdates?: string[]; onDate: NaiveSchedule["onDate"] }[] =
  [
    // Every evening past midnight; every second day, which clock changes must not shift.
    { rrule: "FREQ=DAILY", start: "2025-11-01T16:00", end: "2025-11-02T01:00", priority: 0, onDate: () => true },
    {
      rrule: "FREQ=DAILY;INTERVAL=2",
      start: "2025-11-02T09:30",
      end: "2025-11-02T11:15",
      priority: 1,
      onDate: (_y, _m, _d, _w, n) => n % 2 === 0,
    },
    // Friday night belongs to Friday.
    { rrule: "FREQ=WEEKLY;BYDAY=FR", start: "2025-12-05T22:00", end: "2025-12-06T02:00", priority: 5, onDate: (_y, _m, _d, w) => w === 5 },
    // Each night in the hours that clock changes skip or repeat.
    { rrule: "FREQ=DAILY", start: "2025-11-01T01:15", end: "2025-11-01T01:45", priority: 7, onDate: () => true },
    {
      rrule: "FREQ=DAILY",
      start: "2025-11-01T01:30",
      end: "2025-11-01T02:15",
      priority: 6,
      onDate: () => true,
      exdates: ["2026-02-03", "2026-10-25"],
    },
    { rrule: "FREQ=DAILY", start: "2025-11-01T02:05", end: "2025-11-01T02:35", priority: 8, onDate: () => true },
    // Every third week on Tuesday and Sunday, weeks from Sunday.
    {
      rrule: "FREQ=WEEKLY;INTERVAL=3;BYDAY=TU,SU;WKST=SU",
      start: "2025-12-07T12:00",
      end: "2025-12-07T13:00",
      priority: 3,
      onDate: (_y, _m, _d, w, n) => (w === 0 || w === 2) && Math.floor(n / 7) % 3 === 0,
    },
    // The first Monday, the last Friday, the last day of the month.
    {
      rrule: "FREQ=MONTHLY;BYDAY=1MO",
      start: "2025-12-01T08:00",
      end: "2025-12-01T20:00",
      priority: 2,
      onDate: (_y, _m, d, w) => w === 1 && d <= 7,
    },
    {
      rrule: "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
      start: "2025-11-28T17:00",
      end: "2025-11-28T18:30",
      priority: 4,
      onDate: (y, m, d, w) => {
        const last = new Date(Date.UTC(y, m, 0)).getUTCDate();
        const later = Array.from({ length: last - d }, (_, index) => (w + index + 1) % 7);
        return w !== 0 && w !== 6 && later.every((other) => other === 0 || other === 6);
      },
    },
    {
      rrule: "FREQ=MONTHLY;BYMONTHDAY=-1",
      start: "2025-11-30T20:00",
      end: "2025-12-02T06:00",
      priority: -1,
      onDate: (y, m, d) => d === new Date(Date.UTC(y, m, 0)).getUTCDate(),
    },
    // Yearly, with an end.
    {
      rrule: "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24,25,26",
      start: "2025-12-24T00:00",
      end: "2025-12-25T00:00",
      priority: 9,
      onDate: (_y, m, d) => m === 12 && d >= 24 && d <= 26,
    },
    {
      rrule: "FREQ=DAILY;COUNT=20",
      start: "2026-03-20T13:00",
      end: "2026-03-20T14:00",
      priority: 9,
      onDate: (_y, _m, _d, _w, n) => n < 20,
    },
    {
      rrule: "FREQ=WEEKLY;UNTIL=20260601",
      start: "2026-04-06T14:00",
      end: "2026-04-06T15:00",
      priority: 9,
      onDate: (y, m, d, w) => w === 1 && Date.UTC(y, m - 1, d) <= Date.UTC(2026, 5, 1),
    },
    // The same priority as the daily evening: one begins later, one at the same time.
    { rrule: "FREQ=WEEKLY;BYDAY=TH", start: "2025-12-04T20:00", end: "2025-12-04T23:00", priority: 0, onDate: (_y, _m, _d, w) => w === 4 },
    { rrule: "FREQ=WEEKLY;BYDAY=WE", start: "2025-12-03T16:00", end: "2025-12-03T18:00", priority: 0, onDate: (_y, _m, _d, w) => w === 3 },
    // Once, across the spring change in London.
    { rrule: null, start: "2026-03-28T23:00", end: "2026-03-29T04:00", priority: 10, onDate: null },
  ];

const year = [Date.UTC(2026, 0, 1), Date.UTC(2027, 0, 1)] as const;

test.each(["America/Phoenix", "Europe/London", "Australia/Lord_Howe", "Asia/Kathmandu"])(
  "[SCH1] minute by minute over a year, across both clock changes, the program in %s equals that of a naive scheduler",
  (zone) => {
    const layouts = rules.map(() => layout());
    const schedules = rules.map(({ rrule, start, end, priority, exdates = [] }, index) =>
      schedule(layouts[index]!.id, start, end, { rrule, priority, exdates }),
    );
    const naive = rules.map((rule, index): NaiveSchedule => ({ ...rule, id: schedules[index]!.id, layout: layouts[index]!.id, zone }));
    const ready = stateWith(schedules, layouts, { timezone: zone });
    const fallback = ready.desired.layout!.id;
    const minutesById = new Map<string, number>();
    // No window is longer than a day and a half.
    const leadDays = 3;
    let announced = Number.NEGATIVE_INFINITY;
    let previous = "";
    const compared = walk(
      naive,
      ...year,
      (instant, expected) => {
        const { program, changesAt } = programAt(ready, instant);
        const now = program.layout!.id;
        if (now !== (expected ?? fallback))
          expect.fail(`${new Date(instant).toISOString()}: ${nameOf(now)} instead of ${nameOf(expected ?? fallback)}`);
        if (!(changesAt > instant)) expect.fail(`${new Date(instant).toISOString()}: the next change is not in the future`);
        // Nothing may change before the announced instant.
        if (instant < announced && now !== previous)
          expect.fail(`${new Date(instant).toISOString()}: changed before the announced instant`);
        [announced, previous] = [changesAt, now];
        minutesById.set(now, (minutesById.get(now) ?? 0) + 1);
      },
      leadDays,
    );
    function nameOf(id: string): string {
      const index = layouts.findIndex((each) => each.id === id);
      return index === -1 ? "the default" : `${rules[index]!.rrule ?? "once"} ${rules[index]!.start}`;
    }
    expect(compared).toBe((year[1] - year[0]) / 60_000);
    // The comparison proves something only if every schedule has played.
    expect(minutesById.size).toBe(rules.length + 1);
    process.stdout.write(`${zone}: ${compared} instants compared, all equal\n`);
  },
  120_000,
);
