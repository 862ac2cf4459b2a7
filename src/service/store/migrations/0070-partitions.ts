// On PostgreSQL, the tables that grow with time are divided into partitions (docs/retention.md). SQLite keeps them as they are.
import { sql, type Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { isPostgres } from "../dialect.ts";
import { growingTables, type GrowingTable } from "../partitions/growing-tables.ts";
import { addUniqueKey, daysWithRows, type Query } from "../partitions/partition-statements.ts";
import { dayOf, defaultName, endOfAhead, partitionName, rangesAround } from "../partitions/ranges.ts";

const keptDays = 400;

/** The migration of one database: each of its tables, and its keys and indexes. */
function partitioned(tables: readonly { table: GrowingTable; indexes: readonly string[] }[]): Migration {
  return {
    async up(db: Kysely<unknown>) {
      if (!isPostgres(db)) return;
      const query: Query = async (text) => (await sql.raw(text).execute(db)).rows;
      for (const { table, indexes } of tables) {
        await divide(query, table);
        for (const each of indexes) await query(each);
      }
    },
  };
}

/** Puts a table in partitions in the place of one without, and copies its rows. */
async function divide(query: Query, table: GrowingTable): Promise<void> {
  const { schema, name, key, unitsPerDay } = table;
  const before = `${schema}.${name}_before`;
  await query(`ALTER TABLE ${schema}.${name} RENAME TO ${name}_before`);
  await query(`CREATE TABLE ${schema}.${name} (LIKE ${before}) PARTITION BY RANGE (${key})`);
  await query(`CREATE TABLE ${schema}.${defaultName(table)} PARTITION OF ${schema}.${name} DEFAULT`);
  const now = Date.now();
  const days = await daysWithRows(query, table, before, { from: dayOf(now) - keptDays, to: endOfAhead(now) });
  const parts = [`${schema}.${defaultName(table)}`];
  for (const range of rangesAround(days, table.daysPerPartition(keptDays))) {
    const bounds = `FROM (${range.from * unitsPerDay}) TO (${range.to * unitsPerDay})`;
    const part = `${schema}.${partitionName(table, range)}`;
    parts.push(part);
    await query(`CREATE TABLE ${part} PARTITION OF ${schema}.${name} FOR VALUES ${bounds}`);
  }
  await query(`INSERT INTO ${schema}.${name} SELECT * FROM ${before}`);
  await query(`DROP TABLE ${before}`);
  for (const part of parts) await addUniqueKey(query, table, part);
}

/** Of the play events' database. */
export const playEventPartitionsMigration = partitioned([
  {
    table: growingTables.play_events,
    indexes: [
      "CREATE INDEX play_events_by_age ON play_events (team_id, started_at)",
      "CREATE INDEX play_events_by_player ON play_events (player_id, started_at)",
      "CREATE INDEX play_events_by_asset ON play_events (asset_id, started_at)",
      // Rows lie in the order of their arrival, so a few pages tell which are younger than an instant.
      "CREATE INDEX play_events_by_arrival ON play_events USING brin (received_at)",
    ],
  },
]);

/** Of the telemetry database. */
export const heartbeatPartitionsMigration = partitioned([
  { table: growingTables.heartbeat_minutes, indexes: ["ALTER TABLE heartbeat_minutes ADD PRIMARY KEY (player_id, minute)"] },
  { table: growingTables.heartbeat_hours, indexes: ["ALTER TABLE heartbeat_hours ADD PRIMARY KEY (player_id, hour)"] },
]);
