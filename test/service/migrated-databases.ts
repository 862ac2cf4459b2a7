// Databases as the service creates them in an empty data folder, migrated once for all tests of a process: the migrations take
// half of the CPU time of a start. They have tests of their own.
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "../support/folder.ts";
import { openStore } from "../../src/service/store/store.ts";

let made: Promise<ReadonlyMap<string, Buffer>> | null = null;

/** Writes the databases into a data folder that has none. */
export async function copyMigratedDatabases(folder: string): Promise<void> {
  made ??= makeDatabases();
  const files = await made;
  if ([...files.keys()].some((name) => existsSync(join(folder, name)))) return;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await Promise.all([...files].map(([name, bytes]) => writeFile(join(folder, name), bytes, { mode: 0o600 })));
}

async function makeDatabases(): Promise<ReadonlyMap<string, Buffer>> {
  await using folder = await temporaryFolder();
  await (await openStore(folder.path))[Symbol.asyncDispose]();
  const names = await readdir(folder.path);
  return new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(folder.path, name))] as const)));
}
