// The versions of the player's program that players run.
import { selectPlayers } from "../fleet/store.ts";
import type { Presence } from "../fleet/presence/presence.ts";
import { inChunks } from "../store/chunks.ts";
import { jsonField } from "../store/dialect.ts";
import type { Store } from "../store/store.ts";

/** How many of the team's players run each version, by their latest heartbeats. */
export async function countVersions(store: Store, presence: Presence, teamId: string): Promise<Map<string, number>> {
  await presence.flush();
  const players = await selectPlayers(store.db, teamId).clearSelect().select("id").execute();
  const counts = new Map<string, number>();
  for (const ids of inChunks(players.map(({ id }) => id))) {
    // Read by the database: parsing ten thousand heartbeats here would take seconds.
    const version = jsonField(store.telemetry, "body", "player_version");
    const rows = await store.telemetry
      .selectFrom("heartbeats")
      .select([version.as("version"), (count) => count.fn.countAll<number>().as("players")])
      .where("player_id", "in", ids)
      .groupBy(version)
      .execute();
    for (const each of rows) counts.set(each.version, (counts.get(each.version) ?? 0) + each.players);
  }
  return counts;
}
