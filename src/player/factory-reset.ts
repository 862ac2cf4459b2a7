// Finishes a factory reset: removes the player's stored data, and at last the note that it has to be removed.
import { readdir, rm } from "node:fs/promises";
import { isAbsolute, join, relative } from "node:path";
import { hasErrorCode } from "../base/fault.ts";
import { syncFolder } from "../base/files/durable-file.ts";
import type { Log } from "../base/log.ts";
import type { Host } from "./host.ts";
import { PendingReset, resetFileName } from "./pairing/pending-reset.ts";
import { DiskHealth } from "./storage/disk-health.ts";
import type { LauncherOptions } from "./update/updates.ts";

export interface FactoryResetOptions {
  folder: string;
  /** Its browser has files in the folder. */
  host: Pick<Host, "close">;
  /** Its files may be in the folder, but they belong to the program and not to the player. */
  launcher: Pick<LauncherOptions, "updatesFolder" | "statusFile"> | null;
  log: Log;
}

// The lock of the running program, and the data of a service that an Electron player contains.
const keptNames = /^(?:lock\.db|service(?:$|-))/;

/** Removes everything if a factory reset has begun. Resolves with whether it had. Safe to repeat after a crash at any point. */
export async function finishFactoryReset({ folder, host, launcher, log }: FactoryResetOptions): Promise<boolean> {
  const reset = await PendingReset.open(folder, new DiskHealth(log));
  if (reset.asked.value?.phase !== "wiping") return false;
  log.warn("factory reset: everything that the player has stored is removed");
  await host.close();
  const keep = launcher === null ? [] : [launcher.updatesFolder, launcher.statusFile];
  for (const name of await namesIn(folder)) {
    if (keptNames.test(name) || name.startsWith(resetFileName) || isKept(join(folder, name), keep)) continue;
    await rm(join(folder, name), { recursive: true, force: true, maxRetries: 5 });
  }
  await syncFolder(folder);
  await reset.clear();
  return true;
}

/** True if the path is, or contains, something to keep. */
function isKept(path: string, keep: readonly string[]): boolean {
  return keep.some((each) => {
    const below = relative(path, each);
    return !below.startsWith("..") && !isAbsolute(below);
  });
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return [];
    throw error;
  }
}
