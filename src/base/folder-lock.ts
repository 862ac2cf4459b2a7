// One program at a time in a data folder. The lock is the kernel's, so a program that dies frees it.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Fault } from "./fault.ts";

/**
 * Holds `folder` (made if need be, mode 0700) until disposed or the process ends.
 * @throws Fault `data-in-use` when another process holds it.
 */
export function lockFolder(folder: string): Disposable {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // SQLite takes POSIX locks, which Node alone does not offer: nothing is ever stored in this file.
  const lock = new DatabaseSync(join(folder, "lock.db"));
  try {
    lock.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (cause) {
    lock.close();
    throw new Fault("data-in-use", `another program uses ${folder}: stop it, or give another folder with --data`, { cause });
  }
  return { [Symbol.dispose]: () => lock.close() };
}
