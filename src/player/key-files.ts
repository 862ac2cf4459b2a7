// The data that every start of a player needs: its key, and a pending reset. Read from its folder, unless the disk fails.
import type { Log } from "../base/log.ts";
import { Identity } from "./pairing/identity.ts";
import { PendingReset } from "./pairing/pending-reset.ts";
import { DiskHealth } from "./storage/disk-health.ts";

/** The disk failed to read data without which the player cannot start. */
export interface UnreadableDisk {
  is: "unreadable";
  error: unknown;
  /** Reads it again; rejects as long as the disk fails. */
  read: () => Promise<unknown>;
}

export interface KeyFiles {
  disk: DiskHealth;
  identity: Identity;
  reset: PendingReset;
}

/** @throws the system's error when the disk fails to read them. */
export async function readKeyFiles(folder: string, log: Log): Promise<KeyFiles> {
  const disk = new DiskHealth(log);
  return { disk, identity: await Identity.open(folder, log, disk), reset: await PendingReset.open(folder, disk) };
}

/** In their place while the disk fails: a key that is not stored, so that none replaces one that may be there. */
export function withoutKeyFiles(folder: string, log: Log): KeyFiles {
  return { disk: new DiskHealth(log), identity: Identity.temporary(), reset: PendingReset.none(folder) };
}

/** True if the disk failed to read data that the start needs, such as the address of the service. */
export function isUnreadable(read: object): read is UnreadableDisk {
  return "is" in read && read.is === "unreadable";
}
