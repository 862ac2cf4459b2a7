// The stored latest heartbeats: what one process writes, and what several nodes write and read of each other.
import { sql } from "kysely";
import { inChunks } from "../store/chunks.ts";
import { preparedQuery } from "../store/prepared-query.ts";
import type { TelemetryDb } from "../store/store.ts";

/** How a player is connected. "gone": its socket has closed, or it has sent no heartbeat since the start of the service. */
export type PlayerLink = "socket" | "poll" | "gone";

export interface StoredHeartbeat {
  playerId: string;
  receivedAt: number;
  link: PlayerLink;
  body: string;
}

/** What another node has stored of a player. The body is read if it is new. */
export interface StoredLink extends Omit<StoredHeartbeat, "body"> {
  nodeId: string;
  changedAt: number;
}

const storeOnly = preparedQuery((db: TelemetryDb, row: { player_id: string; received_at: number; body: string }) => {
  const latest = { received_at: row.received_at, body: row.body };
  return db
    .insertInto("heartbeats")
    .values({ player_id: row.player_id, ...latest })
    .onConflict((conflict) => conflict.column("player_id").doUpdateSet(latest));
});

// The database's clock: those of the nodes differ.
const now = sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`;

/** @param nodeId of this node; null: it is the only process of its service. */
export async function storeHeartbeat(db: TelemetryDb, { playerId, receivedAt, link, body }: StoredHeartbeat, nodeId: string | null) {
  if (nodeId === null) return storeOnly(db, { player_id: playerId, received_at: receivedAt, body });
  const latest = { received_at: receivedAt, body, node_id: nodeId, link, changed_at: now };
  return (
    db
      .insertInto("heartbeats")
      .values({ player_id: playerId, ...latest })
      // A player that moved to another node has sent a newer one there.
      .onConflict((conflict) => conflict.column("player_id").doUpdateSet(latest).where("heartbeats.received_at", "<=", receivedAt))
      .execute()
  );
}

/** Stores that players are connected no more. Those that are at another node by now stay unchanged. */
export async function storeGone(db: TelemetryDb, playerIds: readonly string[], nodeId: string): Promise<void> {
  for (const ids of inChunks(playerIds)) {
    const update = db.updateTable("heartbeats").set({ link: "gone", changed_at: now }).where("node_id", "=", nodeId);
    await update.where("player_id", "in", ids).execute();
  }
}

/** What nodes other than `nodeId` have changed since `since`, by the database's clock. */
export async function readChangedLinks(db: TelemetryDb, since: number, nodeId: string): Promise<StoredLink[]> {
  const rows = await db
    .selectFrom("heartbeats")
    .select(["player_id", "received_at", "node_id", "link", "changed_at"])
    .where("changed_at", ">=", since)
    .where("node_id", "<>", nodeId)
    .execute();
  return rows.map((row) => ({
    playerId: row.player_id,
    receivedAt: row.received_at,
    nodeId: row.node_id!,
    link: row.link ?? "gone",
    changedAt: row.changed_at!,
  }));
}

/** The bodies of the latest heartbeats of players, with their times. */
export async function readBodies(db: TelemetryDb, playerIds: readonly string[]) {
  const bodies = new Map<string, { receivedAt: number; body: string }>();
  for (const ids of inChunks(playerIds)) {
    const rows = await db.selectFrom("heartbeats").select(["player_id", "received_at", "body"]).where("player_id", "in", ids).execute();
    for (const row of rows) bodies.set(row.player_id, { receivedAt: row.received_at, body: row.body });
  }
  return bodies;
}
