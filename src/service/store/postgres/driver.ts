// The driver that kysely uses for PostgreSQL: connections of a pool, prepared once each, and its errors as faults.
import {
  AbortedTransactionError,
  PostgresDialect,
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
} from "kysely";
import type { Pool, PoolClient } from "pg";
import { databaseFault, hasSqlState, meaningOf } from "../database-errors.ts";

interface DriverOptions {
  pool: Pool;
  /** Runs once on every new connection. */
  prepare: string;
  /** Begins a transaction. */
  begin: string;
}

/** kysely's dialect of PostgreSQL with {@link PooledDriver}. */
export class PooledDialect extends PostgresDialect {
  readonly #options: DriverOptions;

  constructor(options: DriverOptions) {
    super({ pool: options.pool });
    this.#options = options;
  }

  override createDriver(): Driver {
    return new PooledDriver(this.#options);
  }
}

/** Does not end the pool: several drivers may share one. */
class PooledDriver implements Driver {
  readonly #options: DriverOptions;
  // The pool gives the same client again, with its temporary tables and settings.
  readonly #prepared = preparedClients;

  constructor(options: DriverOptions) {
    this.#options = options;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PooledConnection> {
    const { pool, prepare } = this.#options;
    const client = await pool.connect().catch(throwFault);
    const connection = new PooledConnection(client);
    if (this.#prepared.has(client)) return connection;
    try {
      await connection.run(prepare);
    } catch (error) {
      client.release(true);
      throw error;
    }
    this.#prepared.add(client);
    return connection;
  }

  async beginTransaction(connection: PooledConnection): Promise<void> {
    try {
      await connection.run(this.#options.begin);
    } catch (error) {
      // It may have begun before one of its statements failed: the next user of the connection would find it open.
      await this.rollbackTransaction(connection);
      throw error;
    }
  }

  async commitTransaction(connection: PooledConnection): Promise<void> {
    let tag: string;
    try {
      tag = await connection.run("commit");
    } catch (error) {
      // The commit empties the session's temporary table, which PostgreSQL cannot roll back: cancelled in the middle, it leaves a broken
      // index (heap_truncate in its source: "This is not transaction-safe!"). A conflict is found only after that.
      if (!hasSqlState(error, "40001")) connection.isBroken = true;
      throw error;
    }
    // PostgreSQL answers with ROLLBACK if an earlier statement of the transaction failed.
    if (tag === "ROLLBACK") throw new AbortedTransactionError();
  }

  async rollbackTransaction(connection: PooledConnection): Promise<void> {
    // The transaction of a connection that is gone has ended.
    if (connection.isBroken) return;
    try {
      await connection.run("rollback");
    } catch (error) {
      connection.isBroken = true;
      throw error;
    }
  }

  async releaseConnection(connection: PooledConnection): Promise<void> {
    connection.release();
  }

  async destroy(): Promise<void> {}
}

const preparedClients = new WeakSet<PoolClient>();

class PooledConnection implements DatabaseConnection {
  readonly #client: PoolClient;
  isBroken = false;

  constructor(client: PoolClient) {
    this.#client = client;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    try {
      const { command, rowCount, rows } = await this.#client.query(sql, parameters as unknown[]);
      const hasCount = command === "INSERT" || command === "UPDATE" || command === "DELETE";
      return { rows: (rows ?? []) as R[], ...(hasCount ? { numAffectedRows: BigInt(rowCount ?? 0) } : {}) };
    } catch (error) {
      throw this.#checked(error);
    }
  }

  /** Runs statements without parameters. @returns the tag of the last one */
  async run(statements: string): Promise<string> {
    try {
      const results: { command: string } | { command: string }[] = await this.#client.query(statements);
      return Array.isArray(results) ? results.at(-1)!.command : results.command;
    } catch (error) {
      throw this.#checked(error);
    }
  }

  // oxlint-disable-next-line require-yield -- no query of the service is streamed from PostgreSQL
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new TypeError("queries are not streamed from PostgreSQL");
  }

  /** A broken connection leaves the pool. */
  release(): void {
    this.#client.release(this.isBroken);
  }

  #checked(error: unknown): unknown {
    if (meaningOf(error) === "reconnects") this.isBroken = true;
    return databaseFault(error);
  }
}

function throwFault(error: unknown): never {
  throw databaseFault(error);
}
