// Replaces a file of the machine so that a power cut leaves the old one or the new one: write beside it, fsync, rename, fsync.
import { open, mkdir, rename, rm, symlink } from "node:fs/promises";
import { dirname } from "node:path";
import { syncFolder } from "../../base/files/durable-file.ts";

/** Mode and owner of a written file. Without an owner it belongs to the user that runs setup. */
export interface FileRights {
  mode: number;
  owner?: { uid: number; gid: number };
}

/** For a medium such as FAT, which has no rights of its own and refuses to change them. */
export const noRights = "none";

/**
 * Replaces `path` by a file with this text, and creates its folder if it is missing. Resolves once that survives power loss.
 * The temporary file is created anew, so that no link which another user put there is followed.
 */
export async function replaceFile(path: string, text: string, rights: FileRights | typeof noRights): Promise<void> {
  const temporary = `${path}.new`;
  await mkdir(dirname(path), { recursive: true });
  await rm(temporary, { force: true });
  try {
    const file = await open(temporary, "wx", 0o600);
    try {
      // Before there is anything to read. The umask must not decide.
      if (rights !== noRights) await file.chmod(rights.mode);
      if (rights !== noRights && rights.owner !== undefined) await file.chown(rights.owner.uid, rights.owner.gid);
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Replaces `path` by a symbolic link. */
export async function replaceLink(path: string, target: string): Promise<void> {
  const temporary = `${path}.new`;
  await mkdir(dirname(path), { recursive: true });
  await rm(temporary, { force: true });
  await symlink(target, temporary);
  await rename(temporary, path);
  await syncFolder(dirname(path));
}
