// Writes a backup to a folder or a tar file, which gets its name only when it is complete and synced.
import { createHash } from "node:crypto";
import { mkdir, open, readdir, rename, rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { syncFolder, writeSynced } from "../../../base/files/durable-file.ts";
import { Fault, hasErrorCode } from "../../../base/fault.ts";
import { manifestName, type BackupFile, type Manifest } from "./manifest.ts";
import { endTar, writeTarFile } from "./tar.ts";

/** The destination of a backup. Disposing an unfinished backup deletes it. */
export interface BackupTarget extends AsyncDisposable {
  /** Copies the file at `path` with its current length. Rejects with ENOENT when it does not exist. */
  add(name: string, path: string): Promise<BackupFile>;
  /** Writes the manifest and gives the backup its name. */
  finish(manifest: Manifest): Promise<void>;
}

type Write = (name: string, sizeBytes: number, bytes: AsyncIterable<Buffer>) => Promise<void>;

/**
 * Opens a tar file if `to` ends in .tar, else a folder.
 * @throws Fault `refused` when `to` exists and is not an empty folder.
 */
export async function openTarget(to: string): Promise<BackupTarget> {
  await requireEmpty(to);
  const partial = `${to}.partial`;
  await mkdir(dirname(to), { recursive: true });
  await rm(partial, { recursive: true, force: true });
  return to.endsWith(".tar") ? openTar(to, partial) : openFolder(to, partial);
}

/** @throws Fault `refused` unless `path` does not exist or is an empty folder. */
export async function requireEmpty(path: string): Promise<void> {
  const names = await readdir(path).catch((error: unknown) => {
    if (hasErrorCode(error, "ENOENT")) return [];
    if (hasErrorCode(error, "ENOTDIR")) return ["a file"];
    throw error;
  });
  if (names.length > 0) throw new Fault("refused", `${path} exists already and is not empty: choose another path, or move it away`);
}

/** Renames `from` to `to` durably. `to` may be an empty folder. */
export async function moveIntoPlace(from: string, to: string): Promise<void> {
  await rmdir(to).catch((error: unknown) => {
    if (!hasErrorCode(error, "ENOENT")) throw error;
  });
  await rename(from, to);
  await syncFolder(dirname(to));
}

async function openTar(to: string, partial: string): Promise<BackupTarget> {
  const file = await open(partial, "wx", 0o600);
  const write: Write = (name, sizeBytes, bytes) => writeTarFile(file, name, sizeBytes, bytes);
  return {
    add: (name, path) => copy(name, path, write),
    finish: async (manifest) => {
      const text = Buffer.from(JSON.stringify(manifest));
      await write(manifestName, text.length, once(text));
      await endTar(file);
      await file.sync();
      await moveIntoPlace(partial, to);
    },
    [Symbol.asyncDispose]: async () => {
      await file.close();
      await rm(partial, { force: true });
    },
  };
}

async function openFolder(to: string, partial: string): Promise<BackupTarget> {
  await mkdir(partial, { mode: 0o700 });
  const folders = new Set([partial]);
  const write: Write = async (name, _sizeBytes, bytes) => {
    const path = join(partial, name);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    for (let folder = dirname(path); folder.length >= partial.length; folder = dirname(folder)) folders.add(folder);
    await writeSynced(path, bytes, "wx");
  };
  return {
    add: (name, path) => copy(name, path, write),
    finish: async (manifest) => {
      await write(manifestName, 0, once(Buffer.from(JSON.stringify(manifest))));
      for (const folder of folders) await syncFolder(folder);
      await moveIntoPlace(partial, to);
    },
    [Symbol.asyncDispose]: () => rm(partial, { recursive: true, force: true }),
  };
}

async function copy(name: string, path: string, write: Write): Promise<BackupFile> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const hash = createHash("sha256");
    // An upload may grow meanwhile: copy only the bytes that exist now.
    const stream =
      size === 0 ? once(Buffer.alloc(0)) : file.createReadStream({ autoClose: false, end: size - 1, highWaterMark: 1_048_576 });
    await write(name, size, withHash(stream as AsyncIterable<Buffer>, hash));
    return { name, size_bytes: size, sha256: hash.digest("hex") };
  } finally {
    await file.close();
  }
}

/** Passes the bytes through and updates `hash` with them. */
export async function* withHash(bytes: AsyncIterable<Buffer>, hash: { update(part: Buffer): unknown }): AsyncGenerator<Buffer> {
  for await (const part of bytes) {
    hash.update(part);
    yield part;
  }
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
