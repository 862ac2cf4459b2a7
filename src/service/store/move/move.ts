// Copies the SQLite databases of a data folder into an empty PostgreSQL database, and compares every table afterwards.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Client } from "pg";
import { Fault, reasonOf } from "../../../base/fault.ts";
import { lockFolder } from "../../../base/files/folder-lock.ts";
import type { Log } from "../../../base/log.ts";
import { serviceKeyFile } from "../../fleet/devices/signer.ts";
import { metaKeys } from "../meta.ts";
import { requireMigrated } from "../migrations/check-history.ts";
import { connect, migratePostgres } from "../postgres/migrate.ts";
import { knownMigrations } from "../postgres/known-migrations.ts";
import { nameOfDatabase, schemas } from "../postgres/pools.ts";
import { preparePartitions } from "./prepare-partitions.ts";
import { requireEmpty, targetTables, type TargetTable } from "./target-tables.ts";
import { TableDigest, type TableSummary, type Values } from "./table-digest.ts";

/** The blobs of a move. */
export interface MoveBlobs {
  /** The name of their new place. */
  place: string;
  copy: () => Promise<void>;
}

const rowsPerInsert = 2_000;
const progressMs = 5_000;

/** A table as it is on both sides. */
export interface MovedTable {
  table: string;
  from: TableSummary;
  to: TableSummary;
}

/**
 * Copies `folder` into the database at `url`, in one transaction: it has everything or nothing. Other files stay in the folder. The signing
 * key is stored in the database, where all nodes read it.
 * @param blobs copies the blobs before, when the database is known to be empty, and names their place; null: they stay in the folder
 * @returns every table with its count and digest on both sides, which are equal
 * @throws Fault `data-in-use` when a service uses the folder; `refused` when the database is not empty; `unsupported` when another version
 * wrote one of them; `file-corrupt` when a row cannot be stored there or a table differs; `store-unavailable`.
 */
export async function moveFolder(
  folder: string,
  url: string,
  log: Log,
  signal: AbortSignal,
  blobs: MoveBlobs | null = null,
): Promise<MovedTable[]> {
  if (!existsSync(join(folder, "state.db")))
    throw new Fault("refused", `${folder} contains no data of a service: name its folder with --from`);
  using _lock = lockFolder(folder);
  for (const schema of schemas) requireMigrated(join(folder, `${schema}.db`), knownMigrations[schema]);
  await migratePostgres(url, log);
  if (blobs !== null) await moveBlobs(url, blobs);
  await using client = await connect(url);
  // The types that the service reads numbers by (pools.ts) make both sides comparable.
  await client.query("BEGIN");
  const tables = await targetTables(client);
  await requireEmpty(client, tables, nameOfDatabase(url));
  await preparePartitions(folder, client);
  const moved: MovedTable[] = [];
  for (const table of tables) {
    const from = await copyTable(folder, client, table, log, signal);
    const to = await digestOfTarget(client, table, signal);
    const name = `${table.schema}.${table.name}`;
    if (from.rows !== to.rows || from.digest !== to.digest) {
      throw new Fault("file-corrupt", `${name} has other rows in the database than in ${folder}: nothing was moved, report this`);
    }
    moved.push({ table: name, from, to });
  }
  await takeOverKey(folder, client);
  if (blobs !== null) await client.query("INSERT INTO state.meta (key, value) VALUES ($1, $2)", [metaKeys.blobsPlace, blobs.place]);
  await client.query("COMMIT");
  return moved;
}

/** Copies the blobs before any row. The copy may take hours, in which no transaction is open. */
async function moveBlobs(url: string, { copy }: MoveBlobs): Promise<void> {
  {
    await using client = await connect(url);
    await requireEmpty(client, await targetTables(client), nameOfDatabase(url));
  }
  await copy();
}

/** Copies the rows of one table. @returns the summary of the rows in the folder */
async function copyTable(folder: string, client: Client, table: TargetTable, log: Log, signal: AbortSignal): Promise<TableSummary> {
  using file = new DatabaseSync(join(folder, `${table.schema}.db`), { readOnly: true, timeout: 5_000 });
  const digest = new TableDigest();
  const { columns, schema, name } = table;
  // Other tables are the database's own.
  if (file.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(name) === undefined) return digest.summary();
  const rows = file.prepare(`SELECT ${listOf(columns)} FROM "${name}"`).iterate();
  const total = Number(file.prepare(`SELECT count(*) AS count FROM "${name}"`).get()!["count"]);
  const arrays = columns.map(({ type }, index) => `$${index + 1}::${type}[]`).join(", ");
  const insert = `INSERT INTO ${schema}."${name}" (${listOf(columns)}) SELECT * FROM unnest(${arrays})`;
  let batch: Values[] = [];
  let reportedAt = performance.now();
  const store = async (): Promise<void> => {
    signal.throwIfAborted();
    await client
      .query(
        insert,
        columns.map((_, index) => batch.map((values) => values[index])),
      )
      .catch((error: unknown) => {
        throw new Fault("file-corrupt", `a row of ${schema}.${name} cannot be stored: ${reasonOf(error)}`, { cause: error });
      });
    batch = [];
    if (performance.now() - reportedAt < progressMs) return;
    reportedAt = performance.now();
    log.info({ table: `${schema}.${name}`, rows: digest.summary().rows, of: total }, "moving");
  };
  for (const row of rows) {
    const values = columns.map((column) => valueOf(row[column.name], column.type));
    digest.add(values);
    batch.push(values);
    if (batch.length === rowsPerInsert) await store();
  }
  if (batch.length > 0) await store();
  return digest.summary();
}

async function digestOfTarget(client: Client, { schema, name, columns }: TargetTable, signal: AbortSignal): Promise<TableSummary> {
  const digest = new TableDigest();
  await client.query(`DECLARE moved NO SCROLL CURSOR FOR SELECT ${listOf(columns)} FROM ${schema}."${name}"`);
  for (;;) {
    signal.throwIfAborted();
    const { rows } = await client.query<(string | number | null)[]>({ text: `FETCH ${rowsPerInsert} FROM moved`, rowMode: "array" });
    for (const row of rows) digest.add(row);
    if (rows.length < rowsPerInsert) break;
  }
  await client.query("CLOSE moved");
  return digest.summary();
}

/** Earlier versions stored some times with fractions of a millisecond, which a BIGINT of PostgreSQL does not have. */
function valueOf(value: unknown, type: string): string | number | null {
  return typeof value === "number" && type === "int8" ? Math.trunc(value) : (value as string | number | null);
}

/** Players recognize the service by its key, so all nodes have to sign with it. */
async function takeOverKey(folder: string, client: Client): Promise<void> {
  const key = await serviceKeyFile(folder).read();
  if (key.is !== "found") return;
  const { publicKey, privateKey } = key.value;
  await client.query("INSERT INTO state.meta (key, value) VALUES ($1, $2)", [
    metaKeys.serviceKey,
    JSON.stringify({ publicKey, privateKey }),
  ]);
}

function listOf(columns: TargetTable["columns"]): string {
  return columns.map(({ name }) => `"${name}"`).join(", ");
}
