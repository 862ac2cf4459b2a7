// The mirror's files: the published releases, the record of their source, and the downloads that are not complete yet.
import { readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { hasErrorCode } from "../../base/fault.ts";
import { DurableFile, makeFolder, syncFolder, writeSynced } from "../../base/files/durable-file.ts";
import { Count, Sha256 } from "../../protocol/common.ts";
import { ReleaseManifest } from "../../protocol/device/updates.ts";

/** The mirror's record of its refreshes. */
const StoredRecord = z.object({
  source: z.string(),
  /** When it last looked, and when it last succeeded; ms since the epoch. */
  checked_at: z.number(),
  succeeded_at: z.number().nullable(),
  /** Why the last refresh failed. */
  error: z.string().nullable(),
  /** Files that the published metadata does not name, and since when. */
  unused: z.record(z.string(), z.number()),
});
export type RefreshRecord = z.infer<typeof StoredRecord>;

const Expiry = z.object({ signed: z.object({ version: Count, expires: z.iso.datetime({ offset: true }) }) });
const Snapshot = z.object({ signed: z.object({ meta: z.object({ "targets.json": z.object({ version: Count }) }) }) });
const Timestamp = z.object({ signed: z.object({ meta: z.object({ "snapshot.json": z.object({ version: Count }) }) }) });
const TargetFile = z.object({ length: Count, hashes: z.object({ sha256: Sha256 }), custom: z.unknown() });
const Targets = z.object({ signed: z.object({ targets: z.record(z.string(), TargetFile) }) });

/** A bundle that the published metadata names. */
export interface PublishedBundle {
  manifest: ReleaseManifest;
  name: string;
  sha256: string;
  sizeBytes: number;
  /** False: left out, because there was no room for this version. */
  isThere: boolean;
}

export interface PublishedReleases {
  bundles: readonly PublishedBundle[];
  /** When the first part of the metadata expires, ms since the epoch. */
  expiresAt: number;
  /** The names of all published files below `metadata`. */
  metadataFiles: ReadonlySet<string>;
}

/** Verified metadata, ready to be published. */
export interface NewMetadata {
  anchor: Buffer;
  roots: ReadonlyMap<number, Buffer>;
  timestamp: Buffer;
  snapshot: { version: number; bytes: Buffer };
  targets: { version: number; bytes: Buffer };
}

export class MirrorFolder {
  readonly path: string;
  readonly record: DurableFile<RefreshRecord>;

  constructor(path: string) {
    this.path = path;
    this.record = new DurableFile(join(path, "refresh.json"), (json) => StoredRecord.parse(json));
  }

  /** The path of a published file. @param file such as `metadata/timestamp.json`, already checked */
  file(file: string): string {
    return join(this.path, file);
  }

  /** Where a bundle is gathered until it is complete. */
  partOf(sha256: string): string {
    return join(this.path, "incoming", `${sha256}.part`);
  }

  /** The root that verification starts from; null before the first refresh. */
  anchor(): Promise<Buffer | null> {
    return readIfThere(join(this.path, "anchor.json"));
  }

  /** The version of the newest published root; 0 for none. */
  async rootVersion(): Promise<number> {
    const names = await namesIn(join(this.path, "metadata"));
    return Math.max(0, ...names.flatMap((name) => /^(\d+)\.root\.json$/.exec(name)?.[1] ?? []).map(Number));
  }

  /** The published metadata by role. Null: nothing is published, or a file is damaged, until the next refresh writes it again. */
  async publishedMetadata(): Promise<Record<"timestamp" | "snapshot" | "targets", Buffer> | null> {
    try {
      return await this.#readMetadata();
    } catch (error) {
      if (hasErrorCode(error, "ENOENT") || error instanceof SyntaxError || error instanceof z.ZodError) return null;
      throw error;
    }
  }

  async #readMetadata(): Promise<Record<"timestamp" | "snapshot" | "targets", Buffer> | null> {
    const timestamp = await readIfThere(this.file("metadata/timestamp.json"));
    if (timestamp === null) return null;
    const snapshot = await readFile(this.file(`metadata/${namedBy(timestamp, Timestamp).meta["snapshot.json"].version}.snapshot.json`));
    const targets = await readFile(this.file(`metadata/${namedBy(snapshot, Snapshot).meta["targets.json"].version}.targets.json`));
    return { timestamp, snapshot, targets };
  }

  /** The releases that players see. Null: nothing is published. */
  async published(): Promise<PublishedReleases | null> {
    const metadata = await this.publishedMetadata();
    if (metadata === null) return null;
    const { timestamp, snapshot, targets } = metadata;
    const root = await readFile(this.file(`metadata/${await this.rootVersion()}.root.json`));
    const bundles: PublishedBundle[] = [];
    for (const [name, { length, hashes, custom }] of Object.entries(namedBy(targets, Targets).targets)) {
      const manifest = ReleaseManifest.safeParse(custom);
      if (!manifest.success) continue; // another program's release, which players ignore as well
      const found = await stat(this.file(`targets/${hashes.sha256}.${name}`)).catch(() => null);
      const isThere = found?.size === length;
      bundles.push({ manifest: manifest.data, name, sha256: hashes.sha256, sizeBytes: length, isThere });
    }
    const expiresAt = Math.min(...[root, timestamp, snapshot, targets].map((bytes) => Date.parse(namedBy(bytes, Expiry).expires)));
    const versions = [`${namedBy(snapshot, Expiry).version}.snapshot.json`, `${namedBy(targets, Expiry).version}.targets.json`];
    const roots = (await namesIn(join(this.path, "metadata"))).filter((name) => name.endsWith(".root.json"));
    return { bundles, expiresAt, metadataFiles: new Set([...roots, ...versions, "timestamp.json"]) };
  }

  /** Changes whenever something else is published, also by another program. */
  async publication(): Promise<string> {
    const files = [this.file("metadata/timestamp.json"), this.record.path];
    const found = await Promise.all(files.map((file) => stat(file).catch(() => null)));
    return found.map((each) => (each === null ? "none" : `${each.ino} ${each.mtimeMs}`)).join(" ");
  }

  /** Publishes metadata whose bundles are there. A reader finds either the state before or the new one: timestamp.json comes last. */
  async publish({ anchor, roots, timestamp, snapshot, targets }: NewMetadata): Promise<void> {
    const folder = join(this.path, "metadata");
    await makeFolder(folder);
    await replace(join(folder, `${targets.version}.targets.json`), targets.bytes);
    await replace(join(folder, `${snapshot.version}.snapshot.json`), snapshot.bytes);
    for (const [version, bytes] of roots) await replace(join(folder, `${version}.root.json`), bytes);
    // Roots of an anchor that was replaced do not belong to these.
    const newest = Math.max(...roots.keys());
    for (const name of await namesIn(folder)) {
      const version = /^(\d+)\.root\.json$/.exec(name)?.[1];
      if (version !== undefined && (Number(version) > newest || !roots.has(Number(version)))) await rm(join(folder, name));
    }
    await replace(join(this.path, "anchor.json"), anchor);
    await replace(join(folder, "timestamp.json"), timestamp);
  }

  /**
   * Deletes files that no published metadata names any more, bundles that are not kept, and parts of downloads.
   * @param kept the names of the bundles' files that are kept
   * @param since since when each file is unused, as this function returned it the last time
   * @param afterMs how long a file must have been unused: players that read the metadata before may still download it
   */
  async deleteUnused(
    kept: ReadonlySet<string>,
    since: Readonly<Record<string, number>>,
    now: number,
    afterMs: number,
  ): Promise<Record<string, number>> {
    const published = await this.published();
    if (published === null) return {};
    const left: Record<string, number> = {};
    for (const folder of ["metadata", "targets"]) {
      for (const name of await namesIn(join(this.path, folder))) {
        if (folder === "targets" ? kept.has(name) : published.metadataFiles.has(name)) continue;
        const unusedSince = Math.min(since[name] ?? now, now);
        if (now - unusedSince >= afterMs) await rm(join(this.path, folder, name), { force: true });
        else left[name] = unusedSince;
      }
    }
    const wanted = new Set(published.bundles.map(({ sha256 }) => `${sha256}.part`));
    for (const name of await namesIn(join(this.path, "incoming"))) {
      if (!wanted.has(name)) await rm(join(this.path, "incoming", name), { recursive: true, force: true });
    }
    return left;
  }
}

/** Replaces a file in one rename, synced. */
async function replace(path: string, bytes: Buffer): Promise<void> {
  if ((await readIfThere(path))?.equals(bytes) === true) return;
  await writeSynced(`${path}.new`, bytes.toString("utf8"), "w");
  await rename(`${path}.new`, path);
  await syncFolder(join(path, ".."));
}

async function readIfThere(path: string): Promise<Buffer | null> {
  return readFile(path).catch((error: unknown) => {
    if (hasErrorCode(error, "ENOENT")) return null;
    throw error;
  });
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (hasErrorCode(error, "ENOENT")) return [];
    throw error;
  });
}

function namedBy<T>(bytes: Buffer, schema: z.ZodType<{ signed: T }>): T {
  return schema.parse(JSON.parse(bytes.toString("utf8"))).signed;
}
