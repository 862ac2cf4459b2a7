// The rules of schedules, one by one: recurrence, time zones, priority, conditions, interrupts.
import { expect, test } from "vitest";
import { invalidSchedules, programAt } from "../../src/schedule/program.ts";
import { forecast } from "../../src/schedule/forecast.ts";
import { explainAt } from "../../src/schedule/why.ts";
import { timeZoneRules } from "../../src/schedule/calendar/time-zone.ts";
import { dayOf } from "../../src/schedule/calendar/day-numbers.ts";
import { createRecurrence, daysBetween } from "../../src/schedule/calendar/recurrence.ts";
import { parseRule } from "../../src/schedule/calendar/rrule.ts";
import { assetOf, desiredOf, imageItem, readyOf } from "../support/states.ts";
import { layout, schedule, stateWith } from "./schedules.ts";

const at = (text: string): number => Date.parse(text);
const [a, b] = [layout(), layout()];

function shown(ready: ReturnType<typeof stateWith>, instant: string): string | null {
  const id = programAt(ready, at(instant)).program.layout?.id;
  return id === a.id ? "a" : id === b.id ? "b" : "default";
}

/** The first dates of a rule. The examples are those of RFC 5545 section 3.8.5.3. */
function dates(rrule: string, start: string, many: number): string[] {
  const day = dayOf(at(`${start}T00:00Z`));
  const recurrence = createRecurrence(parseRule(rrule), day, Number.MAX_SAFE_INTEGER, new Set());
  return daysBetween(recurrence, day, day + 366 * 20)
    .slice(0, many)
    .map((number) => new Date(number * 86_400_000).toISOString().slice(0, 10));
}

test.each([
  [
    "FREQ=WEEKLY;INTERVAL=2;COUNT=8;WKST=SU;BYDAY=TU,TH",
    "1997-09-02",
    "1997-09-02 1997-09-04 1997-09-16 1997-09-18 1997-09-30 1997-10-02 1997-10-14 1997-10-16",
  ],
  [
    "FREQ=MONTHLY;COUNT=10;BYDAY=1FR",
    "1997-09-05",
    "1997-09-05 1997-10-03 1997-11-07 1997-12-05 1998-01-02 1998-02-06 1998-03-06 1998-04-03 1998-05-01 1998-06-05",
  ],
  ["FREQ=MONTHLY;COUNT=6;BYDAY=-2MO", "1997-09-22", "1997-09-22 1997-10-20 1997-11-17 1997-12-22 1998-01-19 1998-02-16"],
  [
    "FREQ=MONTHLY;COUNT=10;BYMONTHDAY=1,-1",
    "1997-09-30",
    "1997-09-30 1997-10-01 1997-10-31 1997-11-01 1997-11-30 1997-12-01 1997-12-31 1998-01-01 1998-01-31 1998-02-01",
  ],
  ["FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13", "1997-09-02", "1998-02-13 1998-03-13 1998-11-13 1999-08-13 2000-10-13"],
  ["FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3", "1997-09-04", "1997-09-04 1997-10-07 1997-11-06"],
  ["FREQ=YEARLY;BYDAY=20MO", "1997-05-19", "1997-05-19 1998-05-18 1999-05-17"],
  ["FREQ=YEARLY;BYMONTH=3;BYDAY=TH", "1997-03-13", "1997-03-13 1997-03-20 1997-03-27 1998-03-05 1998-03-12"],
  ["FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8", "1996-11-05", "1996-11-05 2000-11-07 2004-11-02"],
  ["FREQ=YEARLY;COUNT=3", "2024-02-29", "2024-02-29 2028-02-29 2032-02-29"],
  ["FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO", "1997-08-05", "1997-08-05 1997-08-10 1997-08-19 1997-08-24"],
  ["FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU", "1997-08-05", "1997-08-05 1997-08-17 1997-08-19 1997-08-31"],
])("[SCH8] the recurrence rule %s from %s gives the days that RFC 5545 defines", (rrule, start, expected) => {
  const days = expected.split(" ");
  expect(dates(rrule, start, days.length)).toEqual(days);
});

test("[SCH9] a weekday is that of the day on which the window begins, even if it ends after midnight", () => {
  const friday = schedule(a.id, "2026-01-02T22:00", "2026-01-03T02:00", { rrule: "FREQ=WEEKLY;BYDAY=FR" });
  const daypart = schedule(b.id, "2026-01-01T00:00", null, {
    conditions: [{ type: "daypart", weekdays: ["SA"], from: "22:00", until: "02:00" }],
  });
  const ready = stateWith([friday, daypart], [a, b], { timezone: "Europe/London" });
  expect(shown(ready, "2026-02-06T01:00Z")).toBe("default"); // Friday 01:00 belongs to Thursday night
  expect(shown(ready, "2026-02-06T23:00Z")).toBe("a");
  expect(shown(ready, "2026-02-07T01:00Z")).toBe("a"); // Saturday 01:00 belongs to Friday night
  expect(shown(ready, "2026-02-07T02:00Z")).toBe("default");
  expect(shown(ready, "2026-02-07T23:00Z")).toBe("b");
  expect(shown(ready, "2026-02-08T01:59Z")).toBe("b");
  expect(shown(ready, "2026-02-08T02:00Z")).toBe("default");
});

test("[SCH10] a wall time that the spring change skips is the instant of the change; one that is repeated is the first of the two", () => {
  const london = timeZoneRules("Europe/London")!;
  expect(london.instantOf(at("2026-03-29T01:30Z"))).toBe(at("2026-03-29T01:00Z"));
  expect(london.instantOf(at("2026-10-25T01:30Z"))).toBe(at("2026-10-25T00:30Z"));
  const ready = stateWith([schedule(a.id, "2026-01-01T01:30", "2026-01-01T02:30", { rrule: "FREQ=DAILY" })], [a], {
    timezone: "Europe/London",
  });
  // Spring: 01:30 does not exist, so from 02:00 summer time to 02:30.
  expect(shown(ready, "2026-03-29T00:59Z")).toBe("default");
  expect(shown(ready, "2026-03-29T01:00Z")).toBe("a");
  expect(shown(ready, "2026-03-29T01:30Z")).toBe("default");
  // Autumn: from the first 01:30 through the repeated hour to 02:30.
  expect(shown(ready, "2026-10-25T00:30Z")).toBe("a");
  expect(shown(ready, "2026-10-25T02:29Z")).toBe("a");
  expect(shown(ready, "2026-10-25T02:30Z")).toBe("default");
});

test("[SCH11] a schedule uses its own time zone, else the player's, else the device's; a time with Z is an instant", () => {
  const own = schedule(a.id, "2026-06-01T12:00", "2026-06-01T13:00", { timezone: "Asia/Kathmandu" });
  const players = schedule(b.id, "2026-06-01T12:00", "2026-06-01T13:00");
  const ready = stateWith([own, players], [a, b], { timezone: "America/Phoenix" });
  expect(shown(ready, "2026-06-01T06:20Z")).toBe("a");
  expect(shown(ready, "2026-06-01T19:30Z")).toBe("b");
  const boxes = stateWith([players], [b], { timezone: null });
  const { program } = programAt(boxes, at("2026-06-01T02:00Z"), { interventions: [], deviceTimeZone: "Australia/Lord_Howe" });
  expect(program.layout!.id).toBe(b.id);
  const instant = stateWith([schedule(a.id, "2026-06-01T12:00:00Z", "2026-06-01T13:00:00Z")], [a], { timezone: "America/Phoenix" });
  expect(shown(instant, "2026-06-01T12:30Z")).toBe("a");
});

test("[SCH12] the highest priority plays; among equal ones the window that began last, then the newest schedule", () => {
  const allDay = schedule(a.id, "2026-01-01T00:00", null);
  const lunch = schedule(b.id, "2026-01-01T12:00", "2026-01-01T13:00", { rrule: "FREQ=DAILY" });
  expect(shown(stateWith([lunch, allDay], [a, b], { timezone: "UTC" }), "2026-05-05T12:30Z")).toBe("b");
  expect(shown(stateWith([lunch, allDay], [a, b], { timezone: "UTC" }), "2026-05-05T13:00Z")).toBe("a");
  const above = { ...allDay, priority: 1 };
  expect(shown(stateWith([lunch, above], [a, b], { timezone: "UTC" }), "2026-05-05T12:30Z")).toBe("a");
  const older = schedule(a.id, "2026-01-01T00:00", null);
  const newer = schedule(b.id, "2026-01-01T00:00", null);
  expect(shown(stateWith([newer, older], [a, b], { timezone: "UTC" }), "2026-05-05T12:30Z")).toBe("b");
});

test("[SCH13] a schedule plays only while all of its conditions hold, of tags, variables, dates and times", () => {
  const conditions = [
    { type: "tag", tag: "lobby" },
    { type: "variable", name: "queue", op: "at_least", value: 5 },
    { type: "date", from: "2026-05-01", until: "2026-05-31" },
    { type: "daypart", from: "08:00", until: "18:00" },
  ];
  const all = [schedule(a.id, "2026-01-01T00:00", null, { conditions })];
  const player = { timezone: "UTC", tags: ["lobby"], variables: { queue: 7 } };
  expect(shown(stateWith(all, [a], player), "2026-05-31T17:59Z")).toBe("a");
  expect(shown(stateWith(all, [a], player), "2026-05-31T18:00Z")).toBe("default");
  expect(shown(stateWith(all, [a], player), "2026-06-01T12:00Z")).toBe("default");
  expect(shown(stateWith(all, [a], { ...player, tags: [] }), "2026-05-31T12:00Z")).toBe("default");
  const calm = stateWith(all, [a], { ...player, variables: { queue: 4 } });
  expect(shown(calm, "2026-05-31T12:00Z")).toBe("default");
  expect(explainAt(calm, at("2026-05-31T12:00Z")).at(-1)).toMatchObject({ verdict: "set-aside", detail: expect.stringContaining("queue") });
});

test("[INT1] interrupts get their share of the hour, spread evenly, with no more plays than allowed", () => {
  const interrupt = { share_percent: 25, play_ms: 30_000 };
  const half = schedule(b.id, "2026-01-01T00:00", null, { interrupt: { share_percent: 5, play_ms: 15_000, max_plays_per_hour: 4 } });
  const ready = stateWith([schedule(a.id, "2026-01-01T00:00", null, { interrupt }), half], [a, b], { timezone: "UTC" });
  const hour = [at("2026-05-05T10:00Z"), at("2026-05-05T11:00Z")] as const;
  const plays = [...forecast(ready, ...hour)];
  const of = (id: string) => plays.filter(({ layoutId }) => layoutId === id);
  expect(of(a.id)).toHaveLength(30);
  for (const { from, until } of of(a.id)) expect(Math.abs(until - from - 30_000)).toBeLessThanOrEqual(1);
  expect(of(b.id)).toHaveLength(4);
  // Spread evenly: no quarter of the hour has more than one play above its part.
  for (let quarter = 0; quarter < 4; quarter += 1) {
    const [from, until] = [hour[0] + quarter * 900_000, hour[0] + (quarter + 1) * 900_000];
    expect(Math.abs(of(a.id).filter((play) => play.from >= from && play.from < until).length - 7.5)).toBeLessThanOrEqual(1.5);
    expect(of(b.id).filter((play) => play.from >= from && play.from < until)).toHaveLength(1);
  }
  // Each play of an interrupt restarts its loop.
  const { program } = programAt(
    { ...ready, desired: { ...ready.desired, layouts: [{ ...a, zones: ready.desired.layout!.zones }, b] } },
    of(a.id)[3]!.from + 5,
  );
  expect(program.zones[0]!.timeline.epochMs).toBe(of(a.id)[3]!.from);
});

test("[INT1] the only play of an interrupt is in the middle of another one's plays", () => {
  const plays = (count: number) => ({ interrupt: { share_percent: 5, play_ms: 15_000, max_plays_per_hour: count } });
  const schedules = [schedule(a.id, "2026-01-01T00:00", null, plays(4)), schedule(b.id, "2026-01-01T00:00", null, plays(1))];
  const hour = [at("2026-05-05T10:00Z"), at("2026-05-05T11:00Z")] as const;
  const ids = [...forecast(stateWith(schedules, [a, b], { timezone: "UTC" }), ...hour)].map(({ layoutId }) => layoutId);
  expect(ids.filter((id) => id === a.id || id === b.id)).toEqual([a.id, a.id, b.id, a.id, a.id]);
});

test("[INT2] shares that exceed 100 % together are scaled down; an interrupt does not interrupt a schedule of higher priority", () => {
  const interrupt = { share_percent: 100, play_ms: 10_000 };
  const greedy = [a, b].map(({ id }) => schedule(id, "2026-01-01T00:00", null, { interrupt }));
  const ready = stateWith(greedy, [a, b], { timezone: "UTC" });
  const hour = [at("2026-05-05T10:00Z"), at("2026-05-05T11:00Z")] as const;
  const timeOf = (id: string) =>
    [...forecast(ready, ...hour)].filter(({ layoutId }) => layoutId === id).reduce((sum, { from, until }) => sum + until - from, 0);
  expect(timeOf(a.id)).toBe(1_800_000);
  expect(timeOf(b.id)).toBe(1_800_000);
  const drill = schedule(a.id, "2026-05-05T10:00", "2026-05-05T11:00", { priority: 1 });
  expect([...forecast(stateWith([greedy[1]!, drill], [a, b], { timezone: "UTC" }), ...hour)]).toMatchObject([{ by: drill.id }]);
});

test("[SCH14] an item is in the loop only between valid_from and valid_until", () => {
  const red = assetOf(Buffer.from("red"));
  const [from, until] = ["2026-05-05T10:00:00Z", "2026-05-05T11:00:00Z"];
  const items = [imageItem(red, 1_000), { ...imageItem(red, 2_000), valid_from: from, valid_until: until }];
  const ready = readyOf(desiredOf(items, [red]));
  const count = (instant: number) => programAt(ready, instant).program.zones[0]!.timeline.items.length;
  expect([count(at(from) - 1), count(at(from)), count(at(until) - 1), count(at(until))]).toEqual([1, 2, 2, 1]);
  expect(programAt(ready, at(from) - 5).changesAt).toBe(at(from));
  expect(programAt(ready, at(from)).changesAt).toBe(at(until));
  expect(programAt(ready, at(until)).changesAt).toBe(Number.POSITIVE_INFINITY);
});

test("[SCH15] an invalid schedule does not affect the other schedules of a player and is reported", () => {
  const good = schedule(a.id, "2026-01-01T00:00", null);
  const bad = [
    schedule(b.id, "2026-01-01T00:00", null, { timezone: "Mars/Base" }),
    schedule(b.id, "2026-01-01T00:00", "2025-01-01T00:00"),
    schedule(b.id, "2026-01-01T00:00", "2026-01-01T01:00", { rrule: "FREQ=SECONDLY" }),
    schedule(b.id, "2026-01-01T00:00", "2026-01-01T01:00", { rrule: "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30" }),
    schedule(b.id, "2026-01-01T00:00", null, { rrule: "FREQ=DAILY" }),
    schedule(b.id, "2026-01-01T00:00", null, { interrupt: { share_percent: 300 } }),
    schedule(layout().id, "2026-01-01T00:00", null, { priority: 9 }),
    { id: 7 },
    {},
  ];
  const ready = stateWith([...bad, good], [a, b], { timezone: "UTC" });
  expect(shown(ready, "2026-05-05T10:00Z")).toBe("a");
  const broken = invalidSchedules(ready, "UTC");
  expect(broken).toHaveLength(bad.length);
  expect(broken.map(({ reason }) => reason)).toEqual(
    ["timezone", "ends_at", "rrule", "rrule", "ends_at", "share_percent", "does not exist", "", ""].map((word) =>
      expect.stringContaining(word),
    ),
  );
  // An endless rule is fast however long ago it began.
  const endless = stateWith([schedule(a.id, "1970-01-01T00:00", "1970-01-01T01:00", { rrule: "FREQ=DAILY" })], [a], { timezone: "UTC" });
  expect(shown(endless, "2150-05-05T00:30Z")).toBe("a");
  expect(programAt(endless, at("2150-05-05T00:30Z")).changesAt).toBe(at("2150-05-05T01:00Z"));
  // A sync epoch in the future and ten thousand schedules do no harm.
  const epoch = stateWith([schedule(a.id, "2026-01-01T00:00", null, { sync_epoch: "2100-01-01T00:00:00Z" })], [a]);
  expect(shown(epoch, "2026-05-05T10:00Z")).toBe("a");
  const many = stateWith(
    Array.from({ length: 10_000 }, () => schedule(a.id, "2026-01-01T00:00", "2026-01-01T01:00", { rrule: "FREQ=DAILY" })),
    [a],
    { timezone: "UTC" },
  );
  expect(shown(many, "2026-05-05T00:30Z")).toBe("a");
  expect(programAt(many, at("2026-05-05T00:30Z")).changesAt).toBe(at("2026-05-05T01:00Z"));
});
