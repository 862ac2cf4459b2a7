// The slots: unpacks a bundle into one, tells whether one can be started, empties one.
import { createHash, type Hash } from "node:crypto";
import { lstat, mkdir, open, readFile, readlink, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createZstdDecompress } from "node:zlib";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import { Sha256 } from "../protocol/common.ts";
import { ReleaseManifest, type SlotName } from "../protocol/device/updates.ts";
import { Fault, hasErrorCode, reasonOf } from "../base/fault.ts";
import { DurableFile, syncFolder } from "../base/files/durable-file.ts";
import { isReadFailure } from "../base/files/system-error.ts";
import { hashFile } from "../base/files/hash-file.ts";
import type { SignedTarget } from "../base/releases/verify.ts";
import type { LauncherFolders } from "./launcher-folders.ts";
import { openSafely } from "../base/files/untrusted-file.ts";
import { readTar } from "../base/files/tar.ts";

export type UpdateSlot = "a" | "b";

/** Written when everything in a slot is on the disk. */
const Marker = z.object({
  manifest: ReleaseManifest,
  sha256: Sha256,
  /** Path to size and SHA-256, or to a link's target. */
  files: z.record(z.string(), z.union([z.object({ size: z.number(), sha256: Sha256 }), z.object({ link: z.string() })])),
});
type Marker = z.infer<typeof Marker>;

/** The files without which a bundle cannot be started. */
const neededFiles = ["bin/node", "dist/main/cli.js", "release.json", "package.json"];

/** `isUnread`: the disk failed to read the slot, which may be whole. */
export type SlotCheck = { is: "startable"; version: string; folder: string } | { is: "unusable"; why: string; isUnread?: true };

/** Makes files and names below a folder durable. The program `sync` does it in one step of the file system. */
export type SyncTree = (folder: string) => Promise<void>;

/**
 * Unpacks the bundle at `path` into a slot that does not run. The slot is complete only when this has resolved.
 * @throws Fault `file-corrupt` for a bundle that is not the signed one, or is not a bundle. The slot is empty then.
 */
export async function fillSlot(
  folders: LauncherFolders,
  slot: UpdateSlot,
  { path, target, manifest }: { path: string; target: SignedTarget; manifest: ReleaseManifest },
  syncTree: SyncTree,
  signal?: AbortSignal,
): Promise<void> {
  await emptySlot(folders, slot);
  const folder = folders.slot(slot);
  try {
    await mkdir(folder, { recursive: true, mode: 0o755 });
    const files = await unpack(path, target, folder, signal);
    await checkManifest(folder, manifest);
    const missing = neededFiles.find((name) => !(name in files));
    if (missing !== undefined) throw new Fault("file-corrupt", `The bundle has no ${missing}`);
    await syncTree(folder);
    await syncFolder(dirname(folder));
    await markerOf(folders, slot).write({ manifest, sha256: target.sha256, files });
  } catch (error) {
    await emptySlot(folders, slot);
    throw error;
  }
}

/** Empties a slot, its marker first: a slot without a marker is never started. */
export async function emptySlot(folders: LauncherFolders, slot: UpdateSlot): Promise<void> {
  await markerOf(folders, slot).remove();
  await rm(folders.slot(slot), { recursive: true, force: true });
}

/** Checks that a slot can be started. @param deep also compares the content of every file, which takes seconds. */
export async function checkSlot(folders: LauncherFolders, slot: SlotName, { deep = false } = {}): Promise<SlotCheck> {
  const folder = folders.slot(slot);
  try {
    const release = ReleaseManifest.parse(JSON.parse(await readFile(join(folder, "release.json"), "utf8")));
    if (slot === "package") {
      for (const name of neededFiles) await lstat(join(folder, name));
      return { is: "startable", version: release.version, folder };
    }
    const read = await markerOf(folders, slot).read();
    if (read.is === "absent") return { is: "unusable", why: "it is empty or not complete" };
    if (read.value.manifest.version !== release.version) return { is: "unusable", why: "its release.json differs" };
    await compareFiles(folder, read.value, deep);
    return { is: "startable", version: release.version, folder };
  } catch (error) {
    if (isReadFailure(error)) return { is: "unusable", why: `it cannot be read: ${reasonOf(error)}`, isUnread: true };
    return { is: "unusable", why: `it is damaged: ${reasonOf(error)}` };
  }
}

async function compareFiles(folder: string, { files }: Marker, deep: boolean): Promise<void> {
  for (const [name, entry] of Object.entries(files)) {
    const path = join(folder, name);
    if ("link" in entry) {
      if ((await readlink(path)) !== entry.link) throw new Fault("file-corrupt", `${name} differs`);
      continue;
    }
    const stats = await lstat(path);
    if (!stats.isFile() || stats.size !== entry.size) throw new Fault("file-corrupt", `${name} differs`);
    if (deep && (await hashFile(path)).hash.digest("hex") !== entry.sha256) throw new Fault("file-corrupt", `${name} differs`);
  }
}

async function checkManifest(folder: string, manifest: ReleaseManifest): Promise<void> {
  const text = await readFile(join(folder, "release.json"), "utf8").catch(() => "{}");
  const result = ReleaseManifest.safeParse(JSON.parse(text));
  if (!result.success || JSON.stringify(result.data) !== JSON.stringify(manifest))
    throw new Fault("file-corrupt", "The bundle's release.json is not what the release's metadata says");
}

async function unpack(path: string, target: SignedTarget, folder: string, signal?: AbortSignal): Promise<Marker["files"]> {
  const files: Marker["files"] = {};
  const links = new Set<string>();
  // The player's user owns the file, and could exchange it after it was verified: the unpacked bytes are hashed again.
  const hash = createHash("sha256");
  await using file = await openSafely(path);
  const source = file.createReadStream({ autoClose: false });
  await pipeline(
    source,
    (parts: AsyncIterable<Buffer>) => hashParts(parts, hash),
    createZstdDecompress(),
    async (parts: AsyncIterable<Buffer>) => {
      for await (const entry of readTar(parts)) {
        // A file behind a link could be outside of the slot.
        const parents = entry.path.split("/").map((_, index, all) => all.slice(0, index + 1).join("/"));
        if (parents.some((parent) => links.has(parent)))
          throw new Fault("file-corrupt", `The bundle's archive is refused: ${entry.path} is behind a link`);
        const place = join(folder, entry.path);
        await mkdir(entry.is === "folder" ? place : dirname(place), { recursive: true, mode: 0o755 });
        if (entry.is === "link") {
          links.add(entry.path);
          await symlink(entry.target, place).catch((cause: unknown) => {
            if (!hasErrorCode(cause, "EEXIST")) throw cause;
            throw new Fault("file-corrupt", `The bundle's archive is refused: ${entry.path} is in it twice`, { cause });
          });
          files[entry.path] = { link: entry.target };
        } else if (entry.is === "file") files[entry.path] = await writeEntry(place, entry);
      }
      // Bytes after the archive count for the hash.
      for await (const _ of parts);
    },
    { ...(signal !== undefined && { signal }) },
  );
  if (hash.digest("hex") !== target.sha256) throw new Fault("file-corrupt", `The bundle ${target.name} changed while it was unpacked`);
  return files;
}

async function* hashParts(parts: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const part of parts) {
    hash.update(part);
    yield part;
  }
}

async function writeEntry(
  path: string,
  { isExecutable, size, content }: { isExecutable: boolean; size: number; content: AsyncIterable<Buffer> },
) {
  const hash = createHash("sha256");
  const file = await open(path, "w", 0o644);
  try {
    await file.writeFile(hashParts(content, hash));
    // The launcher's own umask must not keep the player's user from reading its program.
    await file.chmod(isExecutable ? 0o755 : 0o644);
  } finally {
    await file.close();
  }
  return { size, sha256: hash.digest("hex") };
}

function markerOf(folders: LauncherFolders, slot: UpdateSlot): DurableFile<Marker> {
  return new DurableFile(folders.marker(slot), (json) => Marker.parse(json));
}
