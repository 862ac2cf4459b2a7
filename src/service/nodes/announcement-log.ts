// The announcements of all nodes: rows that are written in the transaction of their change and that every node reads once, in an order
// that late commits do not break.
import { sql } from "kysely";
import type { Pool } from "pg";
import { queryPool } from "../store/postgres/pools.ts";
import type { Db } from "../store/store.ts";
import { metaKeys } from "../store/meta.ts";
import { databaseNowSql as now } from "../store/database-time.ts";

/** A place in the log: a transaction, and the announcement within it. */
export interface Place {
  /** PostgreSQL's number of the transaction (xid8). */
  xid: bigint;
  id: number;
}

/** One announcement. The body is null for the reader's own. */
export interface StoredAnnouncement extends Place {
  nodeId: string;
  kind: string;
  body: string | null;
}

/** How long announcements are kept. A node that has not read for longer has missed some. */
export const keepMs = 600_000;

/** Writes an announcement, in the transaction of the change. @returns its place. */
export async function writeAnnouncement(db: Db, nodeId: string, kind: string, body: string): Promise<Place> {
  const { rows } = await sql<{ xid: string; id: number }>`
    insert into announcements (node_id, kind, body) values (${nodeId}, ${kind}, ${body}) returning xid::text as xid, id`.execute(db);
  const [{ xid, id }] = rows as [{ xid: string; id: number }];
  return { xid: BigInt(xid), id };
}

export class AnnouncementLog {
  readonly #pool: Pool;
  readonly #nodeId: string;

  constructor(pool: Pool, nodeId: string) {
    this.#pool = pool;
    this.#nodeId = nodeId;
  }

  /** The place from which on a node must read that begins to read the database after this call. */
  async end(): Promise<Place> {
    const [row] = await queryPool<{ xmin: string }>(this.#pool, "SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS xmin", []);
    return { xid: BigInt(row!.xmin), id: 0 };
  }

  /**
   * At most `limit` announcements after a place, in their order. Reads only transactions below the oldest that is still running: all of
   * them have ended, so none can appear later before one that was read.
   */
  async readAfter({ xid, id }: Place, limit: number): Promise<StoredAnnouncement[]> {
    const rows = await queryPool<{ xid: string; id: number; node_id: string; kind: string; body: string | null }>(
      this.#pool,
      `SELECT xid::text AS xid, id, node_id, kind, CASE WHEN node_id = $1 THEN NULL ELSE body END AS body FROM state.announcements
        WHERE (announcements.xid, id) > ($2::xid8, $3) AND announcements.xid < pg_snapshot_xmin(pg_current_snapshot())
        ORDER BY announcements.xid, id LIMIT $4`,
      [this.#nodeId, String(xid), id, limit],
    );
    return rows.map((row) => ({ xid: BigInt(row.xid), id: row.id, nodeId: row.node_id, kind: row.kind, body: row.body }));
  }

  /** Whether announcements after this place were deleted already. */
  async isTrimmedAfter({ xid }: Place): Promise<boolean> {
    const [row] = await queryPool<{ value: string }>(this.#pool, "SELECT value FROM state.meta WHERE key = $1", [
      metaKeys.announcementsTrimmed,
    ]);
    return row !== undefined && BigInt(row.value) > xid;
  }

  /** Deletes announcements that every living node has read. */
  async trim(olderThanMs = keepMs): Promise<void> {
    await queryPool(
      this.#pool,
      `WITH old AS (DELETE FROM state.announcements WHERE created_at < ${now} - $1::bigint RETURNING xid),
        newest AS (SELECT xid::text AS value FROM old ORDER BY old.xid DESC LIMIT 1)
        INSERT INTO state.meta (key, value) SELECT $2, value FROM newest ON CONFLICT (key) DO UPDATE SET value = excluded.value
          WHERE excluded.value::xid8 > meta.value::xid8`,
      [olderThanMs, metaKeys.announcementsTrimmed],
    );
  }
}

/** Whether the announcement at `place` comes after `other`. */
export function isAfter(place: Place, other: Place): boolean {
  return place.xid === other.xid ? place.id > other.id : place.xid > other.xid;
}
