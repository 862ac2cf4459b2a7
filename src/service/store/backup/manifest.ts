// The manifest of a backup: which files it contains, with their sizes and hashes.
import { z } from "zod";

/** The last file of a backup. A backup without it is incomplete. */
export const manifestName = "manifest.json";

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
// The files of a data folder: plain files, blobs, unfinished uploads. No name may lead out of the folder.
const Name = z.string().regex(/^(?:[A-Za-z0-9][\w.-]{0,60}|blobs\/[0-9a-f]{2}\/[0-9a-f]{64}|uploads\/[A-Za-z0-9_]{1,60})$/);

const File = z.strictObject({ name: Name, size_bytes: z.int().min(0), sha256: Sha256 });
/** A file of a backup. */
export type BackupFile = z.infer<typeof File>;

export const Manifest = z.strictObject({
  format: z.literal("signage-player-backup-1"),
  version: z.string(),
  created_at: z.iso.datetime(),
  files: z.array(File),
  missing: z.array(Sha256).describe("Blobs that were missing or damaged in the data folder"),
});
export type Manifest = z.infer<typeof Manifest>;

/** True if a backup may contain a file of this name. */
export function isBackupName(name: string): boolean {
  return name === manifestName || Name.safeParse(name).success;
}

/** The path of a blob in a data folder. */
export function blobName(sha256: string): string {
  return `blobs/${sha256.slice(0, 2)}/${sha256}`;
}

/** The hash in the name of a blob; null for other files. */
export function hashInName(name: string): string | null {
  return /^blobs\/[0-9a-f]{2}\/([0-9a-f]{64})$/.exec(name)?.[1] ?? null;
}
