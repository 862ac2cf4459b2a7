// Replaces the nodes one after the other under load: drain, stop, start. By way of HAProxy no request may fail, and nothing is lost.
import { Cluster } from "../cluster/cluster.ts";
import { judgeEverything } from "../load/judge.ts";
import { Load } from "../load/load.ts";
import { untilNormal } from "../normal.ts";
import type { ScaleTest } from "../scale-part.ts";

const times = { usual: { drainSeconds: 10, pauseMs: 3_000 }, short: { drainSeconds: 4, pauseMs: 500 } };

export async function replaceNodes(test: ScaleTest): Promise<void> {
  const { run, engines } = test;
  const { drainSeconds, pauseMs } = test.isShort ? times.short : times.usual;
  const flags = ["--drain", String(drainSeconds)];
  await using cluster = await Cluster.start(test.work, { engines, nodes: test.nodes, random: run.random, flags });
  await using load = await Load.start(test, cluster, "by the proxy");
  await untilNormal(load);
  for (let round = 0; round < run.amount; round += 1)
    for (const { engine } of cluster.running) {
      await run.pause(pauseMs);
      load.tally.take();
      await run.try({ replaced: engine.name, round: round + 1 }, async () => {
        const from = performance.now();
        await engine.stop();
        const stoppedMs = performance.now() - from;
        await engine.start();
        await run.pause(pauseMs);
        const { answered, unavailable, unknown, refused, worst_ms } = load.tally.take();
        const failed = unavailable + unknown + refused;
        if (failed > 0) run.violate(`${failed} requests by way of HAProxy failed: ${JSON.stringify({ unavailable, unknown, refused })}`);
        const { service, players } = await untilNormal(load);
        const recovery = { stopped_ms: Math.round(stoppedMs), normal_ms: Math.round(service), players_ms: Math.round(players) };
        run.print({ table: true, replaced: engine.name, ...recovery, answered, failed, worst_ms });
        return service;
      });
    }
  await load.endWriting();
  await judgeEverything(load);
}
