// The storms that are predicted for fleets of any size, from what one node of the measured machine does.
import { connectLimits, connectLimitsWhilePolling, pollMs } from "../../../src/player/link/connection.ts";
import { reconnectSpreadMs } from "../../../src/service/fleet/devices/reconnect-spread.ts";
import { simulateStorm, type Patience, type Storm } from "./simulate.ts";

/** What one node does in a second. */
export interface NodeRates {
  acceptsPerS: number;
  fetchesPerS: number;
}

/** What is lost: one node of several, or all of them, which are back later. */
export type Loss = "one node" | "all nodes";

const playersPerNode = 25_000;
const allDownMs = 30_000;
// The simulation ends then, whatever happens.
const longestMs = 5 * 60_000;

/** As of the real player. An assumption: a node skips the greeting of a socket that has ended, which is about half of its work. */
export const patience: Patience = {
  wastedShare: 0.5,
  firstMs: connectLimits.handshakeMs + connectLimits.welcomeMs,
  pollingMs: connectLimitsWhilePolling.handshakeMs + connectLimitsWhilePolling.welcomeMs,
  pollMs,
};

/** How many nodes a fleet has, at least two. */
export function nodesOf(players: number): number {
  return Math.max(2, Math.ceil(players / playersPerNode));
}

/** The lowest of these rates of one node with which 99 % of the fleet are back within `withinMs`; null: none of them. */
export function neededRate(players: number, loss: Loss, rates: readonly number[], withinMs: number, seed: number): number | null {
  const suffices = (acceptsPerS: number): boolean => {
    const { back99Ms } = simulateStorm({ ...stormOf(players, loss, { acceptsPerS, fetchesPerS: acceptsPerS }, seed), longestMs: withinMs });
    return back99Ms !== null;
  };
  const sorted = rates.toSorted((a, b) => a - b);
  let [from, to] = [0, sorted.length];
  // A node that does more is never worse: halve the range.
  while (from < to) {
    const middle = (from + to) >> 1;
    if (suffices(sorted[middle]!)) to = middle;
    else from = middle + 1;
  }
  return sorted[from] ?? null;
}

/** The storm of a whole fleet that has lost one node or all. Nobody's state has changed meanwhile. */
export function stormOf(players: number, loss: Loss, rates: NodeRates, seed: number): Storm {
  const nodes = nodesOf(players);
  const left = loss === "one node" ? nodes - 1 : nodes;
  return {
    players: loss === "one node" ? Math.ceil(players / nodes) : players,
    spreadMs: reconnectSpreadMs(players),
    downMs: loss === "one node" ? 0 : allDownMs,
    acceptsPerS: rates.acceptsPerS * left,
    fetchesPerS: rates.fetchesPerS * left,
    fetchShare: 0,
    patience,
    longestMs,
    seed,
  };
}
