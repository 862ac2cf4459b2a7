// One program at a time in a data folder. The lock is the kernel's, so a program that dies frees it.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { makeDataFolder } from "./data-folder.ts";
import { Fault, reasonOf } from "../fault.ts";

/**
 * Holds `folder` (made if need be, mode 0700) until disposed or the process ends.
 * @throws Fault `data-in-use` when another process holds it; `folder-unusable` when nothing can be kept there.
 */
export function lockFolder(folder: string): Disposable {
  makeDataFolder(folder);
  // SQLite takes POSIX locks, which Node alone does not offer: nothing is ever stored in this file.
  const file = join(folder, "lock.db");
  let lock: DatabaseSync | null = null;
  try {
    lock = new DatabaseSync(file);
    lock.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (cause) {
    lock?.close();
    if (!isBusy(cause))
      throw new Fault("folder-unusable", `${file} cannot be opened: ${reasonOf(cause)}. Is it another user's?`, { cause });
    throw new Fault("data-in-use", `another program uses ${folder}: stop it, or give another folder with --data`, { cause });
  }
  return { [Symbol.dispose]: () => lock.close() };
}

// https://www.sqlite.org/rescode.html#busy
const sqliteBusy = 5;

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === sqliteBusy;
}
