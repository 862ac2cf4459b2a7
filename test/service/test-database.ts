// The PostgreSQL database that belongs to a test's data folder, when the tests run on PostgreSQL.
import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startPostgres, type TestPostgres } from "../support/postgres.ts";
import { openStore, type Store } from "../../src/service/store/store.ts";

/** Whether tests of the service run on PostgreSQL. */
export const isOnPostgres = process.env["SIGNAGE_TEST_DATABASE"] === "postgres";

/** Whether every second commit fails (test/support/conflicts.ts): skip tests that count how often a write runs. */
export const hasConflicts = process.env["SIGNAGE_TEST_CONFLICTS"] === "1";

let server: Promise<TestPostgres> | null = null;
const databases = new Map<string, { url: Promise<string>; hadFolder: boolean }>();
const created = new Map<string, string>();

/** The server of the tests of this process. It ends with the process. */
export function sharedPostgres(): Promise<TestPostgres> {
  return (server ??= startPostgres());
}

/** The address of the database of a data folder, the same for each start of a service in it; null on SQLite. */
export async function databaseOf(folder: string): Promise<string | null> {
  if (!isOnPostgres) return null;
  const running = await sharedPostgres();
  await dropUnused(running);
  const known = databases.get(folder) ?? { url: running.createDatabase(), hadFolder: false };
  databases.set(folder, known);
  const url = await known.url;
  created.set(folder, url);
  return url;
}

/** The address of the database that {@link databaseOf} has created for a data folder; null on SQLite. */
export function createdDatabaseOf(folder: string): string | null {
  return created.get(folder) ?? null;
}

/** The flags of `serve` for the database of a data folder, which {@link databaseOf} names; none on SQLite. */
export async function databaseFlags(folder: string): Promise<string[]> {
  const database = await databaseOf(folder);
  return database === null ? [] : ["--database", database];
}

/** What an administrator without access does before a restart: deletes the token file, or empties it where several nodes may be. */
export async function dropAdminToken(folder: string): Promise<void> {
  const file = join(folder, "admin-token");
  await (isOnPostgres ? writeFile(file, "") : rm(file));
}

/** Opens the databases of a data folder in the engine that the tests run on. */
export async function openTestStore(folder: string): Promise<Store> {
  const database = await databaseOf(folder);
  if (database === null) return openStore(folder);
  const { openPostgresStore } = await import("../../src/service/store/postgres/postgres-store.ts");
  return openPostgresStore(database);
}

/** Drops the databases of folders that are gone, since each takes 10 MB. */
async function dropUnused(running: TestPostgres): Promise<void> {
  for (const [folder, known] of databases) {
    const exists = existsSync(folder);
    known.hadFolder ||= exists;
    if (exists || !known.hadFolder) continue;
    databases.delete(folder);
    created.delete(folder);
    await running.dropDatabase(await known.url);
  }
}
