// The connections to a PostgreSQL database: a pool for each of its three schemas.
import pg from "pg";
import type { Log } from "../../../base/log.ts";
import { databaseFault } from "../database-errors.ts";

/** The schemas of a service's database, one for each file on SQLite. */
export const schemas = ["state", "telemetry", "plays"] as const;
export type Schema = (typeof schemas)[number];

const poolSizes = { state: 10, telemetry: 4, plays: 4 } as const satisfies Record<Schema, number>;
const connectTimeoutMs = 5_000;
const defaultQueryTimeoutMs = 60_000;
// The server gives up before the pool does: a query that only the pool has given up would keep a connection of the server, and each
// repeat another one, for as long as it waits for a lock.
const statementTimeoutMs = 55_000;
const idleTimeoutMs = 300_000;
// A node that is paused or cut off in the middle of a transaction holds its locks until then.
const silentTransactionMs = 10_000;

const { INT8, NUMERIC } = pg.types.builtins;
/** Counts, times and sums as numbers, as SQLite returns them: none is beyond 2^53. */
const types = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    oid === INT8 || oid === NUMERIC ? Number : pg.types.getTypeParser(oid, format as "text"),
} as pg.CustomTypesConfig;

/** How to connect to the database at `url`. */
export function connectionTo(url: string): pg.ClientConfig {
  return { connectionString: url, application_name: "signage-service", connectionTimeoutMillis: connectTimeoutMs, keepAlive: true, types };
}

interface PoolLimits {
  /** How many connections there are at most. */
  max?: number;
  /** After how long a query fails; 0: never. */
  queryTimeoutMs?: number;
}

/** Connections to one schema. They end when it is disposed. */
export function openPool(
  url: string,
  schema: Schema,
  log: Log,
  { max = poolSizes[schema], queryTimeoutMs = defaultQueryTimeoutMs }: PoolLimits = {},
): pg.Pool & AsyncDisposable {
  const pool = new pg.Pool({ ...connectionTo(url), max, idleTimeoutMillis: idleTimeoutMs, query_timeout: queryTimeoutMs });
  // The pool drops the connection and opens another when it is needed; if that fails, the query reports it.
  pool.on("error", (error) => log.warn({ err: error, schema }, "an idle connection to the database ended"));
  hearLostConnections(pool);
  return Object.assign(pool, { [Symbol.asyncDispose]: () => pool.end() });
}

/**
 * Keeps a lost connection that is in use from ending the process: without a listener its `error` event would. The query that uses
 * it rejects, which reports it.
 */
export function hearLostConnections(pool: pg.Pool): void {
  pool.on("connect", (client) => client.on("error", () => undefined));
}

/** The first statements of every connection to `schema`. */
export function sessionOf(schema: Schema): string {
  const statements = [
    `SET search_path TO ${schema}`,
    `SET idle_in_transaction_session_timeout TO ${silentTransactionMs}`,
    limitStatements(statementTimeoutMs),
    ...(schema === "telemetry" ? ["SET synchronous_commit TO off"] : []),
    ...(schema === "state" ? [contentWrites] : []),
  ];
  return statements.join("; ");
}

/** Ends statements that take longer; a lower limit of the database or its user stays. */
export function limitStatements(ms: number): string {
  return `SELECT set_config('statement_timeout', '${ms}', false)
    WHERE current_setting('statement_timeout')::interval NOT BETWEEN '1 ms' AND '${ms} ms'`;
}

/** Runs one query. @returns its rows @throws Fault `store-unavailable`, `store-refused` or `store-changed` (database-errors.ts). */
export async function queryPool<R>(pool: pg.Pool, text: string, values: unknown[]): Promise<R[]> {
  try {
    return (await pool.query(text, values)).rows as R[];
  } catch (error) {
    throw databaseFault(error);
  }
}

/** Which content the open transaction has written; SQLite has it as a table of migration 0040. */
const contentWrites = `CREATE TEMPORARY TABLE content_writes (kind TEXT COLLATE "C" NOT NULL, id TEXT COLLATE "C" NOT NULL,
  team_id TEXT COLLATE "C" NOT NULL, before TEXT, PRIMARY KEY (kind, id)) ON COMMIT DELETE ROWS`;

/** A database's address for messages, without the password. */
export function nameOfDatabase(url: string): string {
  const { host, database, port } = new pg.Client({ connectionString: url });
  return `postgres://${host}:${port}/${database ?? ""}`;
}
