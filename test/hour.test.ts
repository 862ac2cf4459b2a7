// The comparison of bench/hour.ts finds each planted difference, and no others.
import { expect, test } from "vitest";
import {
  compareRuns,
  compareSeconds,
  compareSums,
  mergeAdjacent,
  undisturbedMs,
  type Disturbance,
  type Run,
} from "../bench/hour/compare.ts";

const home = "home default -";
const lunch = "one schedule sch_1";

function run(item: string, from: number, until: number, cause = home): Run {
  return { zone: "left", cause, item, from, until };
}

const seen = [run("red", 0, 2_000), run("green", 2_000, 4_000), run("red", 4_000, 6_000, lunch), run("red", 6_000, 8_000)];
// Reported slightly late, as pictures and frames are.
const reported = seen.map((each) => ({ ...each, from: each.from - 10, until: each.until - 10 }));
const restart: Disturbance = { from: 3_500, until: 4_500, reason: "restart" };

test("[HOU1] plays that are reported as observed show no difference; a play with another cause, item or time is found", () => {
  expect(compareRuns(seen, reported, [], 50)).toEqual({
    startsMs: [-10, -10, -10, -10],
    endsMs: [-10, -10, -10, -10],
    differences: [],
  });
  const otherCause = reported.map((each) => (each.cause === lunch ? { ...each, cause: "two schedule sch_2" } : each));
  expect(compareRuns(seen, otherCause, [], 50).differences).toMatchObject([
    { is: "not-told", ms: 2_000, reason: "unexplained", run: { cause: lunch } },
    { is: "not-seen", ms: 2_000, reason: "unexplained", run: { cause: "two schedule sch_2" } },
  ]);
  const otherItem = reported.map((each) => (each.item === "green" ? { ...each, item: "blue" } : each));
  expect(compareRuns(seen, otherItem, [], 50).differences.map(({ is, run: { item } }) => `${is} ${item}`)).toEqual([
    "not-told green",
    "not-seen blue",
  ]);
  const late = reported.map((each) => (each.item === "green" ? { ...each, from: 2_200 } : each));
  expect(compareRuns(seen, late, [], 50).differences).toMatchObject([{ is: "start", ms: 200, reason: "unexplained" }]);
  expect(compareRuns(seen, reported.slice(0, -1), [], 50).differences).toMatchObject([{ is: "not-told", run: { from: 6_000 } }]);
  // There was no sample in the 200 ms before green was seen and ended, so its start and end may lie in that time.
  const blurred = seen.map((each) => ({ ...each, blur: { fromMs: 200, untilMs: 200 } }));
  const early = (ms: number) => reported.map((each) => ({ ...each, from: each.from - ms, until: each.until - ms }));
  expect(compareRuns(blurred, early(200), [], 50).differences).toEqual([]);
  expect(compareRuns(blurred, early(250), [], 50).differences).toHaveLength(8);
  expect(compareSums(blurred, reported, [], ({ zone }) => zone)).toMatchObject([{ blurMs: 1_600 }]);
  // One long play is reported instead of two that were seen.
  const across = [reported[0]!, reported[1]!, reported[2]!, run("red", 5_990, 9_990)];
  const twice = [...seen, run("green", 8_000, 8_500), run("red", 8_500, 10_000)];
  expect(compareRuns(twice, across, [], 50).differences.map(({ is, ms }) => [is, ms])).toEqual([
    ["end", 1_990],
    ["not-told", 500],
    ["not-told", 1_500],
  ]);
});

test("[HOU2] sums leave out disturbed time on both sides, and list time reported too long or for another cause separately", () => {
  const exact = compareSums(seen, seen, []);
  expect(exact).toContainEqual({ key: `left ${home} red`, seenMs: 4_000, toldMs: 4_000, runs: 2, blurMs: 0 });
  expect(exact.every(({ seenMs, toldMs }) => seenMs === toldMs)).toBe(true);
  const wrong = seen.map((each) => (each.item === "green" ? { ...each, until: 4_300 } : each));
  expect(compareSums(seen, wrong, []).filter(({ seenMs, toldMs }) => seenMs !== toldMs)).toEqual([
    { key: `left ${home} green`, seenMs: 2_000, toldMs: 2_300, runs: 1, blurMs: 0 },
  ]);
  expect(compareSums(seen, wrong, [restart]).filter(({ seenMs, toldMs }) => seenMs !== toldMs)).toEqual([]);
  expect(compareSums(seen, [], [restart], ({ cause }) => cause)).toEqual([
    { key: home, seenMs: 5_500, toldMs: 0, runs: 3, blurMs: 0 },
    { key: lunch, seenMs: 1_500, toldMs: 0, runs: 1, blurMs: 0 },
  ]);
  expect(
    undisturbedMs({ from: 0, until: 100 }, [
      { ...restart, from: 10, until: 30 },
      { ...restart, from: 20, until: 40 },
    ]),
  ).toBe(70);
});

test("[HOU3] a second at which the screen differs from the forecast or from why is found, with the reason", () => {
  const seconds = [1_000, 2_000, 3_000, 4_000, 5_000, 6_000].map((at) => ({
    at,
    seen: home,
    forecast: home,
    why: home as string | undefined,
  }));
  expect(compareSeconds(seconds, [], [{ from: 2_000, until: 2_000 }], 100)).toEqual([]);
  const planted = [
    { ...seconds[0]!, why: lunch },
    { ...seconds[1]!, forecast: lunch },
    { ...seconds[2]!, seen: null },
    { ...seconds[3]!, why: undefined },
    { ...seconds[4]!, why: undefined, forecast: lunch },
    { ...seconds[5]!, why: undefined },
  ];
  const lost: Disturbance = { from: 3_900, until: 4_100, reason: "service-lost" };
  const alsoLost: Disturbance = { from: 900, until: 1_100, reason: "service-lost" };
  const isGone: Disturbance = { from: 2_900, until: 3_100, reason: "restart" };
  const again: Disturbance = { from: 4_900, until: 5_100, reason: "restart" };
  const changes = [
    { from: 2_060, until: 2_080 },
    { from: 6_000, until: 6_000 },
  ];
  // A lost service does not explain these, nor does a restart or an unanswered change.
  const differences = compareSeconds(planted, [lost, alsoLost, isGone, again], changes, 100);
  expect(differences.map(({ at, against, reason }) => [at, against, reason])).toEqual([
    [1_000, "why", "unexplained"],
    [2_000, "forecast", "boundary"],
    [3_000, "forecast", "restart"],
    [3_000, "why", "restart"],
    [4_000, "why", "service-lost"],
    [5_000, "forecast", "restart"],
    [5_000, "why", "unexplained"],
    [6_000, "why", "unexplained"],
  ]);
});

test("[HOU4] consecutive plays of one item with one cause form one interval; a gap, another cause or another item divides it", () => {
  const spans = [run("red", 2_000, 3_000), run("red", 0, 2_000), run("red", 3_500, 4_000), run("red", 4_000, 5_000, lunch)];
  const other = { ...run("red", 1_000, 1_500), zone: "right" };
  expect(mergeAdjacent([...spans, other])).toEqual([
    run("red", 0, 3_000),
    other,
    run("red", 3_500, 4_000),
    run("red", 4_000, 5_000, lunch),
  ]);
});
