// Two nodes, one of which is killed: how fast a node accepts players, and when those that it had are back.
import { Api } from "../../../test/support/programs/programs.ts";
import { Cluster } from "../cluster/cluster.ts";
import { fillCluster } from "../figures/fill-cluster.ts";
import { Swarm } from "../load/players.ts";
import type { ScaleTest } from "../scale-part.ts";
import type { NodeRates } from "./fleets.ts";

export interface MeasuredStorm {
  /** Of the node that was left. */
  rates: NodeRates;
  /** Players that the killed node had. */
  lost: number;
  /** When each of them was back, ms after the kill. */
  backMs: number[];
}

const swarmProcesses = 2;
// The first node accepts these before the others come, to learn its rate.
const probeShare = 0.25;
// Every player has had a heartbeat by then, and knows the spread for all of them.
const knowSpreadMs = 40_000;
const probesAtOnce = 16;
const returnLimitMs = 180_000;

const now = (): number => performance.timeOrigin + performance.now();

/** Kills the second node of two with `run.amount` players. */
export async function measureStorm({ run, work, engines }: ScaleTest): Promise<MeasuredStorm> {
  await using cluster = await Cluster.start(work, { engines, nodes: 2, random: run.random });
  const { layoutId } = await new Api(cluster.proxy.url, cluster.token).publish([
    { type: "web", url: "https://example.com/", duration_ms: 10_000 },
  ]);
  const probes = Math.ceil(probeShare * run.amount);
  const tokens = (await fillCluster(cluster, layoutId, run.amount + probes)).map(({ token }) => token);
  const probe = tokens.splice(0, probes);
  const rate = async (when: string): Promise<NodeRates> => {
    const rates = await ratesOf(cluster.nodes[0]!.url, probe);
    run.print({ rates: when, accepts_per_s: Math.round(rates.acceptsPerS), fetches_per_s: Math.round(rates.fetchesPerS) });
    return rates;
  };
  // A node that has just started is slower.
  await rate("warming up");
  const before = await rate("before the kill");
  await using swarms = new AsyncDisposableStack();
  const share = Math.ceil(tokens.length / swarmProcesses);
  const parts = Array.from({ length: swarmProcesses }, (_, place) => tokens.slice(place * share, (place + 1) * share));
  const all = await Promise.all(parts.map(async (each) => swarms.use(await Swarm.start(cluster.proxy.url, each))));
  await run.pause(knowSpreadMs);
  for (const swarm of all) await swarm.take();
  const killedAt = now();
  await cluster.nodes[1]!.engine.kill();
  const backMs: number[] = [];
  const areBack = async (): Promise<boolean> => {
    const reports = await Promise.all(all.map((swarm) => swarm.take()));
    backMs.push(...reports.flatMap(({ welcomes }) => welcomes).map((at) => at - killedAt));
    return reports.reduce((sum, { connected }) => sum + connected, 0) === run.amount && backMs.length > 0;
  };
  await run.until("all players are back", areBack, returnLimitMs);
  // What else the machine does changes: the middle of both counts.
  const after = await rate("after the kill");
  const rates = {
    acceptsPerS: (before.acceptsPerS + after.acceptsPerS) / 2,
    fetchesPerS: (before.fetchesPerS + after.fetchesPerS) / 2,
  };
  return { rates, lost: backMs.length, backMs };
}

/** How long one node needs to accept players. The start of the process that simulates them does not count. */
async function connectMs(url: string, tokens: readonly string[]): Promise<number> {
  await using swarm = await Swarm.start(url, []);
  const from = performance.now();
  await swarm.connect(url, [...tokens], probesAtOnce);
  return performance.now() - from;
}

/** How fast one node accepts players, and answers requests for their state. */
async function ratesOf(url: string, tokens: readonly string[]): Promise<NodeRates> {
  const accepting = await connectMs(url, tokens);
  const rest = [...tokens];
  const fetching = performance.now();
  const lane = async (): Promise<void> => {
    for (let token = rest.pop(); token !== undefined; token = rest.pop()) {
      const response = await fetch(`${url}/api/v1/device/state`, { headers: { authorization: `Bearer ${token}` } });
      await response.arrayBuffer();
      if (response.status !== 200) throw new Error(`the state of a device: ${response.status}`);
    }
  };
  await Promise.all(Array.from({ length: probesAtOnce }, lane));
  const perS = (ms: number): number => (1_000 * tokens.length) / ms;
  return { acceptsPerS: perS(accepting), fetchesPerS: perS(performance.now() - fetching) };
}
