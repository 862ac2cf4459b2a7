// Refuses a database that another version wrote, in words for whoever installed this one.
import { existsSync } from "node:fs";
import { basename, dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Fault } from "../../../base/fault.ts";

/**
 * Looks at the steps that the database at `path` went through; one that is not there yet is fine.
 * @param steps what this version knows, by name.
 * @throws Fault `unsupported` when it went through others, or in another order.
 */
export function checkMigrationHistory(path: string, steps: Readonly<Record<string, unknown>>): void {
  const taken = stepsOf(path);
  const known = Object.keys(steps).toSorted();
  const [name, folder] = [basename(path), dirname(path)];
  const newer = taken.filter((step) => !known.includes(step));
  if (newer.length > 0) {
    throw new Fault(
      "unsupported",
      `${folder} was written by a newer version (${name} has ${newer.join(", ")}): install that version again, or restore a backup made by this one`,
    );
  }
  if (taken.some((step, place) => step !== known[place])) {
    throw new Fault(
      "unsupported",
      `${folder} was written by a version that was never released (${name} lacks ${known.find((step) => !taken.includes(step))}): start with another --data folder`,
    );
  }
}

function stepsOf(path: string): string[] {
  if (!existsSync(path)) return [];
  const file = new DatabaseSync(path, { timeout: 5_000 });
  try {
    const has = file.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'kysely_migration'").get();
    if (has === undefined) return [];
    return file
      .prepare("SELECT name FROM kysely_migration ORDER BY name")
      .all()
      .map(({ name }) => String(name));
  } finally {
    file.close();
  }
}
