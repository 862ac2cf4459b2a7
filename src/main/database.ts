// signage-player migrate and move: prepares a PostgreSQL database for the service, and takes a data folder over into one.
import { join } from "node:path";
import { z } from "zod";
import { checkFlags, defineUsage, readFlags } from "../base/config.ts";
import type { Log } from "../base/log.ts";
import type { S3Config } from "../service/content/blobs/s3/config.ts";
import type { MoveBlobs } from "../service/store/move/move.ts";
import { DatabaseAddress } from "./flags.ts";
import { checkS3Flags, readS3Flags, s3AccessFlags, s3AccessUsage, s3Flags, s3Usage } from "./s3-flags.ts";
import { commandName, dataFolder } from "./folders.ts";

const cli = commandName("node_modules/.bin/node src/main/cli.ts");
const address = "postgres://…";

/** Flags of the program. */
export const migrateUsage = defineUsage({
  command: `${cli} migrate`,
  summary: "Creates or migrates the service's tables in a PostgreSQL database, which a service also does when it starts.",
  flags: {
    database: { value: address, help: "The database; its user may create schemas in it" },
    "after-restore": {
      help: "The database was restored from a backup or copied to another server, and no node uses it: players fetch everything once",
    },
  },
});
/** Flags of the program. */
export const moveUsage = defineUsage({
  command: `${cli} move`,
  summary:
    "Copies the data of a stopped service from its folder into an empty PostgreSQL database, and its assets into a bucket, and compares both.",
  flags: {
    from: { value: "SERVICE_DIR", help: `The service's data folder (default ${join(dataFolder(), "service")}), which stays as it is` },
    to: { value: address, help: "The database" },
    blobs: { ...s3Usage.blobs, help: "Bucket for assets and other files, which are copied there (default: they stay in SERVICE_DIR)" },
    ...s3AccessUsage,
  },
  notes: [
    "Without --blobs assets stay in the folder: start the service with --data SERVICE_DIR and --database afterwards.",
    "After an interruption, run it again: what is in the bucket is not sent again.",
  ],
});

// Only a service keeps copies and redirects.
const unused = { "blob-cache-gb": undefined, "s3-redirect": false, "blobs-url": undefined };
const MigrateFlags = z.object({ database: DatabaseAddress, "after-restore": z.boolean().default(false) });
const MoveFlags = z
  .object({
    from: z.string().min(1, "must name a folder").default(join(dataFolder(), "service")),
    to: DatabaseAddress,
    blobs: s3Flags.blobs,
    ...s3AccessFlags,
  })
  .superRefine((flags, context) =>
    checkS3Flags({ ...flags, ...unused }, process.env, (flag, message) => context.addIssue({ code: "custom", path: [flag], message })),
  )
  .transform((flags) => ({ from: flags.from, to: flags.to, s3: readS3Flags({ ...flags, ...unused }, process.env) }));

/** @throws Fault `bad-config` in one line. */
export function readMigrateConfig(argv: readonly string[]): z.infer<typeof MigrateFlags> {
  return checkFlags(MigrateFlags.safeParse(readFlags(argv, migrateUsage)), migrateUsage);
}

/** @throws Fault `bad-config` in one line. */
export function readMoveConfig(argv: readonly string[]): z.infer<typeof MoveFlags> {
  return checkFlags(MoveFlags.safeParse(readFlags(argv, moveUsage)), moveUsage);
}

/** Migrates a database, and gives it a new epoch if it was restored from a backup. */
export async function runMigrate({ database, ...flags }: z.infer<typeof MigrateFlags>, log: Log): Promise<void> {
  const { migratePostgres } = await import("../service/store/postgres/migrate.ts");
  const count = await migratePostgres(database, log);
  log.info({ migrations: count }, count === 0 ? "the database was up to date" : "the database is migrated");
  if (!flags["after-restore"]) return;
  const { renewAfterRestore } = await import("../service/store/postgres/after-restore.ts");
  await renewAfterRestore(database);
  log.info("the restored database has a new epoch: start the nodes, and their players fetch everything once");
}

/** Moves a data folder, and logs every table with its count and digest on both sides. */
export async function runMove({ from, to, s3 }: z.infer<typeof MoveFlags>, log: Log, signal: AbortSignal): Promise<void> {
  const { moveFolder } = await import("../service/store/move/move.ts");
  const tables = await moveFolder(from, to, log, signal, s3 === null ? null : await blobsInto(s3, from, log, signal));
  for (const { table, from: source, to: target } of tables) {
    log.info({ table, rows: source.rows, rows_there: target.rows, digest: source.digest, digest_there: target.digest }, "table moved");
  }
  const rows = tables.reduce((sum, table) => sum + table.from.rows, 0);
  const next =
    s3 === null ? "start the service with --database, and keep the folder for its assets" : "start the service with --database and --blobs";
  log.info({ from, tables: tables.length, rows }, `moved: ${next}`);
}

async function blobsInto(s3: S3Config, from: string, log: Log, signal: AbortSignal): Promise<MoveBlobs> {
  const { copyBlobs } = await import("../service/store/move/copy-blobs.ts");
  const { nameOfPlace } = await import("../service/content/blobs/blobs-place.ts");
  const place = nameOfPlace(s3);
  return {
    place,
    copy: async () => {
      const { damaged, ...copied } = await copyBlobs(from, s3, log, signal);
      const counts = { to: place, ...copied, damaged: damaged.length };
      if (damaged.length === 0) log.info(counts, "the blobs are in the bucket");
      else log.warn(counts, "the blobs are in the bucket, except the damaged ones");
    },
  };
}
