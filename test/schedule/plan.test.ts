// Plans, compared with forecasts: they say the same, but for turns.
import fc from "fast-check";
import { expect, test } from "vitest";
import { forecast, type ForecastInterval } from "../../src/schedule/forecast.ts";
import type { Intervention } from "../../src/schedule/interventions.ts";
import { planOf } from "../../src/schedule/plan.ts";
import { layout, schedule, stateWith } from "./schedules.ts";

const first = Date.UTC(2026, 2, 28);
// On the second day the clocks in London are put forward.
const timezone = "Europe/London";
const hour = 3_600_000;
const until = first + 48 * hour;
const layouts = Array.from({ length: 3 }, () => layout());
const wall = (ms: number): string => new Date(ms).toISOString().slice(0, 16);

const someSchedule = fc
  .record({
    startsAt: fc.integer({ min: -20, max: 40 }),
    hours: fc.integer({ min: 1, max: 20 }),
    isDaily: fc.boolean(),
    priority: fc.integer({ min: 0, max: 2 }),
    place: fc.integer({ min: 0, max: 2 }),
    share: fc.option(fc.integer({ min: 5, max: 60 })),
  })
  .map(({ startsAt, hours, isDaily, priority, place, share }) => {
    const start = first + startsAt * hour;
    const interrupt = share === null ? null : { share_percent: share, play_ms: 120_000 };
    const rrule = isDaily ? "FREQ=DAILY" : null;
    return schedule(layouts[place]!.id, wall(start), wall(start + hours * hour), { rrule, priority, interrupt });
  });
const someIntervention = fc.oneof(
  fc.record({ at: fc.integer({ min: 0, max: 40 }), hours: fc.integer({ min: 1, max: 9 }) }).map(({ at, hours }): Intervention => ({
    is: "override",
    id: `cmd_${at}_${hours}`,
    at: first + at * hour,
    until: first + (at + hours) * hour,
    level: "normal",
    show: { layoutId: layouts[0]!.id },
  })),
  fc
    .record({ at: fc.integer({ min: 0, max: 40 }), hours: fc.integer({ min: 1, max: 9 }) })
    .map(({ at, hours }): Intervention => ({ is: "pause", id: `cmd_p_${at}`, at: first + at * hour, until: first + (at + hours) * hour })),
);

test("[FOR7] a plan has no gap; at each instant it says what the forecast says, or names the schedule whose turn it is", () => {
  const property = fc.property(
    fc.array(someSchedule, { maxLength: 5 }),
    fc.array(someIntervention, { maxLength: 2 }),
    (all, interventions) => {
      const content = stateWith(all, layouts, { timezone });
      const context = { deviceTimeZone: "UTC", interventions };
      const plan = [...planOf(content, first, until, context)];
      expect(plan.map(({ from }) => from)).toEqual([first, ...plan.slice(0, -1).map((each) => each.until)]);
      expect(plan.at(-1)!.until).toBe(until);
      for (const interval of forecast(content, first, until, context)) {
        for (const part of plan.filter((each) => each.from < interval.until && each.until > interval.from)) {
          const isTurn = part.turns.includes(interval.by);
          expect([interval.by, interval.layoutId], describe(interval)).toEqual([
            isTurn ? interval.by : part.by,
            isTurn ? interval.layoutId : part.layoutId,
          ]);
        }
      }
    },
  );
  fc.assert(property, { numRuns: 150 });
});

test("[FOR7] a plan without turns is the forecast, and turns do not add intervals", () => {
  const [base, advert] = [layouts[0]!, layouts[1]!];
  const day = schedule(base.id, wall(first), wall(first + 20 * hour), { rrule: null });
  const content = stateWith([day], layouts, { timezone });
  const withoutTurns = [...forecast(content, first, until)];
  expect([...planOf(content, first, until)]).toEqual(withoutTurns.map((each) => ({ ...each, turns: [] })));
  const turns = schedule(advert.id, wall(first), null, { interrupt: { share_percent: 20, play_ms: 10_000 } });
  const both = { ...content, desired: { ...content.desired, schedules: [day, turns] } };
  const shared = [...planOf(both, first, until)];
  expect(shared).toEqual(withoutTurns.map((each) => ({ ...each, turns: [turns.id] })));
});

function describe({ from, until: end }: ForecastInterval): string {
  return `from ${new Date(from).toISOString()} to ${new Date(end).toISOString()}`;
}
