// One refresh of the mirror: verifies the source's metadata, downloads the bundles, and publishes them as one state.
import { mkdtemp, readFile, rm, stat, statfs, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { Fault, hasErrorCode, isAbort, isFault } from "../../base/fault.ts";
import { makeFolder } from "../../base/files/durable-file.ts";
import { lockFolder } from "../../base/files/folder-lock.ts";
import type { Log } from "../../base/log.ts";
import { verifyReleases, type SignedTarget, type VerifiedReleases } from "../../base/releases/verify.ts";
import { dayMs } from "../../base/time.ts";
import { compareVersions } from "../../base/version-order.ts";
import { ReleaseManifest } from "../../protocol/device/updates.ts";
import { downloadBundle } from "./bundle-download.ts";
import type { MirrorFolder, NewMetadata } from "./mirror-folder.ts";
import { openSource, type ReleaseSource } from "./source.ts";

export interface RefreshOptions {
  /** A folder, or the address of a web server. */
  from: string;
  /** The file of the root that is trusted; null: the first one that the source has. */
  rootFile: string | null;
  /** How many bytes of bundles are kept. */
  maxBytes: number;
  /** Ms since the epoch. */
  now: number;
  log: Log;
  signal: AbortSignal;
}

const largestRoot = 512_000;
const unusedLimitMs = dayMs;
// The service's own data is on this disk as well.
const reserveBytes = 512 * 2 ** 20;
const reserveShare = 0.05;

/**
 * Brings the mirror to the source's newest state. After a failure the published releases stay; the record has the reason.
 * @throws the reason of the failure: Fault `unreachable`, `signature`, `metadata-…`, `file-corrupt`, `disk-full`; `data-in-use` while
 * another program refreshes the same mirror.
 */
export async function refreshMirror(folder: MirrorFolder, options: RefreshOptions): Promise<void> {
  using _ = lockMirror(folder);
  const { log, now, from } = options;
  const known = await folder.record.read().catch((error: unknown) => {
    if (isFault(error, "file-corrupt")) return { is: "absent" } as const;
    throw error;
  });
  const before = known.is === "found" ? known.value : null;
  const record = { source: from, checked_at: now, succeeded_at: before?.succeeded_at ?? null, error: null, unused: before?.unused ?? {} };
  try {
    await using source = openSource(from);
    const kept = await refreshFrom(source, folder, options);
    const unused = await folder.deleteUnused(kept, record.unused, now, unusedLimitMs);
    await folder.record.write({ ...record, succeeded_at: now, unused });
  } catch (error) {
    if (isAbort(error)) throw error;
    const reason = explain(error);
    // On a full disk the log still says it.
    await folder.record
      .write({ ...record, error: reason.message })
      .catch((cause: unknown) => log.warn({ err: cause }, "the mirror's record cannot be written"));
    throw reason;
  }
}

/** @returns the names of the bundles' files that the mirror keeps. */
async function refreshFrom(source: ReleaseSource, folder: MirrorFolder, options: RefreshOptions): Promise<Set<string>> {
  const { log, maxBytes, signal } = options;
  const { metadata, releases } = await verifySource(source, folder, options);
  const { kept, leftOut } = selectBundles(releases, maxBytes);
  if (leftOut.length > 0)
    log.warn({ bundles: leftOut, max_bytes: maxBytes }, "older releases are left out: they exceed the mirror's limit");
  const missing = [];
  for (const target of kept) {
    const found = await stat(folder.file(target.path)).catch(() => null);
    if (found?.size !== target.sizeBytes) missing.push(target);
  }
  await requireRoom(folder, missing);
  for (const target of missing) {
    await downloadBundle(source, folder, target, signal);
    log.info({ bundle: target.name, size_bytes: target.sizeBytes }, "release mirrored");
  }
  signal.throwIfAborted();
  await folder.publish(metadata);
  return new Set(kept.map(({ path }) => basename(path)));
}

/** Verifies the source's newest metadata from the trusted root on, against the published metadata. */
async function verifySource(
  source: ReleaseSource,
  folder: MirrorFolder,
  { rootFile, now, log, signal }: RefreshOptions,
): Promise<{ metadata: NewMetadata; releases: VerifiedReleases }> {
  const pinned = await folder.anchor();
  const anchor = rootFile === null ? (pinned ?? (await firstRoot(source, log, signal))) : await readFile(rootFile);
  const isSameAnchor = pinned?.equals(anchor) === true;
  await makeFolder(join(folder.path, "incoming"));
  // Verified in a folder of its own each time, since only published metadata decides if other metadata is too old.
  const trustFolder = await mkdtemp(join(folder.path, "incoming", "trust-"));
  try {
    const published = isSameAnchor ? await folder.publishedMetadata() : null;
    for (const [role, bytes] of Object.entries(published ?? {})) await writeFile(join(trustFolder, `${role}.json`), bytes);
    const roots = new Map<number, Buffer>([[versionOf(anchor), anchor]]);
    const read: ReleaseSource["read"] = async (path, maxBytes, each) => {
      const bytes = await source.read(path, maxBytes, each);
      const version = /^metadata\/(\d+)\.root\.json$/.exec(path)?.[1];
      if (version !== undefined && bytes !== null) roots.set(Number(version), bytes);
      return bytes;
    };
    const releases = await verifyReleases({ root: anchor, trustFolder, read, now, signal });
    const { versions } = releases;
    if (isSameAnchor && versions.root < (await folder.rootVersion())) {
      throw new Fault("metadata-rollback", `${source.name} has an older root than the mirror. Publish the newest root there`);
    }
    const bytesOf = (role: string) => readFile(join(trustFolder, `${role}.json`));
    const metadata = {
      anchor,
      roots,
      timestamp: await bytesOf("timestamp"),
      snapshot: { version: versions.snapshot, bytes: await bytesOf("snapshot") },
      targets: { version: versions.targets, bytes: await bytesOf("targets") },
    };
    return { metadata, releases };
  } catch (error) {
    if (rootFile !== null || !isFault(error, "signature")) throw error;
    const remedy = "If releases now come from another publisher, name its root with --releases-root";
    throw new Fault("signature", `${error.message}. ${remedy}`, { cause: error });
  } finally {
    await rm(trustFolder, { recursive: true, force: true });
  }
}

/** Trust on first use. Players do not rely on it: they verify with a root of their own. */
async function firstRoot(source: ReleaseSource, log: Log, signal: AbortSignal): Promise<Buffer> {
  const root = await source.read("metadata/1.root.json", largestRoot, signal);
  if (root === null) throw new Fault("unreachable", `${source.name} has no metadata/1.root.json: it is no release repository`);
  log.warn(
    { source: source.name },
    "the mirror trusts the root that it found at its first refresh; --releases-root names one that you have checked",
  );
  return root;
}

/** The bundles of the newest versions that fit into `maxBytes`. At least the newest version is kept whole. */
function selectBundles({ targets }: VerifiedReleases, maxBytes: number): { kept: SignedTarget[]; leftOut: string[] } {
  const known = targets.flatMap((target) => {
    const manifest = ReleaseManifest.safeParse(target.custom);
    return manifest.success ? [{ target, version: manifest.data.version }] : [];
  });
  const versions = [...new Set(known.map(({ version }) => version))].toSorted((a, b) => compareVersions(b, a));
  const kept: SignedTarget[] = [];
  let bytes = 0;
  for (const version of versions) {
    const bundles = known.filter((each) => each.version === version).map(({ target }) => target);
    bytes += bundles.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    // Older versions are not tried, so that the mirror has no gaps.
    if (bytes > maxBytes) break;
    kept.push(...bundles);
  }
  if (kept.length === 0 && known.length > 0) {
    throw new Fault(
      "refused",
      `Release ${versions[0]} is larger than the mirror's limit of ${maxBytes} bytes: raise it with --releases-max-gb`,
    );
  }
  return { kept, leftOut: known.filter(({ target }) => !kept.includes(target)).map(({ target }) => target.name) };
}

/** @throws Fault `disk-full` if the downloads would take the room that the service's own data needs. */
async function requireRoom(folder: MirrorFolder, missing: readonly SignedTarget[]): Promise<void> {
  if (missing.length === 0) return;
  const { bavail, blocks, bsize } = await statfs(folder.path);
  const reserve = Math.min(reserveBytes, reserveShare * blocks * bsize);
  let needed = reserve - bavail * bsize;
  for (const { sizeBytes, sha256 } of missing) {
    const part = await stat(folder.partOf(sha256)).catch(() => null);
    needed += sizeBytes - (part?.size ?? 0);
  }
  if (needed > 0) throw full(folder, needed);
}

function full({ path }: MirrorFolder, needed: number, cause?: unknown): Fault {
  const megabytes = Math.ceil(needed / 1e6);
  return new Fault("disk-full", `The releases do not fit on the disk of ${path}: free ${megabytes} MB there, or lower --releases-max-gb`, {
    cause,
  });
}

function explain(error: unknown): Error {
  if (isFault(error)) return error;
  if (hasErrorCode(error, "ENOSPC", "EDQUOT"))
    return new Fault("disk-full", "The disk is full: free some room, or lower --releases-max-gb", { cause: error });
  return error instanceof Error ? error : new Error(String(error));
}

function versionOf(root: Buffer): number {
  try {
    const { signed } = JSON.parse(root.toString("utf8")) as { signed: { version: number } };
    if (Number.isSafeInteger(signed.version)) return signed.version;
    throw new TypeError("it has no version");
  } catch (cause) {
    throw new Fault("signature", "The root is no root.json of a release repository", { cause });
  }
}

function lockMirror({ path }: MirrorFolder): Disposable {
  try {
    return lockFolder(path);
  } catch (error) {
    if (!isFault(error, "data-in-use")) throw error;
    throw new Fault("data-in-use", `Another program is refreshing ${path}: try again when it has finished`, { cause: error });
  }
}
