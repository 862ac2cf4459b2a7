// The player's data folder at the start: locked, unless it cannot be used; then the player plays its content, or waits for the folder.
import { statSync } from "node:fs";
import { join } from "node:path";
import { lockFolder } from "../../base/files/folder-lock.ts";
import { isReadFailure } from "../../base/files/system-error.ts";
import { hasErrorCode, isFault, reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";

/** The lock of a data folder, or the wish for one. */
export interface PlayerFolderLock extends Disposable {
  /** Locks the folder if the disk did not allow that before. @throws Fault `data-in-use`. */
  lockAgain(): void;
}

/**
 * Locks `folder`, created if missing, until disposed. A folder that may hold a player's data, but cannot be written or read because its
 * disk is read-only, full or broken, is used without a lock: a dark screen would be worse.
 * @throws Fault `data-in-use` when another process holds the lock; `folder-unusable` when there is nothing to play.
 */
export function lockPlayerFolder(folder: string, log: Log): PlayerFolderLock {
  let lock = tryToLock(folder, log);
  return {
    lockAgain: () => {
      lock ??= tryToLock(folder, log);
    },
    [Symbol.dispose]: () => lock?.[Symbol.dispose](),
  };
}

function tryToLock(folder: string, log: Log): Disposable | null {
  try {
    return lockFolder(folder);
  } catch (error) {
    if (isFault(error, "data-in-use") || !mayHavePlayer(folder)) throw error;
    log.error({ folder, reason: reasonOf(error) }, "the data folder cannot be used as usual: playing what it has");
    return null;
  }
}

/** True if a player's files are there, or if a failing disk may hide them. */
function mayHavePlayer(folder: string): boolean {
  return ["pairing.json", "copies/pairing.json"].some((name) => {
    try {
      return statSync(join(folder, name), { throwIfNoEntry: false }) !== undefined;
    } catch (error) {
      // A folder that this user may not enter, or that is none, is a wrong one.
      return isReadFailure(error) && !hasErrorCode(error, "EACCES", "EPERM", "ENOTDIR", "ELOOP", "ENAMETOOLONG");
    }
  });
}
