// Fills a cluster with paired players.
import { fillPlayers, type FilledPlayer } from "../../../bench/swarm/fill.ts";
import { openPostgresStore } from "../../../src/service/store/postgres/postgres-store.ts";
import { openStore } from "../../../src/service/store/store.ts";
import type { Cluster } from "../cluster/cluster.ts";

/** Writes the players' rows while no node runs. */
export async function fillCluster({ running, postgres }: Cluster, layoutId: string, count: number): Promise<FilledPlayer[]> {
  for (const { engine } of running) await engine.stop();
  const players = await (async () => {
    await using store = await (postgres === null ? openStore(running[0]!.data) : openPostgresStore(postgres.url()));
    // The store closes when they are written.
    return await fillPlayers(store, layoutId, count);
  })();
  for (const { engine } of running) await engine.start();
  return players;
}
