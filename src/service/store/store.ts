// Opens the service's databases with kysely on node:sqlite. Every commit is synced, except in the telemetry database.
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { Kysely, SqliteAdapter, SqliteDialect, SqliteDriver, type Driver, type SqliteDatabase, type SqliteStatement } from "kysely";
import { Migrator, type Migration } from "kysely/migration";
import { databaseFault } from "./database-errors.ts";
import { migrations, telemetryMigrations } from "./migrations/index.ts";
import { checkMigrationHistory, isMigrated } from "./migrations/check-history.ts";
import { playEventMigrations } from "./migrations/play-events.ts";
import type { GrowingTable } from "./partitions/growing-tables.ts";
import type { Tables } from "./tables/tables.ts";
import type { PlayEventTables, TelemetryTables } from "./tables/telemetry.ts";

/** The durable database, or a transaction on it. Inside a transaction use only its handle: there is one connection. */
export type Db = Kysely<Tables>;

/** Heartbeats and their history. A power cut may lose the last second. */
export type TelemetryDb = Kysely<TelemetryTables>;

/** At `now`, rows from before `before` are deleted. Both in ms since the epoch. */
export interface Retention {
  now: number;
  before: number;
}

/** The partitions of the tables that grow with time. */
export interface Partitions {
  /**
   * Makes the partitions of the coming days, drops those that have only old rows, and deletes old rows that are in none. A partition that
   * cannot be changed because a query uses the table is left for the next call.
   */
  keep(table: GrowingTable["name"], retention: Retention, signal: AbortSignal): Promise<void>;
}

/** The databases of a service: three files of a data folder, or three schemas of a PostgreSQL database (postgres/postgres-store.ts). */
export interface Store extends AsyncDisposable {
  db: Db;
  telemetry: TelemetryDb;
  /** Play events: synced like `db`, but in a separate file, since there are millions of them. */
  plays: Kysely<PlayEventTables>;
  /** Null: the tables have no partitions, and old rows are deleted one by one. */
  partitions: Partitions | null;
  /**
   * Runs `write` as one transaction. Transactions run one after the other, so the data they read stays valid until their commit.
   * On PostgreSQL, `write` may run more than once, since other nodes write too: outside of the transaction it changes only values that it
   * assigns anew each time.
   */
  write<T>(write: (db: Db) => Promise<T>): Promise<T>;
  /** True if other nodes may write to the same databases. */
  isShared: boolean;
  /**
   * Runs `write` like {@link write}, while no other write of any node runs: for decisions and effects of a transaction outside of the
   * database.
   */
  writeAlone<T>(write: (db: Db) => Promise<T>): Promise<T>;
  /** Calls `listener` at the beginning of every transaction. If it rejects, the transaction rolls back. */
  onBegin(listener: (db: Db) => Promise<void>): void;
  /** Calls `listener` before every commit, in the transaction. If it rejects, the transaction rolls back. */
  beforeCommit(listener: (db: Db) => Promise<void>): void;
  /** Calls `listener` after every commit, with the handle of the transaction. */
  onCommit(listener: (db: Db) => void): void;
}

/**
 * Opens or creates the databases in `folder`, and migrates them.
 * @throws Fault `unsupported` when an incompatible version wrote them, Error when a file is no database or a migration fails.
 * Changes nothing then.
 */
export async function openStore(folder: string): Promise<Store> {
  await using opened = new AsyncDisposableStack();
  // Check all databases before changing one, so that a rejected folder stays unchanged.
  checkMigrationHistory(join(folder, "state.db"), migrations);
  checkMigrationHistory(join(folder, "telemetry.db"), telemetryMigrations);
  checkMigrationHistory(join(folder, "plays.db"), playEventMigrations);
  const db = await openDatabase<Tables>(join(folder, "state.db"), "FULL", migrations, opened);
  const telemetry = await openDatabase<TelemetryTables>(join(folder, "telemetry.db"), "NORMAL", telemetryMigrations, opened);
  const plays = await openDatabase<PlayEventTables>(join(folder, "plays.db"), "FULL", playEventMigrations, opened);
  const owned = opened.move();
  const hooks = new CommitHooks();
  const write: Store["write"] = (work) => hooks.run((each) => db.transaction().execute(each), work);
  return {
    db,
    telemetry,
    plays,
    partitions: null,
    isShared: false,
    write,
    writeAlone: write,
    onBegin: (listener) => hooks.onBegin(listener),
    beforeCommit: (listener) => hooks.beforeCommit(listener),
    onCommit: (listener) => hooks.onCommit(listener),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The listeners of a store's transactions. */
export class CommitHooks {
  readonly #starters: ((db: Db) => Promise<void>)[] = [];
  readonly #finishers: ((db: Db) => Promise<void>)[] = [];
  readonly #listeners = new Set<(db: Db) => void>();

  onBegin(listener: (db: Db) => Promise<void>): void {
    this.#starters.push(listener);
  }

  beforeCommit(listener: (db: Db) => Promise<void>): void {
    this.#finishers.push(listener);
  }

  onCommit(listener: (db: Db) => void): void {
    this.#listeners.add(listener);
  }

  /** Runs `write` in the transaction that `transact` opens, with the listeners. */
  async run<T>(transact: (work: (db: Db) => Promise<Written<T>>) => Promise<Written<T>>, write: (db: Db) => Promise<T>): Promise<T> {
    const { result, transaction } = await transact(async (each) => {
      for (const start of this.#starters) await start(each);
      const written = await write(each);
      for (const finish of this.#finishers) await finish(each);
      return { result: written, transaction: each };
    });
    for (const listener of this.#listeners) listener(transaction);
    return result;
  }
}

interface Written<T> {
  result: T;
  transaction: Db;
}

async function openDatabase<T>(
  path: string,
  synchronous: "FULL" | "NORMAL",
  known: Record<string, Migration>,
  owner: AsyncDisposableStack,
): Promise<Kysely<T>> {
  // Create the file first, readable by its owner only. SQLite gives its other files the same mode.
  closeSync(openSync(path, "a", 0o600));
  const file = new DatabaseSync(path, { timeout: 5_000 });
  file.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}; PRAGMA foreign_keys = ON`);
  const statements: Statements = new Map();
  const db = new Kysely<T>({ dialect: new TransactionalDialect(file, adaptDatabase(file, statements)) });
  owner.defer(() => db.destroy());
  if (!isMigrated(file, known)) {
    const { error } = await new Migrator({ db, provider: { getMigrations: async () => known } }).migrateToLatest();
    if (error !== undefined) throw error;
    // Statements that were prepared before a migration may have outdated columns.
    statements.clear();
  }
  return db;
}

/**
 * Migrates in one transaction, so that a migration that fails or is killed changes nothing, and a new database costs one sync.
 * SQLite can roll back CREATE and ALTER (https://www.sqlite.org/lang_transaction.html), but kysely does not rely on it.
 */
class TransactionalDialect extends SqliteDialect {
  readonly #file: DatabaseSync;
  readonly #database: SqliteDatabase;

  constructor(file: DatabaseSync, database: SqliteDatabase) {
    super({ database });
    this.#file = file;
    this.#database = database;
  }

  override createAdapter(): SqliteAdapter {
    return new TransactionalAdapter();
  }

  override createDriver(): Driver {
    return new TransactionalDriver(this.#file, this.#database);
  }
}

class TransactionalDriver extends SqliteDriver {
  readonly #file: DatabaseSync;

  constructor(file: DatabaseSync, database: SqliteDatabase) {
    super({ database });
    this.#file = file;
  }

  /** SQLite itself has rolled back after some errors, such as a full disk: another rollback would fail and hide them. */
  override async rollbackTransaction(...connection: Parameters<SqliteDriver["rollbackTransaction"]>): Promise<void> {
    if (this.#file.isTransaction) await super.rollbackTransaction(...connection);
  }
}

class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

type Statements = Map<string, SqliteStatement>;
// There are a few hundred different queries, plus variants of lists with many parameters. The oldest are dropped first.
const maxStatements = 500;

/**
 * Adapts node:sqlite to the interface of better-sqlite3, which kysely's dialect expects. Caches prepared statements, and throws errors as
 * the faults that they mean (database-errors.ts).
 */
export function adaptDatabase(file: DatabaseSync, statements: Statements = new Map()): SqliteDatabase {
  const prepare = (text: string): SqliteStatement => {
    const cached = statements.get(text);
    if (cached !== undefined) return cached;
    const statement = asFault(() => file.prepare(text));
    const values = (parameters: readonly unknown[]) => parameters as readonly SQLInputValue[];
    const adapted: SqliteStatement = {
      reader: statement.columns().length > 0,
      all: (parameters) => asFault(() => statement.all(...values(parameters))),
      run: (parameters) => asFault(() => statement.run(...values(parameters))),
      // A stream needs its own statement, since others may run the same query meanwhile.
      iterate: (parameters) => file.prepare(text).iterate(...values(parameters)),
    };
    if (statements.size >= maxStatements) statements.delete(statements.keys().next().value!);
    statements.set(text, adapted);
    return adapted;
  };
  return { close: () => file.close(), prepare };
}

function asFault<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw databaseFault(error);
  }
}
