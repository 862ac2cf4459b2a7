// Backs up a data folder, even of a running service: snapshots of the databases, and every file that they reference.
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Fault, hasErrorCode } from "../../../base/fault.ts";
import type { Log } from "../../../base/log.ts";
import { blobColumns } from "../../content/blob-sweeper.ts";
import { blobName, hashInName, type BackupFile } from "./manifest.ts";
import { openTarget, type BackupTarget } from "./target.ts";

const stateName = "state.db";
// A retry is necessary only if a file is deleted for good between the snapshot and its copy.
const maxTries = 10;
const logEveryFiles = 1_000;

export interface BackupSummary {
  files: number;
  sizeBytes: number;
  /** Blobs that are missing or damaged in the data folder. */
  missing: string[];
}

/**
 * Backs up the folder `data` to `to`, a folder or a file that ends in .tar. The backup contains everything committed before it
 * began, and every file that the rows reference, unless the data folder itself lacks it.
 * @throws Fault `refused` when `to` exists, or `data` contains no databases.
 */
export async function createBackup(data: string, to: string, version: string, log: Log, signal: AbortSignal): Promise<BackupSummary> {
  const names = await readdir(data).catch((error: unknown): string[] => {
    if (hasErrorCode(error, "ENOENT")) return [];
    throw error;
  });
  if (!names.includes(stateName)) throw new Fault("refused", `${data} contains no data of a service: pass its folder with --data`);
  const createdAt = new Date().toISOString();
  await using target = await openTarget(to);
  await using snapshots = await createTemporaryFolder(to);
  const copier = new FileCopier(data, target, log, signal);
  for (const name of names.filter(isPlainFile)) await copier.add(name, join(data, name));
  // The state comes last, so that it contains everything that rows of the other databases reference.
  for (const name of names.filter(isOtherDatabase)) {
    await copier.add(name, snapshot(data, name, snapshots.path, log));
  }
  const missing = await copyState(data, snapshots.path, copier, log);
  const files = copier.files;
  await target.finish({ format: "signage-player-backup-1", version, created_at: createdAt, files, missing });
  return { files: files.length, sizeBytes: files.reduce((sum, { size_bytes }) => sum + size_bytes, 0), missing };
}

/** Copies the state and the files that it references. Tries again if one was deleted meanwhile. @returns the missing blobs. */
async function copyState(data: string, snapshots: string, copier: FileCopier, log: Log): Promise<string[]> {
  for (let tried = 1; ; tried += 1) {
    const path = snapshot(data, stateName, snapshots, log);
    const absent: string[] = [];
    for (const sha256 of referencedBlobs(path)) if (!(await copier.addBlob(sha256))) absent.push(sha256);
    const referencedNow = absent.length === 0 ? new Set<string>() : referencedBlobs(join(data, stateName));
    const missing = absent.filter((sha256) => referencedNow.has(sha256));
    if (absent.length > missing.length && tried < maxTries) continue;
    if (absent.length > missing.length) throw new Fault("timeout", "files are deleted faster than they can be copied: try again later");
    for (const id of unfinishedUploads(path)) await copier.addIfExists(`uploads/${id}`, join(data, "uploads", id));
    await copier.add(stateName, path);
    return missing;
  }
}

/** Copies files into the backup, each blob once. */
class FileCopier {
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
    if (this.files.length % logEveryFiles === 0) this.#log.info({ files: this.files.length }, "copied");
    return file;
  }

  /** @returns whether the file exists. */
  async addIfExists(name: string, path: string): Promise<boolean> {
    try {
      await this.add(name, path);
      return true;
    } catch (error) {
      if (hasErrorCode(error, "ENOENT")) return false;
      throw error;
    }
  }

  /** @returns whether the blob exists and its bytes have the hash in its name. */
  async addBlob(sha256: string): Promise<boolean> {
    const known = this.#blobs.get(sha256);
    if (known !== undefined) return known;
    const name = blobName(sha256);
    if (!(await this.addIfExists(name, join(this.#data, name)))) return false;
    const isIntact = this.files.at(-1)!.sha256 === hashInName(name);
    this.#blobs.set(sha256, isIntact);
    return isIntact;
  }
}

/** Makes a consistent copy of a database in one read transaction, which blocks no writer. */
function snapshot(data: string, name: string, folder: string, log: Log): string {
  const path = join(folder, `${name}-${process.hrtime.bigint()}`);
  const file = new DatabaseSync(join(data, name), { readOnly: true, timeout: 30_000 });
  try {
    file.prepare("VACUUM INTO ?").run(path);
  } finally {
    file.close();
  }
  log.info({ database: name }, "snapshot taken");
  return path;
}

/** The hashes of all blobs that a state database references. */
export function referencedBlobs(path: string): Set<string> {
  const query = blobColumns
    .map(([table, column]) => `SELECT "${column}" AS sha256 FROM "${table}" WHERE "${column}" IS NOT NULL`)
    .join(" UNION ");
  return new Set(readAll(path, query).map(({ sha256 }) => String(sha256)));
}

function unfinishedUploads(path: string): string[] {
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

/** True if a file is none of the databases: keys, the admin token and the like. */
function isPlainFile(name: string): boolean {
  return /^[A-Za-z0-9][\w-]*(?:\.json)?$/.test(name) && name !== "blobs" && name !== "uploads";
}

function isOtherDatabase(name: string): boolean {
  return name.endsWith(".db") && name !== "lock.db" && name !== stateName;
}

/** A temporary folder on the same disk as the backup. Disposing deletes it. */
async function createTemporaryFolder(to: string): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(dirname(to), ".signage-backup-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
