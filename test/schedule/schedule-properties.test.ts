// Properties of the scheduler, checked with random schedules and interventions.
import fc from "fast-check";
import { expect, test } from "vitest";
import { forecast } from "../../src/schedule/forecast.ts";
import { programAt } from "../../src/schedule/program.ts";
import { explainAt } from "../../src/schedule/why.ts";
import type { PlayerContext } from "../../src/schedule/playable-content.ts";
import type { Intervention } from "../../src/schedule/interventions.ts";
import { weekdays } from "../../src/protocol/scheduling/opening-hours.ts";
import { validateSchedule, type DesiredSchedule } from "../../src/schedule/validate-schedule.ts";
import { layout, schedule, stateWith } from "./schedules.ts";

const timeZones = ["America/Phoenix", "Europe/London", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Apia", "America/New_York"];
const first = Date.UTC(2026, 2, 20);
const last = Date.UTC(2026, 10, 10);
const layouts = Array.from({ length: 6 }, () => layout());

const instants = fc.integer({ min: first, max: last });
const wall = (ms: number): string => new Date(ms).toISOString().slice(0, 19);

const rrules = fc.oneof(
  fc.constant(null),
  fc.integer({ min: 1, max: 5 }).map((interval) => `FREQ=DAILY;INTERVAL=${interval}`),
  fc.subarray([...weekdays], { minLength: 1 }).map((days) => `FREQ=WEEKLY;BYDAY=${days.join()}`),
  fc.integer({ min: 1, max: 28 }).map((day) => `FREQ=MONTHLY;BYMONTHDAY=${day},-1`),
  fc.tuple(fc.constantFrom("1", "2", "-1"), fc.constantFrom(...weekdays)).map(([n, day]) => `FREQ=MONTHLY;BYDAY=${n}${day}`),
  fc.integer({ min: 1, max: 30 }).map((count) => `FREQ=DAILY;COUNT=${count}`),
);

const someSchedule = fc
  .record({
    starts: fc.integer({ min: first, max: last }),
    length: fc.integer({ min: 60_000, max: 3 * 86_400_000 }),
    // A wall time such as `2026-03-20T10:00:00`, or only the date.
    written: fc.constantFrom(19, 19, 10),
    rrule: rrules,
    timezone: fc.constantFrom(null, ...timeZones),
    priority: fc.integer({ min: 0, max: 2 }),
    place: fc.integer({ min: 0, max: 5 }),
    interrupt: fc.option(
      fc.record(
        {
          share_percent: fc.integer({ min: 1, max: 100 }),
          play_ms: fc.integer({ min: 5_000, max: 600_000 }),
          max_plays_per_hour: fc.integer({ min: 1, max: 12 }),
        },
        { requiredKeys: ["share_percent", "play_ms"] },
      ),
      { freq: 4 },
    ),
    times: fc.option(
      fc.constantFrom<object[]>(
        { type: "daypart", from: "22:00", until: "02:00" },
        { type: "daypart", from: "08:00", until: "18:00", weekdays: ["MO", "FR"] },
        {
          type: "hours",
          open: [{ from: "20:00", until: "02:00", weekdays: ["SA"] }, { until: "03:30" }, { from: "08:00", until: "12:00" }],
        },
      ),
    ),
  })
  .map(({ starts, length, written, rrule, timezone, priority, place, interrupt, times }) =>
    schedule(layouts[place]!.id, wall(starts).slice(0, written), wall(starts + length).slice(0, written), {
      rrule,
      timezone,
      priority,
      interrupt,
      conditions: times === null ? [] : [times],
    }),
  );
const someSchedules = fc.array(someSchedule, { maxLength: 8 });

const someIntervention: fc.Arbitrary<Intervention> = fc
  .record({ at: instants, length: fc.integer({ min: 1_000, max: 7_200_000 }), kind: fc.integer({ min: 0, max: 2 }), n: fc.nat() })
  .map(({ at, length, kind, n }): Intervention => {
    const id = `cmd_${n}_${at}`;
    if (kind === 0) return { is: "pause", id, at, until: at + length };
    return {
      is: "override",
      id,
      at,
      until: at + length,
      level: kind === 1 ? "normal" : "emergency",
      show: { layoutId: layouts[n % 6]!.id },
    };
  });
const someInterventions = fc.array(someIntervention, { maxLength: 4 });
const playerTimeZone = fc.constantFrom(...timeZones);

const contextWith = (interventions: Intervention[]): PlayerContext => ({ interventions, deviceTimeZone: "UTC" });
const shown = (ready: ReturnType<typeof stateWith>, instant: number, interventions: Intervention[] = []) =>
  programAt(ready, instant, contextWith(interventions)).program.layout?.id ?? null;

test("[SCH2] the next change of the program is always in the future, and nothing changes before it", () => {
  fc.assert(
    fc.property(
      someSchedules,
      someInterventions,
      playerTimeZone,
      instants,
      fc.double({ min: 0, max: 1, noNaN: true }),
      (all, interventions, timezone, at, part) => {
        const ready = stateWith(all, layouts, { timezone });
        const { program, changesAt } = programAt(ready, at, contextWith(interventions));
        expect(changesAt).toBeGreaterThan(at);
        const between = at + (Math.min(changesAt, at + 40 * 86_400_000) - 1 - at) * part;
        expect(shown(ready, Math.floor(between), interventions)).toBe(program.layout?.id ?? null);
      },
    ),
    { numRuns: 1_500 },
  );
});

test("[SCH3] the forecast equals the evaluation of every instant and has no gap", () => {
  fc.assert(
    fc.property(someSchedules, someInterventions, playerTimeZone, instants, (all, interventions, timezone, from) => {
      const ready = stateWith(all, layouts, { timezone });
      const until = from + 26 * 3_600_000;
      let at = from;
      for (const interval of forecast(ready, from, until, contextWith(interventions))) {
        expect(interval.from).toBe(at);
        expect(interval.until).toBeGreaterThan(interval.from);
        at = interval.until;
      }
      expect(at).toBe(until);
      const intervals = [...forecast(ready, from, until, contextWith(interventions))];
      for (let instant = from; instant < until; instant += 17 * 60_000 + 1) {
        const interval = intervals.find((each) => each.from <= instant && instant < each.until)!;
        expect(interval.layoutId).toBe(shown(ready, instant, interventions));
      }
    }),
    { numRuns: 150 },
  );
});

test("[SCH4] adding a schedule changes nothing outside its windows", () => {
  fc.assert(
    fc.property(
      someSchedules,
      someSchedule,
      playerTimeZone,
      fc.array(instants, { minLength: 20, maxLength: 20 }),
      (all, added, timezone, ats) => {
        const before = stateWith(all, layouts, { timezone });
        const after = stateWith([...all, added], layouts, { timezone });
        after.desired.layout = before.desired.layout;
        // It has the highest priority, so it plays exactly in its windows.
        const alone = stateWith([{ ...added, interrupt: null }], layouts, { timezone });
        for (const at of ats) {
          if (shown(alone, at) === alone.desired.layout!.id) expect(shown(after, at)).toBe(shown(before, at));
        }
      },
    ),
    { numRuns: 500 },
  );
});

test("[SCH5] two players with the same state in a different order decide the same", () => {
  const shuffled = someSchedules.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })));
  const interventions = someInterventions.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })));
  fc.assert(
    fc.property(shuffled, interventions, playerTimeZone, instants, ([one, other], [original, shuffledInterventions], timezone, at) => {
      const ready = stateWith(one, layouts, { timezone });
      const shuffledState = { ...ready, desired: { ...ready.desired, schedules: other, layouts: layouts.toReversed() } };
      // Instants evaluated before must not affect the result either.
      programAt(shuffledState, at + 86_400_000 * 40, contextWith(shuffledInterventions));
      expect(programAt(shuffledState, at, contextWith(shuffledInterventions))).toEqual(programAt(ready, at, contextWith(original)));
      expect(explainAt(shuffledState, at, contextWith(shuffledInterventions))).toEqual(explainAt(ready, at, contextWith(original)));
    }),
    { numRuns: 500 },
  );
});

const pausedOverride: Intervention[] = [
  { is: "override", id: "cmd_1", at: first, until: null, level: "normal", show: { layoutId: layouts[0]!.id } },
  { is: "pause", id: "cmd_2", at: first + 1_000, until: first + 60_000 },
];

test("[SCH6] the first reason of an explanation is the content on screen", () => {
  fc.assert(
    fc.property(someSchedules, someInterventions, playerTimeZone, instants, (all, interventions, timezone, at) => {
      const ready = stateWith(all, layouts, { timezone });
      const reasons = explainAt(ready, at, contextWith(interventions));
      expect(reasons[0]!.verdict).toBe("shows");
      expect(reasons[0]!.layoutId).toBe(shown(ready, at, interventions));
      expect(reasons.filter(({ verdict }) => verdict === "shows")).toHaveLength(1);
    }),
    { numRuns: 500, examples: [[[], pausedOverride, "Europe/London", first + 2_000]] },
  );
});

test("[SCH7] text that is not a schedule is rejected with a reason and does not affect the others", () => {
  const invalidRules = fc.oneof(
    fc.string(),
    fc.constantFrom("FREQ=SECONDLY", "FREQ=DAILY;INTERVAL=0", "FREQ=DAILY;BYHOUR=3", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"),
  );
  fc.assert(
    fc.property(invalidRules, instants, (rrule, at) => {
      const good = schedule(layouts[0]!.id, wall(at - 1_000), null);
      const bad = schedule(layouts[1]!.id, wall(at - 1_000), wall(at + 60_000), { rrule });
      const ready = stateWith([bad, good], layouts, { timezone: "UTC" });
      if (validateSchedule({ conditions: [], exdates: [], ...bad } as unknown as DesiredSchedule).length === 0) return;
      expect(shown(ready, at)).toBe(layouts[0]!.id);
      expect(explainAt(ready, at).find(({ id }) => id === bad.id)).toMatchObject({ verdict: "set-aside" });
    }),
    { numRuns: 500 },
  );
});

test("[SCH7] a schedule with any field values is accepted or rejected, and the others play", () => {
  const fields = [
    "id",
    "name",
    "layout_id",
    "starts_at",
    "ends_at",
    "rrule",
    "exdates",
    "timezone",
    "priority",
    "conditions",
    "interrupt",
    "sync_epoch",
  ];
  const values = fc.oneof(
    fc.anything(),
    fc.constantFrom(
      "2026-02-30T10:00",
      "24:00",
      ["2026-13-01"],
      [{ type: "date", from: "x" }],
      [{ type: "daypart", from: "99:00" }],
      [{ type: "hours", open: [{ from: "24:00" }] }],
    ),
  );
  fc.assert(
    fc.property(fc.constantFrom(...fields), values, instants, (field, value, at) => {
      const good = schedule(layouts[0]!.id, wall(at - 1_000), null, { priority: 5 });
      const odd = { ...schedule(layouts[1]!.id, wall(at - 1_000), wall(at + 60_000), { rrule: "FREQ=DAILY" }), [field]: value };
      const ready = stateWith([odd, good], layouts, { timezone: "UTC" });
      if (field !== "priority" && field !== "interrupt") expect(shown(ready, at)).toBe(layouts[0]!.id);
      else expect(programAt(ready, at).changesAt).toBeGreaterThan(at);
    }),
    { numRuns: 2_000 },
  );
});
