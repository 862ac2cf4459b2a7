// The statements that make, list and drop partitions. They run in the caller's transaction.
import { z } from "zod";
import type { GrowingTable } from "./growing-tables.ts";
import { defaultName, freeParts, partitionName, rangesAround, type DayRange } from "./ranges.ts";

/** Runs one statement. @returns its rows */
export type Query = (text: string) => Promise<unknown[]>;

// Any number that no other program takes in this database.
const lockKey = 7_815_201_513;

const BoundRows = z.array(z.object({ name: z.string(), bound: z.string() }));
const DayRows = z.array(z.object({ day: z.coerce.number().transform(Math.floor) }));

/** A partition and its days. */
export interface Partition extends DayRange {
  name: string;
}

/** Adds the unique key of a partition, named with its schema, if each has its own. */
export async function addUniqueKey(query: Query, { uniqueInPartition }: GrowingTable, part: string): Promise<void> {
  if (uniqueInPartition !== null) await query(`ALTER TABLE ${part} ADD PRIMARY KEY (${uniqueInPartition})`);
}

/** Waits until no other node changes partitions. The transaction's end lets the next one. */
async function lockPartitions(query: Query): Promise<void> {
  await query(`SELECT pg_advisory_xact_lock(${lockKey})`);
}

/** The partitions of a table but the default one. */
export async function listPartitions(query: Query, table: GrowingTable): Promise<Partition[]> {
  const rows = await query(`SELECT part.relname AS name, pg_get_expr(part.relpartbound, part.oid) AS bound FROM pg_inherits
    JOIN pg_class part ON part.oid = inhrelid WHERE inhparent = '${table.schema}.${table.name}'::regclass`);
  return BoundRows.parse(rows).flatMap(({ name, bound }) => {
    if (bound === "DEFAULT") return [];
    const [, from, to] = /^FOR VALUES FROM \('(\d+)'\) TO \('(\d+)'\)$/.exec(bound) ?? [];
    if (from === undefined || to === undefined) throw new TypeError(`the partition ${name} has other bounds: ${bound}`);
    return [{ name, from: Number(from) / table.unitsPerDay, to: Number(to) / table.unitsPerDay }];
  });
}

/** The days of `span` on which `rowsOf`, a table with the columns of this one, has rows. Reads all of it. */
export async function daysWithRows(query: Query, { key, unitsPerDay }: GrowingTable, rowsOf: string, span: DayRange): Promise<number[]> {
  const rows = await query(`SELECT DISTINCT ${key} / ${unitsPerDay} AS day FROM ${rowsOf}
    WHERE ${key} >= ${span.from * unitsPerDay} AND ${key} < ${span.to * unitsPerDay}`);
  return DayRows.parse(rows).map(({ day }) => day);
}

/**
 * Makes the partitions that `days` need and that are missing, and moves the rows of the default partition that belong into them. No other
 * statement may write to the default partition meanwhile, so it is locked first.
 * @returns the names of the new ones
 */
export async function makePartitions(query: Query, table: GrowingTable, days: readonly number[], daysEach: number): Promise<string[]> {
  const { schema, key, unitsPerDay } = table;
  await lockPartitions(query);
  const taken = await listPartitions(query, table);
  const missing = rangesAround(days, daysEach).flatMap((range) => freeParts(range, taken));
  if (missing.length === 0) return [];
  // The table before its partition, as all that use it do. A query that begins meanwhile waits for the table: one that knew its
  // partitions before would look for the moved rows where they are no more.
  await query(`LOCK TABLE ONLY ${schema}.${table.name} IN ACCESS EXCLUSIVE MODE`);
  await query(`LOCK TABLE ${schema}.${defaultName(table)} IN ACCESS EXCLUSIVE MODE`);
  for (const range of missing) {
    const name = `${schema}.${partitionName(table, range)}`;
    const [from, to] = [range.from * unitsPerDay, range.to * unitsPerDay];
    await query(`CREATE TABLE ${name} (LIKE ${schema}.${table.name} INCLUDING DEFAULTS)`);
    await query(`WITH moved AS (DELETE FROM ${schema}.${defaultName(table)} WHERE ${key} >= ${from} AND ${key} < ${to} RETURNING *)
      INSERT INTO ${name} SELECT * FROM moved`);
    await addUniqueKey(query, table, name);
    // Makes the indexes that all partitions have, too.
    await query(`ALTER TABLE ${schema}.${table.name} ATTACH PARTITION ${name} FOR VALUES FROM (${from}) TO (${to})`);
  }
  return missing.map((range) => partitionName(table, range));
}

/**
 * Drops a partition. Rows whose age does not reach `deletedBefore` (in the units of the age) go to the default partition: they arrived
 * late.
 */
export async function dropPartition(query: Query, table: GrowingTable, name: string, deletedBefore: number): Promise<void> {
  const parent = `${table.schema}.${table.name}`;
  const part = `${table.schema}.${name}`;
  await lockPartitions(query);
  if (!(await listPartitions(query, table)).some((each) => each.name === name)) return;
  await query(`ALTER TABLE ${parent} DETACH PARTITION ${part}`);
  await query(`INSERT INTO ${parent} SELECT * FROM ${part} WHERE ${table.age.column} >= ${deletedBefore} ON CONFLICT DO NOTHING`);
  await query(`DROP TABLE ${part}`);
}
