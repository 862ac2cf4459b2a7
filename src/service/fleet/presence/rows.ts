// The stored latest heartbeats: one process writes all of them; several nodes write their own and read those of the others.
import { sql } from "kysely";
import { futureMs } from "../heartbeats/times.ts";
import { inChunks } from "../../store/chunks.ts";
import { preparedQuery } from "../../store/prepared-query.ts";
import type { TelemetryDb } from "../../store/store.ts";
import { databaseNow } from "../../store/database-time.ts";

/** How a player is connected. "gone": its socket has closed, or it has sent no heartbeat since the start of the service. */
export type PlayerLink = "socket" | "poll" | "gone";

export interface StoredHeartbeat {
  playerId: string;
  receivedAt: number;
  link: PlayerLink;
  body: string;
}

/** The row that another node has stored for a player. The body is read if it is new. */
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

/** Stores the latest heartbeats of different players. @param node this one, and its time; null: it is the only process of its service. */
export async function storeHeartbeats(
  db: TelemetryDb,
  beats: readonly StoredHeartbeat[],
  node: { id: string; now: number } | null,
): Promise<void> {
  const rows = beats.map(({ playerId, receivedAt, link, body }) => ({ player_id: playerId, received_at: receivedAt, link, body }));
  if (node === null) for (const { player_id, received_at, body } of rows) await storeOnly(db, { player_id, received_at, body });
  else await storeOfNode(db, { json: JSON.stringify(rows), nodeId: node.id, futureFrom: Math.trunc(node.now) + futureMs });
}

interface BeatsOfNode {
  json: string;
  nodeId: string;
  /** Later times were written by a clock that was ahead. */
  futureFrom: number;
}

const storeOfNode = preparedQuery((db: TelemetryDb, { json, nodeId, futureFrom }: BeatsOfNode) =>
  db
    .insertInto("heartbeats")
    .columns(["player_id", "received_at", "body", "link", "node_id", "changed_at"])
    .expression(
      sql`select player_id, received_at, body, link, cast(${nodeId} as text), ${databaseNow}
        from json_populate_recordset(cast(null as heartbeats), cast(${json} as json))`,
    )
    .onConflict((conflict) =>
      conflict
        .column("player_id")
        .doUpdateSet({
          received_at: sql`excluded.received_at`,
          body: sql`excluded.body`,
          node_id: sql`excluded.node_id`,
          link: sql`excluded.link`,
          changed_at: sql`excluded.changed_at`,
        })
        // A player that moved to another node has sent a newer one there, unless a clock was ahead when it was written.
        .where((row) =>
          row.or([
            row("heartbeats.received_at", "<=", sql<number>`excluded.received_at`),
            row("heartbeats.received_at", ">", sql<number>`cast(${futureFrom} as bigint)`),
          ]),
        ),
    ),
);

/** Stores that players are connected no more. Those that are at another node by now stay unchanged. */
export async function storeGone(db: TelemetryDb, playerIds: readonly string[], nodeId: string): Promise<void> {
  for (const ids of inChunks(playerIds)) {
    const update = db.updateTable("heartbeats").set({ link: "gone", changed_at: databaseNow }).where("node_id", "=", nodeId);
    await update.where("player_id", "in", ids).execute();
  }
}

/** The rows that nodes other than `nodeId` have changed since `since`, by the database's clock. */
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

/** The heartbeats in groups that each have one of a player at most, in their order: a statement can change a row only once. */
export function onePerPlayer<T extends { playerId: string }>(beats: readonly T[]): T[][] {
  const groups: T[][] = [];
  const counts = new Map<string, number>();
  for (const beat of beats) {
    const count = counts.get(beat.playerId) ?? 0;
    counts.set(beat.playerId, count + 1);
    (groups[count] ??= []).push(beat);
  }
  return groups;
}
