// Makes a program's data folder, and says in one sentence why it cannot be used.
import { accessSync, constants, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { Fault } from "../fault.ts";

const folderMode = 0o700;

/**
 * Makes `folder`, and what is missing above it, with mode 0700, and makes sure that this program may write there.
 * @throws Fault `folder-unusable` that says why and what to do.
 */
export function makeDataFolder(folder: string): void {
  try {
    // One by one: Node 24's recursive mkdir never returns below /proc, where the kernel answers ENOENT for a folder that is there.
    for (const missing of missingOf(folder)) makeUnlessThere(missing);
    if (!statSync(folder).isDirectory()) throw unusable(folder, "it is a file, not a folder");
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw folderFault(folder, error) ?? error;
  }
}

/** What a failed access to `folder` means for whoever chose it; null when the error tells nothing about the folder. */
export function folderFault(folder: string, error: unknown): Fault | null {
  const code = error instanceof Error && "code" in error ? error.code : null;
  const why = typeof code === "string" ? reasons[code] : undefined;
  return why === undefined ? null : unusable(folder, why, error);
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: "this user has no right to write there",
  EPERM: "this user has no right to write there",
  EROFS: "its file system is read-only",
  ENOTDIR: "a file stands where a folder should be",
  ENOENT: "no folder can be made there",
  ENOSPC: "its disk is full",
  EDQUOT: "this user's share of the disk is used up",
  ELOOP: "its symbolic links lead in a circle",
  ENAMETOOLONG: "its name is too long",
};

function unusable(folder: string, why: string, cause?: unknown): Fault {
  return new Fault("folder-unusable", `${folder} cannot hold the data: ${why}. Give another folder with --data`, { cause });
}

/** The folders that are not there yet, from the top down. */
function missingOf(folder: string): string[] {
  const missing: string[] = [];
  for (let each = folder; statSync(each, { throwIfNoEntry: false }) === undefined; each = dirname(each)) missing.unshift(each);
  return missing;
}

function makeUnlessThere(folder: string): void {
  try {
    mkdirSync(folder, { mode: folderMode });
  } catch (error) {
    // Another program made it meanwhile.
    if (statSync(folder, { throwIfNoEntry: false }) === undefined) throw error;
  }
}
