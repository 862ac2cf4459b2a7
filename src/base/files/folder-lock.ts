// Locks a data folder for one program. The kernel releases the lock when the program dies.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { makeDataFolder } from "./data-folder.ts";
import { Fault, reasonOf } from "../fault.ts";

/**
 * Locks `folder`, created with mode 0700 if missing, until disposed or until the process ends.
 * @throws Fault `data-in-use` when another process holds the lock; `folder-unusable` when the folder cannot be written.
 */
export function lockFolder(folder: string): Disposable {
  makeDataFolder(folder);
  // SQLite is used only for its POSIX locks, which Node does not offer. Nothing is stored in this file.
  const file = join(folder, "lock.db");
  let lock: DatabaseSync | null = null;
  try {
    lock = new DatabaseSync(file);
    lock.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (cause) {
    lock?.close();
    if (!isBusy(cause))
      throw new Fault("folder-unusable", `${file} cannot be opened: ${reasonOf(cause)}. Does it belong to another user?`, { cause });
    throw new Fault("data-in-use", `another program uses ${folder}: stop it, or give another folder with --data`, { cause });
  }
  return { [Symbol.dispose]: () => lock.close() };
}

// https://www.sqlite.org/rescode.html#busy
const sqliteBusy = 5;

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === sqliteBusy;
}
