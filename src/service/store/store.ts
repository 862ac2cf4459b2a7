// Persistence: kysely over node:sqlite. What must not be lost is synced at each commit, telemetry is not.
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { Kysely, SqliteDialect, type SqliteDatabase, type SqliteStatement } from "kysely";
import { Migrator, type Migration } from "kysely/migration";
import { playEventMigrations, type PlayEventTables } from "./telemetry-tables.ts";
import { migrations, telemetryMigrations } from "./migrations/index.ts";
import { checkMigrationHistory } from "./migrations/check-history.ts";
import type { Tables, TelemetryTables } from "./tables.ts";

/** The durable database, or a transaction on it. Inside a transaction use only what it gave you: the connection is one. */
export type Db = Kysely<Tables>;

/** What may be lost by a second: heartbeats and their history. */
export type TelemetryDb = Kysely<TelemetryTables>;

/** The databases of a data folder. */
export interface Store extends AsyncDisposable {
  db: Db;
  telemetry: TelemetryDb;
  /** Play events: synced like `db`, in a file of their own, since they come by the million. */
  plays: Kysely<PlayEventTables>;
  /** Runs `write` as one transaction. Writers come one after the other, so what they read stays true until they commit. */
  write<T>(write: (db: Db) => Promise<T>): Promise<T>;
  /** Hears of every transaction that was committed, by the handle that it wrote with. */
  onCommit(listener: (db: Db) => void): void;
}

/**
 * Opens (or makes) the databases in `folder` and brings them up to date.
 * @throws Fault `unsupported` when another version wrote them; otherwise when a file is no database or a migration fails.
 * Nothing is changed then.
 */
export async function openStore(folder: string): Promise<Store> {
  await using opened = new AsyncDisposableStack();
  // All are looked at before any is touched: a refused folder stays as it was.
  checkMigrationHistory(join(folder, "state.db"), migrations);
  checkMigrationHistory(join(folder, "telemetry.db"), telemetryMigrations);
  checkMigrationHistory(join(folder, "plays.db"), playEventMigrations);
  const db = await open<Tables>(join(folder, "state.db"), "FULL", migrations, opened);
  const telemetry = await open<TelemetryTables>(join(folder, "telemetry.db"), "NORMAL", telemetryMigrations, opened);
  const plays = await open<PlayEventTables>(join(folder, "plays.db"), "FULL", playEventMigrations, opened);
  const owned = opened.move();
  const listeners = new Set<(db: Db) => void>();
  return {
    db,
    telemetry,
    plays,
    write: async (write) => {
      const { result, transaction } = await db.transaction().execute(async (each) => ({ result: await write(each), transaction: each }));
      for (const listener of listeners) listener(transaction);
      return result;
    },
    onCommit: (listener) => void listeners.add(listener),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function open<T>(
  path: string,
  synchronous: "FULL" | "NORMAL",
  steps: Record<string, Migration>,
  owner: AsyncDisposableStack,
): Promise<Kysely<T>> {
  // Made by us first, so that only the owner may read it; SQLite gives its side files the same mode.
  closeSync(openSync(path, "a", 0o600));
  const file = new DatabaseSync(path, { timeout: 5_000 });
  file.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}; PRAGMA foreign_keys = ON`);
  const statements: Statements = new Map();
  const db = new Kysely<T>({ dialect: new SqliteDialect({ database: adaptDatabase(file, statements) }) });
  owner.defer(() => db.destroy());
  const { error } = await new Migrator({ db, provider: { getMigrations: async () => steps } }).migrateToLatest();
  if (error !== undefined) throw error;
  // What was prepared before the last migration may have other columns now.
  statements.clear();
  return db;
}

type Statements = Map<string, SqliteStatement>;
// Queries have a few hundred texts; lists with many parameters have more, which go oldest first.
const maxStatements = 500;

/** node:sqlite in the shape of better-sqlite3 that kysely's dialect expects; what was prepared is kept for the next time. */
export function adaptDatabase(file: DatabaseSync, statements: Statements = new Map()): SqliteDatabase {
  const prepare = (text: string): SqliteStatement => {
    const known = statements.get(text);
    if (known !== undefined) return known;
    const statement = file.prepare(text);
    const values = (given: readonly unknown[]) => given as readonly SQLInputValue[];
    const adapted: SqliteStatement = {
      reader: statement.columns().length > 0,
      all: (given) => statement.all(...values(given)),
      run: (given) => statement.run(...values(given)),
      // A stream keeps its place while others ask the same: it has a statement of its own.
      iterate: (given) => file.prepare(text).iterate(...values(given)),
    };
    if (statements.size >= maxStatements) statements.delete(statements.keys().next().value!);
    statements.set(text, adapted);
    return adapted;
  };
  return { close: () => file.close(), prepare };
}
