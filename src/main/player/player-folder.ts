// The player's data folder at the start: locked, unless it cannot be written; then the player plays what it has there.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { lockFolder } from "../../base/files/folder-lock.ts";
import { isFault, reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";

/**
 * Locks `folder`, created if missing, until disposed. A folder that holds a player's data but cannot be written, because its disk is
 * read-only, full or broken, is used without a lock: a dark screen would be worse.
 * @throws Fault `data-in-use` when another process holds the lock; `folder-unusable` when there is nothing to play.
 */
export function lockPlayerFolder(folder: string, log: Log): Disposable {
  try {
    return lockFolder(folder);
  } catch (error) {
    if (!isFault(error, "folder-unusable") || !hasPlayer(folder)) throw error;
    log.error({ folder, reason: reasonOf(error) }, "the data folder cannot be written: playing what it has");
    return { [Symbol.dispose]: () => undefined };
  }
}

function hasPlayer(folder: string): boolean {
  return ["pairing.json", "copies/pairing.json"].some((name) => existsSync(join(folder, name)));
}
