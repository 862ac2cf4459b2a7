// Where a backup goes: a folder or one tar file. It has its name only once it is whole and synced.
import { createHash } from "node:crypto";
import { mkdir, open, readdir, rename, rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { syncFolder } from "../../../base/files/durable-file.ts";
import { Fault } from "../../../base/fault.ts";
import { manifestName, type BackupFile, type Manifest } from "./manifest.ts";
import { endTar, writeTarFile } from "./tar.ts";

/** Takes files. Disposing an unfinished one leaves nothing behind. */
export interface BackupTarget extends AsyncDisposable {
  /** Copies the file at `path`, as long as it is now. Rejects with ENOENT when there is none. */
  add(name: string, path: string): Promise<BackupFile>;
  /** Writes the manifest and gives the backup its name. */
  finish(manifest: Manifest): Promise<void>;
}

type Write = (name: string, sizeBytes: number, bytes: AsyncIterable<Buffer>) => Promise<void>;

/**
 * Opens a target: a tar file if `to` ends in .tar, else a folder.
 * @throws Fault `refused` when there is something at `to` already.
 */
export async function openTarget(to: string): Promise<BackupTarget> {
  await requireEmpty(to);
  const partial = `${to}.partial`;
  await mkdir(dirname(to), { recursive: true });
  await rm(partial, { recursive: true, force: true });
  return to.endsWith(".tar") ? openTar(to, partial) : openFolder(to, partial);
}

/** @throws Fault `refused` unless there is nothing at `path`, or an empty folder. */
export async function requireEmpty(path: string): Promise<void> {
  const names = await readdir(path).catch((error: unknown) => {
    if (hasErrorCode(error, "ENOENT")) return [];
    if (hasErrorCode(error, "ENOTDIR")) return ["a file"];
    throw error;
  });
  if (names.length > 0) throw new Fault("refused", `${path} is there already and is not empty: give another place, or move it away`);
}

/** Gives the folder or file `from` the name `to`, which may be an empty folder, durably. */
export async function moveIntoPlace(from: string, to: string): Promise<void> {
  await rmdir(to).catch((error: unknown) => {
    if (!hasErrorCode(error, "ENOENT")) throw error;
  });
  await rename(from, to);
  await syncFolder(dirname(to));
}

/** Whether `error` is a system error of this code. */
export function hasErrorCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
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
    await writeSynced(path, bytes);
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

/** Writes a new file that only its owner may read, synced. */
export async function writeSynced(path: string, bytes: AsyncIterable<Buffer>): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function copy(name: string, path: string, write: Write): Promise<BackupFile> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const hash = createHash("sha256");
    // An upload may grow meanwhile: what was there at first is taken.
    const stream =
      size === 0 ? once(Buffer.alloc(0)) : file.createReadStream({ autoClose: false, end: size - 1, highWaterMark: 1_048_576 });
    await write(name, size, withHash(stream as AsyncIterable<Buffer>, hash));
    return { name, size_bytes: size, sha256: hash.digest("hex") };
  } finally {
    await file.close();
  }
}

/** The same bytes, counted into `hash` as they pass. */
export async function* withHash(bytes: AsyncIterable<Buffer>, hash: { update(part: Buffer): unknown }): AsyncGenerator<Buffer> {
  for await (const part of bytes) {
    hash.update(part);
    yield part;
  }
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
