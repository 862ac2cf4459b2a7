// Rejects a database that an incompatible version wrote.
import { existsSync } from "node:fs";
import { basename, dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Fault } from "../../../base/fault.ts";

/**
 * Checks that the migrations of the database at `path` are the first ones of `known`. A missing database passes.
 * @throws Fault `unsupported` when the database has other migrations.
 */
export function checkMigrationHistory(path: string, known: Readonly<Record<string, unknown>>): void {
  const place = { database: dirname(path), part: basename(path), elsewhere: "start with another --data folder" };
  checkApplied(existsSync(path) ? readFrom(path, appliedMigrations) : [], known, place);
}

/** The same, and that all of `known` have run. @throws Fault `unsupported`. */
export function requireMigrated(path: string, known: Readonly<Record<string, unknown>>): void {
  checkMigrationHistory(path, known);
  if (existsSync(path) && readFrom(path, (file) => isMigrated(file, known))) return;
  throw new Fault("unsupported", `${dirname(path)} was written by an earlier version: start this version's service in it once`);
}

/** Parts of messages: the name of a database, the part of it that was checked, and the remedy. */
export interface CheckedPlace {
  database: string;
  part: string;
  elsewhere: string;
}

/**
 * Checks that `applied` migrations, in the order of their names, are the first ones of `known`.
 * @throws Fault `unsupported` when they are others.
 */
export function checkApplied(applied: readonly string[], known: Readonly<Record<string, unknown>>, place: CheckedPlace): void {
  const names = Object.keys(known).toSorted();
  const { database, part, elsewhere } = place;
  const newer = applied.filter((name) => !names.includes(name));
  if (newer.length > 0) {
    throw new Fault(
      "unsupported",
      `${database} was written by a newer version (${part} has ${newer.join(", ")}): install that version again, or restore a backup made by this one`,
    );
  }
  if (applied.some((name, index) => name !== names[index])) {
    throw new Fault(
      "unsupported",
      `${database} was written by a version that was never released (${part} lacks ${names.find((name) => !applied.includes(name))}): ${elsewhere}`,
    );
  }
}

/**
 * True if all of `known` have run in a database that has passed {@link checkMigrationHistory}. kysely's Migrator finds out the same by
 * reading every table's columns, which takes half of the time of opening.
 */
export function isMigrated(file: DatabaseSync, known: Readonly<Record<string, unknown>>): boolean {
  return appliedMigrations(file).length === Object.keys(known).length;
}

function readFrom<T>(path: string, read: (file: DatabaseSync) => T): T {
  const file = new DatabaseSync(path, { timeout: 5_000 });
  try {
    return read(file);
  } finally {
    file.close();
  }
}

function appliedMigrations(file: DatabaseSync): string[] {
  const table = file.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'kysely_migration'").get();
  if (table === undefined) return [];
  return file
    .prepare("SELECT name FROM kysely_migration ORDER BY name")
    .all()
    .map(({ name }) => String(name));
}
