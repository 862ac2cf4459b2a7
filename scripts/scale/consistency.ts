// The part `consistency`: concurrent operations on all nodes while nodes are killed, checked in the manner of Jepsen.
import { setTimeout as pause } from "node:timers/promises";
import { Cluster } from "./cluster/cluster.ts";
import { leases } from "./consistency/lease-round.ts";
import { drafts, keys, pairings, registers, type Round, type RoundPlace } from "./consistency/rounds.ts";
import { LoadClient } from "./load/client.ts";
import { readAll } from "./load/read-all.ts";
import { Tally } from "./load/tally.ts";
import type { ScalePart, ScaleTest } from "./scale-part.ts";

// Registers have the most operations in a round already.
const kinds: Record<string, Round> = { registers, pairings, drafts, keys, leases };
const lanes = 3;
const killPauseMs = { usual: [6_000, 15_000], short: [3_000, 6_000] } as const;
const downMs = 1_000;
const printEvery = 50;

export const consistency: ScalePart = {
  about: "If-Match updates, pairings, drafts, idempotency keys and leases from all nodes, which are killed meanwhile: linearizable",
  unit: "operations",
  usual: 20_000,
  async run(test) {
    const { run, work, engines, nodes } = test;
    await using cluster = await Cluster.start(work, { engines, nodes, random: run.random });
    const tally = new Tally(run);
    await using client = new LoadClient(cluster.token, tally);
    const first = cluster.running;
    const chooseUrl = (): string => run.random.pick([cluster.proxy.url, ...first.map(({ url }) => url)]);
    const place: RoundPlace = { run, cluster, client, chooseUrl };
    const end = new AbortController();
    let kills = 0;
    const killing = killAtRandom(test, cluster, end.signal, () => (kills += 1));
    const counts = new Map<string, number>();
    try {
      await run.try({ part: "all rounds" }, () => runRounds(test, place, counts), 1);
    } finally {
      end.abort();
      await killing;
    }
    await judgeVersions(place);
    run.print({ ...Object.fromEntries(counts), kills, ...tally.take() });
    return null;
  },
};

/** Rounds of all kinds until there were as many operations as wanted. @returns the time, ms. */
async function runRounds({ run, only }: ScaleTest, place: RoundPlace, counts: Map<string, number>): Promise<number> {
  const from = performance.now();
  const names = Object.keys(kinds).filter((name) => only === null || only.includes(name));
  let total = 0;
  let rounds = 0;
  const lane = async (): Promise<void> => {
    while (total < run.amount) {
      run.signal.throwIfAborted();
      const name = run.random.pick(names);
      const operations = await kinds[name]!(place);
      counts.set(name, (counts.get(name) ?? 0) + operations);
      total += operations;
      rounds += 1;
      if (rounds % printEvery === 0)
        run.print({ rounds, operations: total, per_s: Math.round((1_000 * total) / (performance.now() - from)) });
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return performance.now() - from;
}

async function killAtRandom(
  { run, isShort }: ScaleTest,
  { running, nodes }: Cluster,
  signal: AbortSignal,
  onKill: () => void,
): Promise<void> {
  const [shortest, longest] = isShort ? killPauseMs.short : killPauseMs.usual;
  while (!signal.aborted) {
    const isOver = await pause(run.random.integer(shortest, longest), false, { signal }).catch(() => true);
    if (isOver) break;
    const { engine } = run.random.pick(running);
    await engine.kill();
    onKill();
    await pause(downMs);
    await engine.start();
  }
  // What is judged next is read from all of them.
  for (const { engine } of nodes.slice(0, running.length)) if (!engine.isRunning) await engine.start();
}

/** Versions are numbered without a gap, and each draft is one of them at most. */
async function judgeVersions({ run, client, chooseUrl }: RoundPlace): Promise<void> {
  const versions = await readAll(client, chooseUrl, "versions", run.signal);
  const numbers = versions.map((each) => Number(each["number"])).toSorted((a, b) => a - b);
  numbers.forEach((number, index) => {
    if (number !== index + 1) run.violate(`version ${number} is the ${index + 1}th`);
  });
  const published = versions.flatMap((each) => (typeof each["draft_id"] === "string" ? [each["draft_id"]] : []));
  if (new Set(published).size !== published.length) run.violate("a draft was published twice");
  run.print({ versions: versions.length, drafts: published.length });
}
