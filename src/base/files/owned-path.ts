// Checks that nobody but the owner, usually root, can have written a file or folder.
import type { Stats } from "node:fs";
import { lstat } from "node:fs/promises";
import { isAbsolute, normalize, sep } from "node:path";
import { Fault } from "../fault.ts";

const writableByOthers = 0o022;
const sticky = 0o1000;

/**
 * The status of an absolute path if the path and every folder above it belong to `ownerUid` or root, are no links, and only the owner
 * may write to them. Checked from the root folder down: once a folder has passed, others can no longer exchange its content, so the
 * path may be used afterwards. @throws Fault `refused` with the reason, for people; the system's error if it does not exist.
 */
export async function checkOwnedPath(path: string, ownerUid: number): Promise<Stats> {
  if (!isAbsolute(path) || normalize(path) !== path) throw new Fault("refused", `${path} is not a complete path`);
  const names = path.split(sep).filter((name) => name !== "");
  let status = await checkOne(sep, ownerUid);
  let at = "";
  for (const name of names) {
    at = `${at}${sep}${name}`;
    status = await checkOne(at, ownerUid);
  }
  return status;
}

async function checkOne(path: string, ownerUid: number): Promise<Stats> {
  const status = await lstat(path);
  if (status.isSymbolicLink()) throw new Fault("refused", `${path} is a link`);
  if (status.uid !== ownerUid && status.uid !== 0) {
    throw new Fault("refused", `${path} belongs to user ${status.uid}, not to ${ownerUid === 0 ? "root" : `user ${ownerUid}`}`);
  }
  // In a sticky folder such as /tmp only the owner of a file can exchange it.
  const isSafeFolder = status.isDirectory() && (status.mode & sticky) !== 0;
  if ((status.mode & writableByOthers) !== 0 && !isSafeFolder)
    throw new Fault("refused", `others may write to ${path}: chmod go-w ${path}`);
  return status;
}
