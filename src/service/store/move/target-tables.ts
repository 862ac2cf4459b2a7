// The tables of a PostgreSQL database into which a data folder moves.
import type { Client } from "pg";
import { Fault } from "../../../base/fault.ts";
import { schemas, type Schema } from "../postgres/pools.ts";

export interface TargetTable {
  schema: Schema;
  name: string;
  /** With the types that PostgreSQL names them by. */
  columns: readonly { name: string; type: string }[];
}

/** Tables that belong to the nodes of a database, or to its migrations: a folder has nothing for them. */
const ofNodes = ["write_turns", "nodes", "leases", "announcements", "attempts", "quota_use", "live_viewers", "live_frames"];
const ownTables = new Set([...ofNodes, "kysely_migration", "kysely_migration_lock"]);

/** The tables that a folder fills: those that others refer to come first. */
export async function targetTables(client: Client): Promise<TargetTable[]> {
  const { rows } = await client.query<{ schema: Schema; table: string; column: string; type: string }>(
    `SELECT table_schema AS schema, table_name AS table, column_name AS column, udt_name AS type FROM information_schema.columns
      WHERE table_schema = ANY($1)
        -- A partition's rows are those of its table.
        AND NOT (SELECT relispartition FROM pg_class WHERE oid = format('%I.%I', table_schema, table_name)::regclass)
      ORDER BY table_schema, table_name, ordinal_position`,
    [schemas],
  );
  const tables: TargetTable[] = [];
  for (const of of Map.groupBy(rows, ({ schema, table }) => `${schema}.${table}`).values()) {
    const { schema, table: name } = of[0]!;
    if (!ownTables.has(name)) tables.push({ schema, name, columns: of.map(({ column, type }) => ({ name: column, type })) });
  }
  return inOrderOfReferences(tables, await references(client));
}

/** Which tables each table of the state refers to. */
async function references(client: Client): Promise<Map<string, string[]>> {
  const { rows } = await client.query<{ from: string; to: string }>(
    `SELECT conrelid::regclass::text AS from, confrelid::regclass::text AS to FROM pg_constraint WHERE contype = 'f'`,
  );
  return new Map([...Map.groupBy(rows, ({ from }) => from)].map(([from, of]) => [from, of.map(({ to }) => to)]));
}

function inOrderOfReferences(tables: readonly TargetTable[], referred: ReadonlyMap<string, readonly string[]>): TargetTable[] {
  const byName = new Map(tables.map((table) => [`${table.schema}.${table.name}`, table]));
  const ordered = new Set<TargetTable>();
  const add = (name: string): void => {
    const table = byName.get(name);
    if (table === undefined || ordered.has(table)) return;
    for (const each of referred.get(name) ?? []) if (each !== name) add(each);
    ordered.add(table);
  };
  for (const name of byName.keys()) add(name);
  return [...ordered];
}

/** @throws Fault `refused` when one of them has a row. */
export async function requireEmpty(client: Client, tables: readonly TargetTable[], database: string): Promise<void> {
  for (const { schema, name } of tables) {
    const { rowCount } = await client.query(`SELECT 1 FROM ${schema}."${name}" LIMIT 1`);
    if (rowCount !== 0) {
      throw new Fault("refused", `${database} is not empty (${schema}.${name} has rows): create another database and name it with --to`);
    }
  }
}
