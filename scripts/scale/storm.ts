// The part `storm`: kills a node of two, compares when its players are back with the simulation, and predicts it for large fleets.
import { reconnectSpreadMs } from "../../src/service/fleet/devices/reconnect-spread.ts";
import { quantile } from "./figures/compared.ts";
import type { ScalePart, ScaleTest } from "./scale-part.ts";
import { neededRate, nodesOf, stormOf, type Loss, type NodeRates } from "./storm/fleets.ts";
import { measureStorm, type MeasuredStorm } from "./storm/measured-storm.ts";
import { simulateStorm, type StormResult } from "./storm/simulate.ts";

const fleets = [10_000, 100_000, 1_000_000];
const losses: readonly Loss[] = ["one node", "all nodes"];
// The prediction is of use if it is right within this part, and the time that the proxy needs to notice.
const tolerance = 0.5;
const toleranceMs = 2_000;
// What is asked for: that nearly all are back within two minutes, after the outage of half a minute too.
const wantedMs = 120_000;
const triedRates = [25, 50, 100, 200, 400, 800, 1_600];
const longestMs = 5 * 60_000;

export const storm: ScalePart = {
  about: "kill of a node with its players: when they are back, measured and simulated; predictions for up to a million screens",
  unit: "players",
  usual: 1_000,
  async run(test) {
    if (!test.engines.postgres) return "a storm needs two nodes, which need PostgreSQL";
    const measured = await measureStorm(test);
    await test.run.try({ part: "the simulation is right" }, async () => validate(test, measured));
    for (const players of fleets)
      for (const loss of losses) {
        predict(test, players, loss, measured.rates);
        printNeeded(test, players, loss);
      }
    return null;
  },
};

/** Prints what was measured and what the simulation says of the same. @returns the time until 99 % were back. */
function validate({ run }: ScaleTest, { rates, lost, backMs }: MeasuredStorm): number {
  const predicted = simulateStorm({
    players: lost,
    spreadMs: reconnectSpreadMs(run.amount),
    downMs: 0,
    ...rates,
    fetchShare: 0,
    // Players of the swarm wait for ever.
    patience: null,
    longestMs,
    seed: run.random.seed,
  });
  const measured = { back50Ms: quantile(backMs, 0.5), back99Ms: quantile(backMs, 0.99) };
  for (const name of ["back50Ms", "back99Ms"] as const) {
    const [seen, said] = [measured[name], predicted[name]];
    const share = name === "back50Ms" ? 50 : 99;
    const error = said === null ? null : Math.round((100 * (said - seen)) / seen);
    run.print({
      validated: true,
      players: lost,
      back_percent: share,
      measured_ms: Math.round(seen),
      predicted_ms: rounded(said),
      error_percent: error,
    });
    if (said === null || Math.abs(said - seen) > tolerance * seen + toleranceMs)
      run.violate(`${share} % were back after ${Math.round(seen)} ms; the simulation says ${String(rounded(said))} ms`);
  }
  return measured.back99Ms;
}

function predict({ run }: ScaleTest, players: number, loss: Loss, rates: NodeRates): void {
  const stormy = stormOf(players, loss, rates, run.random.seed);
  run.print({
    predicted: true,
    fleet: players,
    nodes: nodesOf(players),
    lost: loss,
    spread_ms: stormy.spreadMs,
    ...lineOf(simulateStorm(stormy)),
  });
}

/** What a node must do for a fleet of this size. */
function printNeeded({ run }: ScaleTest, players: number, loss: Loss): void {
  const needed = neededRate(players, loss, triedRates, wantedMs, run.random.seed);
  run.print({
    needed: true,
    fleet: players,
    nodes: nodesOf(players),
    lost: loss,
    back_99_percent_within_ms: wantedMs,
    accepts_per_s_of_a_node: needed,
  });
}

function lineOf({
  back,
  back50Ms,
  back99Ms,
  lastMs,
  attempts,
  refused,
  timedOut,
  attemptsPeakPerS,
}: StormResult): Record<string, number | null> {
  const backs = { back, back_50_percent_ms: rounded(back50Ms), back_99_percent_ms: rounded(back99Ms), last_ms: rounded(lastMs) };
  return { ...backs, attempts, refused, timed_out: timedOut, attempts_peak_per_s: attemptsPeakPerS };
}

function rounded(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms);
}
