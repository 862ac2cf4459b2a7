// Creates a program's data folder, and explains in one sentence why a folder cannot be used.
import { accessSync, constants, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { Fault } from "../fault.ts";

const folderMode = 0o700;

/**
 * Creates `folder` and its missing parents with mode 0700, and checks that this program may write there.
 * @throws Fault `folder-unusable` with the reason and the remedy.
 */
export function makeDataFolder(folder: string): void {
  try {
    // Not recursive: Node 24's recursive mkdir never returns below /proc, where the kernel reports ENOENT for existing folders.
    for (const missing of missingFolders(folder)) createIfMissing(missing);
    if (!statSync(folder).isDirectory()) throw unusable(folder, "it is a file, not a folder");
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw folderFault(folder, error) ?? error;
  }
}

/** Turns a failed access to `folder` into a Fault for the user who chose it; null when the error has another cause. */
export function folderFault(folder: string, error: unknown): Fault | null {
  const code = error instanceof Error && "code" in error ? error.code : null;
  const why = typeof code === "string" ? reasons[code] : undefined;
  return why === undefined ? null : unusable(folder, why, error);
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: "this user has no right to write there",
  EPERM: "this user has no right to write there",
  EROFS: "its file system is read-only",
  ENOTDIR: "part of the path is a file",
  ENOENT: "no folder can be created there",
  ENOSPC: "its disk is full",
  EDQUOT: "this user's disk quota is used up",
  ELOOP: "its symbolic links form a loop",
  ENAMETOOLONG: "its name is too long",
};

function unusable(folder: string, why: string, cause?: unknown): Fault {
  return new Fault("folder-unusable", `${folder} cannot hold the data: ${why}. Give another folder with --data`, { cause });
}

/** The folders that do not exist yet, parents first. */
function missingFolders(folder: string): string[] {
  const missing: string[] = [];
  for (let each = folder; statSync(each, { throwIfNoEntry: false }) === undefined; each = dirname(each)) missing.unshift(each);
  return missing;
}

function createIfMissing(folder: string): void {
  try {
    mkdirSync(folder, { mode: folderMode });
  } catch (error) {
    // Another program may have created it in the meantime.
    if (statSync(folder, { throwIfNoEntry: false }) === undefined) throw error;
  }
}
