// What the scale tests calculate from their measurements.
import { expect, test } from "vitest";
import { isSurelyWorse, pairedRatio } from "../../scripts/scale/embedded/paired-ratio.ts";
import { compared } from "../../scripts/scale/figures/compared.ts";

const times = Array.from({ length: 200 }, (_, place) => place + 1);

test("[SCL15] figures of nodes and of SQLite are compared at their middle and at their slow end", () => {
  const double = times.map((each) => 2 * each);
  expect(compared({ name: "a time, ms", isRate: false }, times, double)).toMatchObject({
    n: 200,
    sqlite_p50: 101,
    sqlite_p99: 199,
    nodes_p99: 398,
    ratio_p50: 2,
    ratio_p99: 2,
  });
  // The slow end of a rate is the low one.
  expect(compared({ name: "a rate", isRate: true }, double, times)).toMatchObject({
    sqlite_p99: 6,
    nodes_p99: 3,
    ratio_p50: 0.5,
    ratio_p99: 0.5,
  });
  // A socket may be faster than the answer.
  expect(compared({ name: "a time, ms", isRate: false }, [-1], [5])).toMatchObject({ sqlite_p50: -1, ratio_p50: null });
  expect(() => compared({ name: "a time, ms", isRate: false }, [], [5])).toThrow("no value");
});

test("[SCL16] the ratio of paired measurements has a confidence interval, and is surely worse only if the whole interval is", () => {
  const before = [100, 200, 400, 800];
  expect(
    pairedRatio(
      before,
      before.map((each) => 1.2 * each),
    ),
  ).toMatchObject({ ratio: expect.closeTo(1.2), low: expect.closeTo(1.2), high: expect.closeTo(1.2) });
  // By hand: logarithms of 1, 1.1, 1.2, 1.3, their mean 0.13495, deviation 0.11267, and t = 3.18 with three degrees of freedom.
  const mixed = pairedRatio([1, 1, 1, 1], [1, 1.1, 1.2, 1.3]);
  expect(mixed).toEqual({ ratio: expect.closeTo(1.1445, 3), low: expect.closeTo(0.957, 2), high: expect.closeTo(1.369, 2) });
  expect(isSurelyWorse(mixed, false, 0.05)).toBe(false);
  expect(isSurelyWorse({ ratio: 1.2, low: 1.1, high: 1.3 }, false, 0.05)).toBe(true);
  expect(isSurelyWorse({ ratio: 1.2, low: 1.1, high: 1.3 }, true, 0.05)).toBe(false);
  expect(isSurelyWorse({ ratio: 0.8, low: 0.7, high: 0.9 }, true, 0.05)).toBe(true);
  expect(() => pairedRatio([1], [1])).toThrow(RangeError);
  expect(() => pairedRatio([0, 1], [1, 1])).toThrow(RangeError);
});
