// Makes a backup of a data folder, also while a service runs in it: snapshots of the databases, then every file they name.
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Fault } from "../../../base/fault.ts";
import type { Log } from "../../../base/log.ts";
import { blobColumns } from "../../content/blob-sweeper.ts";
import { blobName, hashInName, type BackupFile } from "./manifest.ts";
import { hasErrorCode, openTarget, type BackupTarget } from "./target.ts";

const stateName = "state.db";
// Each try needs a file to be deleted for good in the moment between a snapshot and its copying.
const maxTries = 10;
const tellEveryFiles = 1_000;

/** What was made. */
export interface BackupSummary {
  files: number;
  sizeBytes: number;
  /** Blobs that the data folder itself lacked or had damaged. */
  missing: string[];
}

/**
 * Backs `data` up to `to`, a folder or a file ending in .tar. What was committed when it began is in it, and every file that its
 * rows name, unless the data folder itself lacks it.
 * @throws Fault `refused` when there is something at `to`, or `data` holds no databases.
 */
export async function createBackup(data: string, to: string, version: string, log: Log, signal: AbortSignal): Promise<BackupSummary> {
  const names = await readdir(data).catch((error: unknown): string[] => {
    if (hasErrorCode(error, "ENOENT")) return [];
    throw error;
  });
  if (!names.includes(stateName)) throw new Fault("refused", `${data} holds no service's data: give its folder with --data`);
  const createdAt = new Date().toISOString();
  await using target = await openTarget(to);
  await using snapshots = await temporaryBeside(to);
  const copying = new Copying(data, target, log, signal);
  for (const name of names.filter(isPlain)) await copying.add(name, join(data, name));
  // The state last: whatever a row of the others names is in it.
  for (const name of names.filter(isOtherDatabase)) {
    await copying.add(name, snapshot(data, name, snapshots.path, log));
  }
  const missing = await copyState(data, snapshots.path, copying, log);
  const files = copying.files;
  await target.finish({ format: "signage-player-backup-1", version, created_at: createdAt, files, missing });
  return { files: files.length, sizeBytes: files.reduce((sum, { size_bytes }) => sum + size_bytes, 0), missing };
}

/** Copies the state and what it names; again when a file was deleted for good in between. */
async function copyState(data: string, snapshots: string, copying: Copying, log: Log): Promise<string[]> {
  for (let tried = 1; ; tried += 1) {
    const path = snapshot(data, stateName, snapshots, log);
    const gone: string[] = [];
    for (const sha256 of referencedBlobs(path)) if (!(await copying.blob(sha256))) gone.push(sha256);
    const still = gone.length === 0 ? new Set<string>() : referencedBlobs(join(data, stateName));
    const missing = gone.filter((sha256) => still.has(sha256));
    if (gone.length > missing.length && tried < maxTries) continue;
    if (gone.length > missing.length) throw new Fault("timeout", "files are deleted faster than they can be copied: try again later");
    for (const id of uploadsIn(path)) await copying.addIfThere(`uploads/${id}`, join(data, "uploads", id));
    await copying.add(stateName, path);
    return missing;
  }
}

/** What was copied so far, each file once. */
class Copying {
  readonly files: BackupFile[] = [];
  readonly #data: string;
  readonly #target: BackupTarget;
  readonly #log: Log;
  readonly #signal: AbortSignal;
  readonly #blobs = new Map<string, boolean>();

  constructor(data: string, target: BackupTarget, log: Log, signal: AbortSignal) {
    this.#data = data;
    this.#target = target;
    this.#log = log;
    this.#signal = signal;
  }

  async add(name: string, path: string): Promise<BackupFile> {
    this.#signal.throwIfAborted();
    const file = await this.#target.add(name, path);
    this.files.push(file);
    if (this.files.length % tellEveryFiles === 0) this.#log.info({ files: this.files.length }, "copied");
    return file;
  }

  /** @returns whether there was such a file. */
  async addIfThere(name: string, path: string): Promise<boolean> {
    try {
      await this.add(name, path);
      return true;
    } catch (error) {
      if (hasErrorCode(error, "ENOENT")) return false;
      throw error;
    }
  }

  /** Copies a blob, once. @returns whether it is there, and is what its name says. */
  async blob(sha256: string): Promise<boolean> {
    const known = this.#blobs.get(sha256);
    if (known !== undefined) return known;
    const name = blobName(sha256);
    if (!(await this.addIfThere(name, join(this.#data, name)))) return false;
    const isSound = this.files.at(-1)!.sha256 === hashInName(name);
    this.#blobs.set(sha256, isSound);
    return isSound;
  }
}

/** A consistent copy of a database in one read transaction, which holds no writer up. */
function snapshot(data: string, name: string, folder: string, log: Log): string {
  const path = join(folder, `${name}-${process.hrtime.bigint()}`);
  const file = new DatabaseSync(join(data, name), { readOnly: true, timeout: 30_000 });
  try {
    file.prepare("VACUUM INTO ?").run(path);
  } finally {
    file.close();
  }
  log.info({ database: name }, "took a snapshot");
  return path;
}

/** Every blob that a state database names. */
export function referencedBlobs(path: string): Set<string> {
  const query = blobColumns
    .map(([table, column]) => `SELECT "${column}" AS sha256 FROM "${table}" WHERE "${column}" IS NOT NULL`)
    .join(" UNION ");
  return new Set(readAll(path, query).map(({ sha256 }) => String(sha256)));
}

function uploadsIn(path: string): string[] {
  return readAll(path, "SELECT id FROM uploads WHERE asset_id IS NULL AND error IS NULL").map(({ id }) => String(id));
}

function readAll(path: string, query: string): Record<string, unknown>[] {
  const file = new DatabaseSync(path, { readOnly: true, timeout: 30_000 });
  try {
    return file.prepare(query).all();
  } finally {
    file.close();
  }
}

/** Keys, the token, and what else lies beside the databases. */
function isPlain(name: string): boolean {
  return /^[A-Za-z0-9][\w-]*(?:\.json)?$/.test(name) && name !== "blobs" && name !== "uploads";
}

function isOtherDatabase(name: string): boolean {
  return name.endsWith(".db") && name !== "lock.db" && name !== stateName;
}

/** A folder on the disk of the backup, removed again. */
async function temporaryBeside(to: string): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(dirname(to), ".signage-backup-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
