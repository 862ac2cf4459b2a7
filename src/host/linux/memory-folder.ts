// A folder in memory for files of a browser that need not outlive it: caches and temporary files, which would wear out a disk.
import { chmod, lchown, lstat, mkdtemp, readdir, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import { isSystemError } from "../../base/files/system-error.ts";

/** A folder in memory. Whoever created it removes it, see {@link removeMemoryFolder}. */
export interface MemoryFolder {
  path: string;
  /** How large each cache in this folder may become. */
  cacheBytes: number;
}

// Types of file systems whose files are in memory, see statfs(2).
const memoryFileSystems = [0x01021994 /* tmpfs */, 0x858458f6 /* ramfs */];

const mebibyte = 2 ** 20;
// Docker's /dev/shm has 64 MiB. With less room the browser's temporary files could use it up.
const smallestRoomBytes = 48 * mebibyte;
const largestCacheBytes = 64 * mebibyte;
// Chromium limits its HTTP cache and its code cache separately. The rest is for temporary files, and for other programs.
const cacheShare = 1 / 8;

/**
 * Creates an empty folder in the one of `parents` that is in memory and has the most room; null if there is none. Removes
 * folders of the same `name` that a killed process left.
 * @param owner of the folder; null for this process's user.
 */
export async function createMemoryFolder(
  parents: readonly string[],
  name: string,
  owner: { uid: number; gid: number } | null,
): Promise<MemoryFolder | null> {
  for (const { parent, freeBytes } of await findRoom(parents)) {
    try {
      await removeOldFolders(parent, name, owner?.uid ?? process.getuid?.());
      // A random name, which nobody can occupy beforehand in a folder that all users share.
      const path = await mkdtemp(join(parent, `${name}-`));
      if (owner !== null) await lchown(path, owner.uid, owner.gid);
      await chmod(path, 0o700);
      return { path, cacheBytes: Math.min(largestCacheBytes, Math.floor(freeBytes * cacheShare)) };
    } catch (error) {
      // Another parent may be writable.
      if (!isSystemError(error)) throw error;
    }
  }
  return null;
}

/** Removes the folder. Processes that are just ending may still write to it. */
export async function removeMemoryFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}

/** Those of `parents` that are in memory and have room, the one with the most room first. */
async function findRoom(parents: readonly string[]): Promise<{ parent: string; freeBytes: number }[]> {
  const folders = await Promise.all(
    parents.map(async (parent) => {
      const about = await statfs(parent).catch(() => null); // there is no such folder, or it may not be entered
      const isInMemory = about !== null && memoryFileSystems.includes(about.type);
      return { parent, freeBytes: isInMemory ? about.bavail * about.bsize : 0 };
    }),
  );
  return folders.filter(({ freeBytes }) => freeBytes >= smallestRoomBytes).toSorted((a, b) => b.freeBytes - a.freeBytes);
}

async function removeOldFolders(parent: string, name: string, uid: number | undefined): Promise<void> {
  for (const each of await readdir(parent)) {
    const path = join(parent, each);
    // Everyone can create a folder of this name in a folder that all users share.
    if (each.startsWith(`${name}-`) && (await lstat(path)).uid === uid) await removeMemoryFolder(path);
  }
}
