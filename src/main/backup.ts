// signage-player backup and restore: copies a service's data folder, or only its signing key, to a file or folder and back.
import { join } from "node:path";
import { z } from "zod";
import { checkFlags, readFlags, defineUsage } from "../base/config.ts";
import { Fault } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import { commandName, dataFolder, readVersion } from "./folders.ts";

const cli = commandName("node_modules/.bin/node src/main/cli.ts");
const database = { value: "postgres://…", help: "Refused: a PostgreSQL database is backed up by its own tools" } as const;
const folder = { value: "SERVICE_DIR", help: `The service's data folder (default ${join(dataFolder(), "service")})` } as const;
/** Flags of the program. */
export const backupUsage = defineUsage({
  command: `${cli} backup`,
  summary: "Copies all data of the service, including its keys and tokens, while it runs.",
  flags: { to: { value: "FILE.tar|DIR", help: "The backup to write" }, data: folder, database },
});
/** Flags of the program. */
export const restoreUsage = defineUsage({
  command: `${cli} restore`,
  summary: "Creates a data folder from a backup, after checking every file of it.",
  flags: { from: { value: "FILE.tar|DIR", help: "The backup" }, data: folder, database },
});
/** Flags of the program. */
export const backupKeyUsage = defineUsage({
  command: `${cli} backup-key`,
  summary: "Saves only the service's signing key, by which players recognize the service.",
  flags: { to: { value: "FILE", help: "The file to write; keep it secret" }, data: folder, database },
});
/** Flags of the program. */
export const restoreKeyUsage = defineUsage({
  command: `${cli} restore-key`,
  summary: "Restores a saved signing key. The service must be stopped.",
  flags: {
    from: { value: "FILE", help: "The saved key" },
    data: folder,
    database,
    replace: { help: "Replace a different key; players paired with that key must be claimed again" },
  },
});

const Path = z.string({ error: "must name a file or a folder" }).min(1, "must name a file or a folder");
const data = z.string().min(1, "must name a folder").default(join(dataFolder(), "service"));
const noDatabase = z
  .undefined({
    error:
      "not for PostgreSQL: back it up with pg_dump or pgBackRest (the signing key is in it), and the bucket by versioning; after a restore run migrate --after-restore. See docs/scaling-backup.md",
  })
  .optional();
const BackupFlags = z.object({ data, to: Path, database: noDatabase });
const RestoreFlags = z.object({ data, from: Path, database: noDatabase });
const RestoreKeyFlags = RestoreFlags.extend({ replace: z.boolean().default(false) });

/** @throws Fault `bad-config` in one line. */
export function readBackupConfig(argv: readonly string[]): z.infer<typeof BackupFlags> {
  return checkFlags(BackupFlags.safeParse(readFlags(argv, backupUsage)), backupUsage);
}

/** @throws Fault `bad-config` in one line. */
export function readRestoreConfig(argv: readonly string[]): z.infer<typeof RestoreFlags> {
  return checkFlags(RestoreFlags.safeParse(readFlags(argv, restoreUsage)), restoreUsage);
}

/** @throws Fault `bad-config` in one line. */
export function readBackupKeyConfig(argv: readonly string[]): z.infer<typeof BackupFlags> {
  return checkFlags(BackupFlags.safeParse(readFlags(argv, backupKeyUsage)), backupKeyUsage);
}

/** @throws Fault `bad-config` in one line. */
export function readRestoreKeyConfig(argv: readonly string[]): z.infer<typeof RestoreKeyFlags> {
  return checkFlags(RestoreKeyFlags.safeParse(readFlags(argv, restoreKeyUsage)), restoreKeyUsage);
}

/** Saves only the signing key. */
export async function runBackupKey(flags: z.infer<typeof BackupFlags>, log: Log): Promise<void> {
  const { backUpKey } = await import("../service/fleet/devices/key-backup.ts");
  const key = await backUpKey(flags.data, flags.to);
  log.info({ to: flags.to, key }, "signing key saved; anyone with this file can send commands to every player");
}

/** Restores a signing key. */
export async function runRestoreKey(flags: z.infer<typeof RestoreKeyFlags>, log: Log): Promise<void> {
  const { restoreKey } = await import("../service/fleet/devices/key-backup.ts");
  const { is, name: key } = await restoreKey(flags.from, flags.data, flags.replace);
  if (is === "same") log.info({ data: flags.data, key }, "the service has this key already");
  else if (is === "first") log.info({ data: flags.data, key }, "signing key restored");
  else
    log.warn(
      { data: flags.data, key },
      "signing key replaced; players paired with the previous key reject commands until they are claimed again",
    );
}

/** Makes a backup. @throws Fault `file-corrupt` after writing it, if files were already missing or damaged in the data folder. */
export async function runBackup(flags: z.infer<typeof BackupFlags>, log: Log, signal: AbortSignal): Promise<void> {
  const { createBackup } = await import("../service/store/backup/create.ts");
  const { files, sizeBytes, missing } = await createBackup(flags.data, flags.to, readVersion(), log, signal);
  if (missing.length === 0) return log.info({ to: flags.to, files, size_bytes: sizeBytes }, "backed up");
  const damage = `the backup was written, but ${missing.length} files were already missing or damaged in ${flags.data}: ${missing.slice(0, 5).join(", ")}`;
  throw new Fault("file-corrupt", damage);
}

/** Restores a backup. */
export async function runRestore(flags: z.infer<typeof RestoreFlags>, log: Log, signal: AbortSignal): Promise<void> {
  const { restoreBackup } = await import("../service/store/backup/restore.ts");
  const { created_at, files, missing } = await restoreBackup(flags.from, flags.data, log, signal);
  if (missing.length > 0) log.warn({ files: missing }, "these files were missing when the backup was made");
  log.info({ data: flags.data, created_at, files: files.length }, "restored");
}
