// The simulation of players that come back all at once.
import { expect, test } from "vitest";
import { EventHeap } from "../../scripts/scale/storm/event-heap.ts";
import { neededRate, nodesOf, patience, stormOf } from "../../scripts/scale/storm/fleets.ts";
import { simulateStorm, type Storm } from "../../scripts/scale/storm/simulate.ts";
import { Random } from "../../scripts/soak/random.ts";

const spreadMs = 20_000;
/** A service that is quicker than any fleet. */
const quick: Storm = {
  players: 2_000,
  spreadMs,
  downMs: 0,
  acceptsPerS: 1e9,
  fetchesPerS: 1e9,
  fetchShare: 0,
  patience,
  longestMs: 600_000,
  seed: 15,
};

test("[SCL9] a simulated storm of players is the same again with its seed, and another one with another", () => {
  const slow = { ...quick, acceptsPerS: 50, downMs: 5_000, fetchShare: 0.5 };
  expect(simulateStorm(slow)).toEqual(simulateStorm(slow));
  expect(simulateStorm({ ...slow, seed: 16 })).not.toEqual(simulateStorm(slow));
});

test("[SCL10] players of a simulated storm wait as the player's code does: none in the first tenth of the spread, doubled after failures", () => {
  const result = simulateStorm(quick);
  expect(result).toMatchObject({ back: 2_000, attempts: 2_000, refused: 0, timedOut: 0 });
  // From a tenth of the spread to its end, evenly.
  expect(result.back50Ms! / spreadMs).toBeCloseTo(0.55, 1);
  expect(result.lastMs! / spreadMs).toBeGreaterThan(0.99);
  expect(result.lastMs!).toBeLessThanOrEqual(spreadMs);
  const down = simulateStorm({ ...quick, downMs: spreadMs });
  // Each first attempt fails; the second wait is up to twice the spread, any later one up to a minute.
  expect(down).toMatchObject({ back: 2_000 });
  expect(down.refused).toBeGreaterThan(2_000);
  expect(down.lastMs!).toBeGreaterThan(2 * spreadMs);
  expect(down.lastMs!).toBeLessThanOrEqual(spreadMs + 60_000);
});

test("[SCL11] in a simulated storm a slow service decides when players are back, and those that wait too long come again", () => {
  const queued = simulateStorm({ ...quick, acceptsPerS: 50, patience: null });
  expect(queued).toMatchObject({ back: 2_000, attempts: 2_000, timedOut: 0 });
  // The queue begins with the first attempts, after a tenth of the spread, and 2,000 take 40 s.
  expect(queued.lastMs! / 42_000).toBeCloseTo(1, 1);
  const fetching = simulateStorm({ ...quick, acceptsPerS: 50, fetchesPerS: 50, fetchShare: 1, patience: null });
  expect(fetching.lastMs!).toBeGreaterThan(1.8 * queued.lastMs!);
  const impatient = simulateStorm({ ...quick, acceptsPerS: 50 });
  expect(impatient.timedOut).toBeGreaterThan(0);
  expect(impatient.attempts).toBe(2_000 + impatient.timedOut);
  expect(impatient.lastMs!).toBeGreaterThan(queued.lastMs!);
});

test("[SCL12] a simulated storm ends at its bound, also if nobody comes back", () => {
  const never = simulateStorm({ ...quick, players: 200, downMs: Number.POSITIVE_INFINITY });
  expect(never).toMatchObject({ back: 0, back50Ms: null, back99Ms: null, lastMs: null });
  // With waits of up to a minute there are at least ten attempts of each in ten minutes, and no endless row of them.
  expect(never.attempts).toBeGreaterThan(10 * 200);
  expect(never.attempts).toBeLessThan(60 * 200);
  const overloaded = simulateStorm({ ...quick, acceptsPerS: 0.1 });
  expect(overloaded.back).toBeLessThan(200);
  expect(overloaded.back50Ms).toBeNull();
});

test("[SCL13] a fleet that loses one node storms with that node's players, one that loses all with everybody, after the outage", () => {
  const rates = { acceptsPerS: 100, fetchesPerS: 300 };
  expect([nodesOf(100), nodesOf(100_000)]).toEqual([2, 4]);
  expect(stormOf(100_000, "one node", rates, 1)).toMatchObject({ players: 25_000, downMs: 0, acceptsPerS: 300, fetchesPerS: 900 });
  expect(stormOf(100_000, "all nodes", rates, 1)).toMatchObject({ players: 100_000, downMs: 30_000, acceptsPerS: 400, spreadMs: 45_000 });
  // Half of 10,000 players in 40 s, from a tenth of the spread on: about 140 a second.
  expect(neededRate(10_000, "one node", [50, 100, 200, 400], 40_000, 1)).toBe(200);
  expect(neededRate(10_000, "one node", [1, 2], 40_000, 1)).toBeNull();
});

test("[SCL14] the events of a simulation come in the order of their times", () => {
  const random = new Random(15);
  const times = Array.from({ length: 500 }, () => random.integer(0, 100));
  const heap = new EventHeap(times.length);
  const taken: number[] = [];
  const take = (): void => {
    const at = heap.nextAt;
    expect(times[heap.take()]).toBe(at);
    taken.push(at);
  };
  times.forEach((at, player) => heap.add(at, player));
  while (heap.nextAt < Number.POSITIVE_INFINITY) take();
  expect(taken).toEqual(times.toSorted((a, b) => a - b));
  expect(() => heap.take()).toThrow(RangeError);
});
