// Persistence: kysely over node:sqlite. What must not be lost is synced at each commit, telemetry is not.
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { Kysely, SqliteDialect, type SqliteDatabase } from "kysely";
import { Migrator, type Migration } from "kysely/migration";
import { migrations, telemetryMigrations, type Tables, type TelemetryTables } from "./tables.ts";

/** The durable database, or a transaction on it. Inside a transaction use only what it gave you: the connection is one. */
export type Db = Kysely<Tables>;

/** Both databases of a data folder. */
export interface Store extends AsyncDisposable {
  db: Db;
  telemetry: Kysely<TelemetryTables>;
  /** Runs `write` as one transaction. Writers come one after the other, so what they read stays true until they commit. */
  write<T>(write: (db: Db) => Promise<T>): Promise<T>;
  /** Hears of every transaction that was committed. */
  onCommit(listener: () => void): void;
}

/**
 * Opens (or makes) the databases in `folder` and brings them up to date.
 * @throws when a file is no database or a migration fails; nothing is changed then.
 */
export async function openStore(folder: string): Promise<Store> {
  await using opened = new AsyncDisposableStack();
  const db = await open<Tables>(join(folder, "state.db"), "FULL", migrations, opened);
  const telemetry = await open<TelemetryTables>(join(folder, "telemetry.db"), "NORMAL", telemetryMigrations, opened);
  const owned = opened.move();
  const listeners = new Set<() => void>();
  return {
    db,
    telemetry,
    write: async (write) => {
      const result = await db.transaction().execute(write);
      for (const listener of listeners) listener();
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
  const db = new Kysely<T>({ dialect: new SqliteDialect({ database: adapt(file) }) });
  owner.defer(() => db.destroy());
  const { error } = await new Migrator({ db, provider: { getMigrations: async () => steps } }).migrateToLatest();
  if (error !== undefined) throw error;
  return db;
}

/** node:sqlite in the shape of better-sqlite3 that kysely's dialect expects. */
function adapt(file: DatabaseSync): SqliteDatabase {
  return {
    close: () => file.close(),
    prepare: (text) => {
      const statement = file.prepare(text);
      const values = (given: readonly unknown[]) => given as readonly SQLInputValue[];
      return {
        reader: statement.columns().length > 0,
        all: (given) => statement.all(...values(given)),
        run: (given) => statement.run(...values(given)),
        iterate: (given) => statement.iterate(...values(given)),
      };
    },
  };
}
