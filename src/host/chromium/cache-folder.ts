// Chromium's caches and temporary files, in memory: they are written all the time and need not outlive the browser.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { reasonOf } from "../../base/fault.ts";
import { isSystemError } from "../../base/files/system-error.ts";
import type { Log } from "../../base/log.ts";
import { createMemoryFolder, type MemoryFolder } from "../linux/memory-folder.ts";
import { type BrowserAccount, type Environment, runtimeFolders, shortHash } from "./account.ts";

/**
 * Creates the folder for a browser's caches, and removes the one of the profile's previous browser. That browser has to have ended.
 * Null if no folder in memory has room: the caches are then in the profile.
 */
export async function createCacheFolder(account: BrowserAccount, env: Environment, log: Log): Promise<MemoryFolder | null> {
  const { identity, profileFolder } = account;
  const name = `signage-cache-${shortHash(profileFolder)}`;
  const folder = await createMemoryFolder(runtimeFolders(env, identity), name, identity);
  if (folder === null) {
    log.warn({ folder: profileFolder }, "no folder in memory has room for the browser's caches: they are on the disk");
    return null;
  }
  try {
    // Earlier versions kept up to 256 MB there.
    for (const cache of ["Cache", "Code Cache"]) await rm(join(profileFolder, "Default", cache), { recursive: true, force: true });
  } catch (error) {
    // They only take up space.
    if (!isSystemError(error)) throw error;
    log.warn({ folder: profileFolder, reason: reasonOf(error) }, "old caches of the browser could not be removed");
  }
  return folder;
}
