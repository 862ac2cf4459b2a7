// When alerts open and close: rules that hold for every sequence of observations.
import fc from "fast-check";
import { expect, test } from "vitest";
import { defaultRules } from "../../../src/service/alerts/settings.ts";
import { observe, type PlayerView } from "../../../src/service/alerts/observe.ts";
import type { Reading } from "../../../src/service/alerts/reading.ts";
import { step, wellState, type AlertState, type Observation } from "../../../src/service/alerts/step.ts";

const minute = 60_000;
const limits = { openMs: 10 * minute, closeMs: 5 * minute };
const healthy: Reading = {
  dark: null,
  wrong: null,
  full: null,
  throttled: null,
  downloading: null,
  other: null,
  celsius: null,
  isOff: false,
};

/** The transitions of a sequence of observations, each after so many ms. */
function run(steps: readonly { afterMs: number; observation: Observation }[]) {
  let [state, now]: [AlertState, number] = [wellState, 0];
  return steps.map(({ afterMs, observation }) => {
    now += afterMs;
    const next = step(state, observation, now, limits);
    state = next.state;
    return { now, is: observation.is, transition: next.transition?.is ?? null };
  });
}

const observations = fc.array(
  fc.record({
    afterMs: fc.integer({ min: 1, max: 3 * minute }),
    observation: fc.constantFrom<Observation>({ is: "bad" }, { is: "well" }, { is: "unclear" }, { is: "off", reason: "muted" }),
  }),
  { maxLength: 200 },
);

test("[ALR2] alerts open and close in turn, open only after a condition has lasted, and close only after a player was well or muted", () => {
  fc.assert(
    fc.property(observations, (steps) => {
      const seen = run(steps);
      let isOpen = false;
      for (const [index, { now, is, transition }] of seen.entries()) {
        if (transition === null) continue;
        expect(transition).toBe(isOpen ? "closes" : "opens");
        isOpen = !isOpen;
        if (is === "off") continue;
        const wanted = transition === "opens" ? "bad" : "well";
        const since = seen.slice(0, index + 1).findLastIndex((each) => each.is !== wanted);
        const first = seen[since + 1]!;
        expect(now - first.now).toBeGreaterThanOrEqual(transition === "opens" ? limits.openMs : limits.closeMs);
      }
    }),
  );
});

test("[ALR2] a temperature that flaps around its limits opens one alert", () => {
  const view = (celsius: number): PlayerView => ({
    reading: { ...healthy, celsius },
    isOnline: true,
    lastSeenAt: 0,
    createdAt: 0,
    maintenanceUntil: null,
  });
  const observationAt = (celsius: number) => observe("hot", view(celsius), defaultRules, 0, false).observation;
  // It cools below the lower limit for less than five minutes at a time.
  const dips = fc.array(fc.record({ cold: fc.integer({ min: 0, max: 4 }), warm: fc.integer({ min: 1, max: 30 }) }), { maxLength: 50 });
  const temperature = fc.integer({ min: 71, max: 95 });
  fc.assert(
    fc.property(dips, fc.array(temperature, { minLength: 50, maxLength: 50 }), (swings, temperatures) => {
      const degrees = [
        ...Array.from({ length: 12 }, () => 85),
        ...swings.flatMap(({ cold, warm }, index) => [
          ...Array.from({ length: cold }, () => 60),
          ...Array.from({ length: warm }, () => temperatures[index]!),
        ]),
      ];
      const seen = run(degrees.map((celsius) => ({ afterMs: minute, observation: observationAt(celsius) })));
      expect(seen.filter(({ transition }) => transition !== null).map(({ transition }) => transition)).toEqual(["opens"]);
    }),
  );
});
