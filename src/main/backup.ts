// signage-player backup and restore: a service's data folder to a file or a folder, and back; or its signing key alone.
import { join, resolve } from "node:path";
import { z } from "zod";
import { checkFlags, readFlags } from "../base/config.ts";
import { Fault } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import { dataFolder, readVersion } from "./folders.ts";

const backupUsage = "signage-player backup --to FILE.tar|DIR [--data DIR]";
const restoreUsage = "signage-player restore --from FILE.tar|DIR [--data DIR]";

const backupKeyUsage = "signage-player backup-key --to FILE [--data DIR]";
const restoreKeyUsage = "signage-player restore-key --from FILE [--data DIR] [--replace]";

const Path = z
  .string({ error: "must name a file or a folder" })
  .min(1, "must name a file or a folder")
  .transform((path) => resolve(path));
const data = z
  .string()
  .min(1, "must name a folder")
  .default(join(dataFolder(), "service"))
  .transform((path) => resolve(path));
const BackupFlags = z.object({ data, to: Path });
const RestoreFlags = z.object({ data, from: Path });
const RestoreKeyFlags = RestoreFlags.extend({ replace: z.boolean().default(false) });

/** @throws Fault `bad-config` in one line. */
export function readBackupConfig(argv: readonly string[]): z.infer<typeof BackupFlags> {
  const options = { data: { type: "string" }, to: { type: "string" } } as const;
  return checkFlags(BackupFlags.safeParse(readFlags(argv, options, backupUsage)), backupUsage);
}

/** @throws Fault `bad-config` in one line. */
export function readRestoreConfig(argv: readonly string[]): z.infer<typeof RestoreFlags> {
  const options = { data: { type: "string" }, from: { type: "string" } } as const;
  return checkFlags(RestoreFlags.safeParse(readFlags(argv, options, restoreUsage)), restoreUsage);
}

/** @throws Fault `bad-config` in one line. */
export function readBackupKeyConfig(argv: readonly string[]): z.infer<typeof BackupFlags> {
  const options = { data: { type: "string" }, to: { type: "string" } } as const;
  return checkFlags(BackupFlags.safeParse(readFlags(argv, options, backupKeyUsage)), backupKeyUsage);
}

/** @throws Fault `bad-config` in one line. */
export function readRestoreKeyConfig(argv: readonly string[]): z.infer<typeof RestoreKeyFlags> {
  const options = { data: { type: "string" }, from: { type: "string" }, replace: { type: "boolean" } } as const;
  return checkFlags(RestoreKeyFlags.safeParse(readFlags(argv, options, restoreKeyUsage)), restoreKeyUsage);
}

/** Saves the signing key alone. */
export async function runBackupKey(flags: z.infer<typeof BackupFlags>, log: Log): Promise<void> {
  const { backUpKey } = await import("../service/key-backup.ts");
  const key = await backUpKey(flags.data, flags.to);
  log.info({ to: flags.to, key }, "the signing key is saved: whoever has this file can command every player");
}

/** Brings a signing key back. */
export async function runRestoreKey(flags: z.infer<typeof RestoreKeyFlags>, log: Log): Promise<void> {
  const { restoreKey } = await import("../service/key-backup.ts");
  const { is, name: key } = await restoreKey(flags.from, flags.data, flags.replace);
  if (is === "same") log.info({ data: flags.data, key }, "the service has this key already");
  else if (is === "first") log.info({ data: flags.data, key }, "the signing key is restored");
  else
    log.warn(
      { data: flags.data, key },
      "the signing key is replaced: players paired with another one no longer obey until each is claimed again",
    );
}

/** Makes a backup. @throws Fault `file-corrupt` when it is made, but lacks files that the data folder lacked itself. */
export async function runBackup(flags: z.infer<typeof BackupFlags>, log: Log, signal: AbortSignal): Promise<void> {
  const { makeBackup } = await import("../service/backup/make.ts");
  const { files, sizeBytes, missing } = await makeBackup(flags.data, flags.to, readVersion(), log, signal);
  log.info({ to: flags.to, files, size_bytes: sizeBytes }, "backed up");
  if (missing.length === 0) return;
  const damage = `the backup is made, but ${missing.length} files were missing or damaged in ${flags.data} already: ${missing.slice(0, 5).join(", ")}`;
  throw new Fault("file-corrupt", damage);
}

/** Restores a backup. */
export async function runRestore(flags: z.infer<typeof RestoreFlags>, log: Log, signal: AbortSignal): Promise<void> {
  const { restoreBackup } = await import("../service/backup/restore.ts");
  const { created_at, files, missing } = await restoreBackup(flags.from, flags.data, log, signal);
  if (missing.length > 0) log.warn({ files: missing }, "these files were lost before the backup was made");
  log.info({ data: flags.data, created_at, files: files.length }, "restored");
}
