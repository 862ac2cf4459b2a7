// The part `figures`: one swarm on two nodes and the same swarm on one SQLite node, in one run, measured in turn: times, CPU and memory.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { compared, type Figure } from "./figures/compared.ts";
import { MeasuredService } from "./figures/measured-service.ts";
import { changeToAll, commands, heartbeats } from "./figures/measures.ts";
import type { ScalePart, ScaleTest } from "./scale-part.ts";

const rounds = { usual: 5, short: 2 };
const settleMs = 5_000;

export const figures: ScalePart = {
  about: "a swarm on two nodes beside the same on one SQLite node: command, change to all, heartbeats, memory, as ratios",
  unit: "players",
  usual: 2_000,
  async run(test) {
    const { run } = test;
    await using sqlite = await start(test, "sqlite");
    await using nodes = await start(test, "nodes");
    await run.pause(settleMs);
    const print = (figure: Figure, ofSqlite: readonly number[], ofNodes: readonly number[]): void =>
      run.print({ players: run.amount, ...compared(figure, ofSqlite, ofNodes) });
    print({ name: "memory per player, kB", isRate: false }, [sqlite.memoryPerPlayer()], [nodes.memoryPerPlayer()]);
    for (const measure of [commands, changeToAll, heartbeats]) {
      const seen = new Map<string, { figure: Figure; sqlite: number[]; nodes: number[] }>();
      // In turn, so that other load on this machine meets both.
      for (let round = 0; round < (test.isShort ? rounds.short : rounds.usual); round += 1)
        for (const service of round % 2 === 0 ? [sqlite, nodes] : [nodes, sqlite])
          for (const { figure, values } of await measure(test, service, round)) {
            const place = seen.get(figure.name) ?? { figure, sqlite: [], nodes: [] };
            place[service === sqlite ? "sqlite" : "nodes"].push(...values);
            seen.set(figure.name, place);
          }
      for (const each of seen.values()) print(each.figure, each.sqlite, each.nodes);
    }
    await run.try({ part: "all players stayed connected" }, async () => {
      for (const service of [sqlite, nodes]) await service.judge(run);
      return 0;
    });
    return null;
  },
};

async function start(test: ScaleTest, name: "sqlite" | "nodes"): Promise<MeasuredService> {
  const work = join(test.work, name);
  await mkdir(work);
  const from = performance.now();
  const isLone = name === "sqlite";
  const engines = isLone ? { postgres: false, nats: false, s3: false } : test.engines;
  const service = await MeasuredService.start(test, { work, engines, nodes: isLone ? 1 : test.nodes });
  test.run.print({ started: name, nodes: isLone ? 1 : test.nodes, ...engines, ms: Math.round(performance.now() - from) });
  return service;
}
