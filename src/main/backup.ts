// signage-player backup and restore: a service's data folder to a file or a folder, and back.
import { join, resolve } from "node:path";
import { z } from "zod";
import { checkFlags, readFlags } from "../base/config.ts";
import { Fault } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import { dataFolder, readVersion } from "./folders.ts";

const backupUsage = "signage-player backup --to FILE.tar|DIR [--data DIR]";
const restoreUsage = "signage-player restore --from FILE.tar|DIR [--data DIR]";

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
