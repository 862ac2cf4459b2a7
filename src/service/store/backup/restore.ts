// Restores a data folder from a backup. Checks every byte before it gives the folder its name.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { syncFolder, writeSynced } from "../../../base/files/durable-file.ts";
import { Fault, hasErrorCode } from "../../../base/fault.ts";
import type { Log } from "../../../base/log.ts";
import { migrations } from "../migrations/index.ts";
import { checkMigrationHistory } from "../migrations/check-history.ts";
import { referencedBlobs } from "./create.ts";
import { blobName, isBackupName, Manifest, manifestName, hashInName } from "./manifest.ts";
import { readTar, type ArchivedFile } from "./tar.ts";
import { withHash, moveIntoPlace, requireEmpty } from "./target.ts";
import { metaKeys } from "../meta.ts";

const logEveryFiles = 1_000;

/** The unpacked files by name. */
type UnpackedFiles = Map<string, { sizeBytes: number; sha256: string }>;

/**
 * Restores the backup at `from`, a folder or a tar file, to the folder `data`.
 * @throws Fault `refused` when `data` is not empty, `file-corrupt` when the backup is incomplete or damaged, `unsupported` when a
 * newer version made it. Leaves nothing behind then.
 */
export async function restoreBackup(from: string, data: string, log: Log, signal: AbortSignal): Promise<Manifest> {
  await requireEmpty(data);
  await mkdir(dirname(data), { recursive: true });
  const work = await mkdtemp(`${data}.restoring-`);
  try {
    const unpacked = await unpack(from, work, log, signal);
    const manifest = await checkFiles(work, unpacked);
    log.info({ files: manifest.files.length }, "all files verified");
    await checkState(work, manifest);
    await rm(join(work, manifestName));
    for (const name of ["blobs", "uploads"]) await mkdir(join(work, name), { recursive: true, mode: 0o700 });
    for (const folder of foldersOf(unpacked)) await syncFolder(join(work, folder));
    await moveIntoPlace(work, data);
    return manifest;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function unpack(from: string, work: string, log: Log, signal: AbortSignal): Promise<UnpackedFiles> {
  const unpacked: UnpackedFiles = new Map();
  for await (const { name, sizeBytes, bytes } of filesOf(from)) {
    signal.throwIfAborted();
    // The backup may come from anyone: no name may lead out of the folder.
    if (!isBackupName(name) || unpacked.has(name))
      throw new Fault("file-corrupt", `${from} is no backup: it contains “${name.slice(0, 80)}”`);
    const path = join(work, name);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const hash = createHash("sha256");
    await writeSynced(path, withHash(bytes, hash), "wx");
    unpacked.set(name, { sizeBytes, sha256: hash.digest("hex") });
    if (unpacked.size % logEveryFiles === 0) log.info({ files: unpacked.size }, "restored");
  }
  return unpacked;
}

async function* filesOf(from: string): AsyncGenerator<ArchivedFile> {
  const info = await stat(from).catch((error: unknown) => {
    throw hasErrorCode(error, "ENOENT") ? new Fault("refused", `there is no backup at ${from}`) : error;
  });
  if (!info.isDirectory()) return yield* readTar(createReadStream(from, { highWaterMark: 1_048_576 }) as AsyncIterable<Buffer>);
  for (const entry of await readdir(from, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const name = relative(from, path).replaceAll(sep, "/");
    yield {
      name,
      sizeBytes: (await stat(path)).size,
      bytes: createReadStream(path, { highWaterMark: 1_048_576 }) as AsyncIterable<Buffer>,
    };
  }
}

/** Compares the unpacked files with the manifest. */
async function checkFiles(work: string, unpacked: UnpackedFiles): Promise<Manifest> {
  if (!unpacked.delete(manifestName)) throw new Fault("file-corrupt", "the backup has no manifest: it is incomplete");
  const manifest = Manifest.safeParse(JSON.parse(await readFile(join(work, manifestName), "utf8")));
  if (!manifest.success) throw new Fault("file-corrupt", "the backup's manifest is invalid: a newer version may have made it");
  const { files } = manifest.data;
  for (const { name, size_bytes: sizeBytes, sha256 } of files) {
    const found = unpacked.get(name);
    if (found?.sizeBytes !== sizeBytes || found.sha256 !== sha256) {
      throw new Fault("file-corrupt", `the backup is damaged: ${name} is ${found === undefined ? "missing" : "changed"}`);
    }
    const expected = hashInName(name);
    if (expected === null || expected === sha256) continue;
    // The blob was damaged before the backup: a missing file is better than a wrong one.
    await rm(join(work, name));
  }
  if (files.length !== unpacked.size) throw new Fault("file-corrupt", "the backup contains files that its manifest does not list");
  return manifest.data;
}

/** Checks the state database: its version, its integrity, and that every referenced blob exists. */
async function checkState(work: string, { missing }: Manifest): Promise<void> {
  const path = join(work, "state.db");
  checkMigrationHistory(path, migrations);
  for (const sha256 of referencedBlobs(path)) {
    if (missing.includes(sha256)) continue;
    const found = await stat(join(work, blobName(sha256))).catch((error: unknown) => {
      if (hasErrorCode(error, "ENOENT")) return null;
      throw error;
    });
    if (found === null) throw new Fault("file-corrupt", `the backup lacks ${blobName(sha256)}`);
  }
  const file = new DatabaseSync(path);
  try {
    const { quick_check: result } = file.prepare("PRAGMA quick_check").get() as { quick_check: string };
    if (result !== "ok") throw new Fault("file-corrupt", `the backup's state is damaged: ${result}`);
    // Players and subscribers know later sequence numbers. A new journal epoch makes them fetch everything once.
    file.prepare("DELETE FROM meta WHERE key = ?").run(metaKeys.journalEpoch);
  } finally {
    file.close();
  }
}

function foldersOf(unpacked: UnpackedFiles): Set<string> {
  const folders = new Set(["."]);
  for (const name of unpacked.keys()) for (let folder = dirname(name); folder !== "."; folder = dirname(folder)) folders.add(folder);
  return folders;
}
