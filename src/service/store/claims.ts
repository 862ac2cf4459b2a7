// Claims due rows for one of several nodes, so that no two nodes send the same at once. A claim ends by itself if its node does not.
import { sql } from "kysely";
import type { Db, Store } from "./store.ts";

/** Tables of messages to send until they arrive: with `status` (pending until then) and `next_at`, when the next attempt is due, ms. */
type QueueTable = "webhook_deliveries" | "mails";

/**
 * Claims those of `rows` that no other node has claimed. A claimed row is due again after `claimMs`: when its node has died meanwhile,
 * another one sends it, with the same id. PostgreSQL only.
 * @returns the claimed ones
 */
export async function claimDue<T extends { id: string }>(
  store: Store,
  table: QueueTable,
  rows: readonly T[],
  { now, claimMs }: { now: number; claimMs: number },
): Promise<T[]> {
  if (rows.length === 0) return [];
  const ids = sql.join(rows.map(({ id }) => id));
  const claimed = await store.write(async (db) => {
    const taken = await sql<{ id: string }>`update ${sql.table(table)} set next_at = ${now + claimMs} where id in (
      select id from ${sql.table(table)} where id in (${ids}) and status = 'pending' and next_at <= ${now} for update skip locked
    ) returning id`.execute(db);
    return new Set(taken.rows.map(({ id }) => id));
  });
  return rows.filter(({ id }) => claimed.has(id));
}

/** Gives a claim back: the row is due again at once. */
export async function giveBack(db: Db, table: QueueTable, id: string, now: number): Promise<void> {
  await sql`update ${sql.table(table)} set next_at = ${now} where id = ${id} and status = 'pending'`.execute(db);
}
