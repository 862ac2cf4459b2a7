// Keeps the partitions of the growing tables on PostgreSQL: makes them ahead, drops the old ones, and empties the default partition.
import { setImmediate } from "node:timers/promises";
import { sql, type Kysely } from "kysely";
import type { Log } from "../../../base/log.ts";
import { dayMs } from "../../../base/time.ts";
import { hasSqlState } from "../database-errors.ts";
import { growingTables, type GrowingTable } from "../partitions/growing-tables.ts";
import { daysWithRows, dropPartition, listPartitions, makePartitions, type Query } from "../partitions/partition-statements.ts";
import { dayOf, defaultName, endOfAhead } from "../partitions/ranges.ts";
import type { Partitions, Retention } from "../store.ts";

/** Inserts wait behind a waiting change of partitions, so it gives up soon and is tried again in the next round. */
const lockTimeoutMs = 2_000;
const lockNotAvailable = "55P03";
const maxDeletedRows = 5_000;

/** The partitions of a database. Several nodes may keep them at once. */
export class PostgresPartitions implements Partitions {
  readonly #databases: Record<GrowingTable["schema"], Kysely<never>>;
  readonly #log: Log;

  constructor(databases: Record<GrowingTable["schema"], Kysely<never>>, log: Log) {
    this.#databases = databases;
    this.#log = log;
  }

  async keep(name: GrowingTable["name"], retention: Retention, signal: AbortSignal): Promise<void> {
    const table = growingTables[name];
    const db = this.#databases[table.schema];
    try {
      await this.#make(db, table, retention);
      await this.#dropOld(db, table, retention, signal);
    } catch (error) {
      if (!hasSqlState(error, lockNotAvailable)) throw error;
      this.#log.warn({ table: name }, "the partitions of a table could not be changed because a query used it: tried again in an hour");
    }
    await deleteFromDefault(queryOf(db), table, retention, signal);
  }

  /** Makes the partitions of the coming days, and of the days of which the default partition has rows that have to be kept. */
  async #make(db: Kysely<never>, table: GrowingTable, { now, before }: Retention): Promise<void> {
    const kept = { from: dayOf(before), to: endOfAhead(now) };
    const today = dayOf(now);
    const coming = Array.from({ length: kept.to - today }, (_, index) => today + index);
    const outside = await daysWithRows(queryOf(db), table, `${table.schema}.${defaultName(table)}`, kept);
    const daysEach = table.daysPerPartition((now - before) / dayMs);
    const made = await changePartitions(db, (query) => makePartitions(query, table, [...coming, ...outside], daysEach));
    if (made.length > 0) this.#log.info({ made }, "partitions made");
  }

  async #dropOld(db: Kysely<never>, table: GrowingTable, { before }: Retention, signal: AbortSignal): Promise<void> {
    const query = queryOf(db);
    for (const { name } of (await listPartitions(query, table)).filter(({ to }) => to * dayMs <= before)) {
      signal.throwIfAborted();
      await summarize(query, `${table.schema}.${name}`);
      await changePartitions(db, (each) => dropPartition(each, table, name, oldest(table, before)));
      this.#log.info({ name }, "partition dropped");
    }
  }
}

/** Runs `change` as one transaction that does not wait for long. */
function changePartitions<T>(db: Kysely<never>, change: (query: Query) => Promise<T>): Promise<T> {
  return db.transaction().execute(async (transaction) => {
    const query = queryOf(transaction);
    await query(`SET LOCAL lock_timeout TO ${lockTimeoutMs}`);
    return change(query);
  });
}

/** Brings an index of ranges (brin) up to date, so that the search for late rows, which other queries wait for, is short. */
async function summarize(query: Query, part: string): Promise<void> {
  await query(`SELECT brin_summarize_new_values(index.oid) FROM pg_index JOIN pg_class index ON index.oid = indexrelid
    JOIN pg_am ON pg_am.oid = index.relam WHERE indrelid = to_regclass('${part}') AND amname = 'brin'`);
}

/** Deletes the old rows that no partition has, in batches. */
async function deleteFromDefault(query: Query, table: GrowingTable, { before }: Retention, signal: AbortSignal): Promise<void> {
  const rows = `${table.schema}.${defaultName(table)}`;
  const old = `SELECT ctid FROM ${rows} WHERE ${table.age.column} < ${oldest(table, before)} LIMIT ${maxDeletedRows}`;
  for (;;) {
    const deleted = await query(`DELETE FROM ${rows} WHERE ctid = ANY (ARRAY(${old})) RETURNING 1`);
    if (deleted.length < maxDeletedRows) return;
    await setImmediate(undefined, { signal });
  }
}

/** An instant in the units of a table's age. */
function oldest({ age }: GrowingTable, before: number): number {
  return Math.floor((before / dayMs) * age.unitsPerDay);
}

function queryOf(db: Kysely<never>): Query {
  return async (text) => (await sql.raw(text).execute(db)).rows;
}
