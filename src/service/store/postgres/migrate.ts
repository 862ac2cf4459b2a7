// Migrates a PostgreSQL database, one node at a time.
import { Kysely } from "kysely";
import { Migrator } from "kysely/migration";
import pg from "pg";
import { Fault, reasonOf } from "../../../base/fault.ts";
import type { Log } from "../../../base/log.ts";
import { databaseFault, hasSqlState } from "../database-errors.ts";
import { checkApplied } from "../migrations/check-history.ts";
import { PooledDialect } from "./driver.ts";
import { knownMigrations } from "./known-migrations.ts";
import { connectionTo, nameOfDatabase, openPool, schemas, type Schema } from "./pools.ts";

// Any number that no other program takes in this database.
const lockKey = 7_815_201_512;

/**
 * Creates or migrates the schemas. Nodes that start at once wait for each other.
 * @returns how many migrations ran
 * @throws Fault `unsupported` when an incompatible version wrote the database, which is unchanged then; `refused` when its user may not
 * create them; `store-unavailable`.
 */
export async function migratePostgres(url: string, log: Log): Promise<number> {
  await using client = await connect(url);
  try {
    // Held by the connection: it ends with this process at the latest.
    await client.query("SELECT pg_advisory_lock($1)", [lockKey]);
    // Check all schemas before changing one, so that a rejected database stays unchanged.
    for (const schema of schemas) await checkHistory(client, schema, nameOfDatabase(url));
    let count = 0;
    for (const schema of schemas) {
      await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
      count += await migrateSchema(url, schema, log);
    }
    // Write transactions lock this table (write-queue.ts). It is no table of both engines, so no migration creates it.
    await client.query("CREATE TABLE IF NOT EXISTS state.write_turns ()");
    return count;
  } catch (error) {
    if (hasSqlState(error, "42501")) throw lackOfRights(error, url);
    throw databaseFault(error);
  }
}

function lackOfRights(error: unknown, url: string): Fault {
  const remedy = "let its user create schemas and tables, by GRANT CREATE ON DATABASE, or as the owner of the database and what is in it";
  return new Fault("refused", `${nameOfDatabase(url)} cannot be migrated: ${reasonOf(error)}: ${remedy}`, { cause: error });
}

/** A connection of its own, which ends when it is disposed. @throws Fault `store-unavailable`. */
export async function connect(url: string): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client(connectionTo(url));
  // A query that runs meanwhile rejects, too.
  client.on("error", () => undefined);
  await client.connect().catch((error: unknown) => {
    throw databaseFault(error);
  });
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

async function checkHistory(client: pg.Client, schema: Schema, database: string): Promise<void> {
  const { rows } = await client.query<{ found: boolean }>("SELECT to_regclass($1) IS NOT NULL AS found", [`${schema}.kysely_migration`]);
  if (!rows[0]!.found) return;
  const applied = await client.query<{ name: string }>(`SELECT name FROM ${schema}.kysely_migration ORDER BY name COLLATE "C"`);
  const names = applied.rows.map(({ name }) => name);
  checkApplied(names, knownMigrations[schema], { database, part: `schema ${schema}`, elsewhere: "use another --database" });
}

/** All migrations of a schema are one transaction. They take as long as they need: one may copy a large table. */
async function migrateSchema(url: string, schema: Schema, log: Log): Promise<number> {
  await using pool = openPool(url, schema, log, { max: 1, queryTimeoutMs: 0 });
  const db = new Kysely<unknown>({ dialect: new PooledDialect({ pool, prepare: `SET search_path TO ${schema}`, begin: "begin" }) });
  const migrator = new Migrator({ db, provider: { getMigrations: async () => knownMigrations[schema] }, migrationTableSchema: schema });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
  return results.length;
}
