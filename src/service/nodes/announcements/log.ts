// The announcements of all nodes: rows that are written in the transaction of their change, and that every node reads once, also those
// whose transaction commits late. Only transactions that have announced something matter, whatever else is open on the server.
import { sql } from "kysely";
import type { Pool } from "pg";
import { hourMs, minuteMs } from "../../../base/time.ts";
import { queryPool } from "../../store/postgres/pools.ts";
import type { Db } from "../../store/store.ts";
import { metaKeys } from "../../store/meta.ts";
import { databaseNowSql as now } from "../../store/database-time.ts";

/** One announcement. The body is null for the reader's own. */
export interface StoredAnnouncement {
  id: number;
  kind: string;
  body: string | null;
}

/** A transaction in progress that has announced something. */
export interface Writer {
  /** An identifier that is unique while the transaction runs. */
  key: string;
  /** Its process of PostgreSQL; null: it is a prepared transaction. */
  pid: number | null;
  applicationName: string | null;
  database: string;
  /** When it began, by the database's clock; null: PostgreSQL does not tell this user. */
  since: string | null;
}

/** For how long announcements are kept at least, also those that every living node has read. */
const keepMs = 10 * minuteMs;
/** For how long they are kept at most, although a living node has not read them or waits for one before them. */
const keepLongestMs = hourMs;

/** Writes an announcement, in the transaction of the change. @returns its number, and the number of its transaction */
export async function writeAnnouncement(db: Db, nodeId: string, kind: string, body: string): Promise<{ id: number; xid: string }> {
  const { rows } = await sql<{ xid: string; id: number }>`
    insert into announcements (node_id, kind, body) values (${nodeId}, ${kind}, ${body}) returning xid::text as xid, id`.execute(db);
  return rows[0]!;
}

/**
 * Numbers are taken in the order of announcing and become visible in the order of commits, so a number that is missing below a visible
 * one is either rolled back or still to come. PostgreSQL locks the table for a writer before it takes a number, and until its
 * transaction has ended: after its commit is visible. So a missing number is rolled back if a read does not find it that begins after
 * all have ended who held the lock at some time since it was first missed.
 */
export class AnnouncementLog {
  readonly #pool: Pool;
  readonly #nodeId: string;

  constructor(pool: Pool, nodeId: string) {
    this.#pool = pool;
    this.#nodeId = nodeId;
  }

  /** The highest number that was taken. */
  async lastId(): Promise<number> {
    const text = "SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS id FROM state.announcements_id_seq";
    return Number((await queryPool<{ id: number | string }>(this.#pool, text, []))[0]!.id);
  }

  /** The transactions of this database that have announced something and have not ended. */
  async writers(): Promise<Writer[]> {
    // Not filtered by who may read pg_stat_activity: locks of all users are visible to each.
    return queryPool<Writer>(
      this.#pool,
      `SELECT writer.virtualtransaction AS key, writer.pid, activity.application_name AS "applicationName", current_database() AS database,
          to_char(activity.xact_start AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS since
        FROM pg_locks AS writer LEFT JOIN pg_stat_activity AS activity ON activity.pid = writer.pid
        WHERE writer.locktype = 'relation' AND writer.relation = 'state.announcements'::regclass AND writer.mode = 'RowExclusiveLock'
          AND writer.granted AND writer.database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      [],
    );
  }

  /**
   * At most `limit` announcements with numbers above `after` or in `missing`, by number.
   * @returns also up to which number some were deleted already, as of the same instant
   */
  async read(after: number, missing: readonly number[], limit: number): Promise<{ page: StoredAnnouncement[]; trimmedId: number }> {
    const rows = await queryPool<{ trimmed: string | null; id: number | string | null; kind: string; body: string | null }>(
      this.#pool,
      `SELECT trimmed.value AS trimmed, page.* FROM (SELECT (SELECT value FROM state.meta WHERE key = $1) AS value) AS trimmed
        LEFT JOIN (
          SELECT id, kind, CASE WHEN node_id = $2 THEN NULL ELSE body END AS body FROM state.announcements
            WHERE id > $3 OR id = ANY($4::bigint[]) ORDER BY id LIMIT $5
        ) AS page ON true ORDER BY page.id`,
      [metaKeys.announcementsTrimmedId, this.#nodeId, after, missing, limit],
    );
    const page = rows.flatMap(({ id, kind, body }) => (id === null ? [] : [{ id: Number(id), kind, body }]));
    return { page, trimmedId: Number(rows[0]!.trimmed ?? 0) };
  }

  /**
   * Deletes announcements that are older than {@link keepMs} and that every living node has read, and all that are older than
   * {@link keepLongestMs}; stores up to which number.
   */
  async trim({ afterMs = keepMs, longestMs = keepLongestMs }: { afterMs?: number; longestMs?: number } = {}): Promise<void> {
    await queryPool(
      this.#pool,
      `WITH read AS (SELECT coalesce(min(announcements_read), 0) AS id FROM state.nodes WHERE lease_until > ${now}),
        old AS (
          DELETE FROM state.announcements USING read
            WHERE created_at < ${now} - $1::bigint AND (announcements.id <= read.id OR created_at < ${now} - $2::bigint)
            RETURNING announcements.id, announcements.xid
        ),
        newest AS (
          SELECT $3::text AS key, max(id)::text AS value FROM old HAVING count(*) > 0
          -- What nodes of versions before 0074 compare.
          UNION ALL (SELECT $4::text, xid::text FROM old ORDER BY old.xid DESC LIMIT 1)
        )
        INSERT INTO state.meta (key, value) SELECT key, value FROM newest ON CONFLICT (key) DO UPDATE SET value = excluded.value
          WHERE excluded.value::numeric > meta.value::numeric`,
      [afterMs, longestMs, metaKeys.announcementsTrimmedId, metaKeys.announcementsTrimmed],
    );
  }
}
