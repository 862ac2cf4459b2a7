// Verifies a release repository's metadata by The Update Framework (TUF), and remembers the newest that was trusted.
import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Metadata, MetadataKind, type TargetFile } from "@tufjs/models";
import { DownloadHTTPError } from "tuf-js/dist/error.js";
import { Updater, type Fetcher } from "tuf-js";
import { makeFolder, syncFolder, writeSynced } from "../files/durable-file.ts";
import { hasErrorCode } from "../fault.ts";
import { metadataFault } from "./metadata-fault.ts";

/**
 * Reads a file of the repository by its path below it, such as `metadata/2.root.json`. Null: the repository does not have it.
 * @param maxBytes a longer file must be refused.
 */
export type ReadRelease = (path: string, maxBytes: number, signal?: AbortSignal) => Promise<Buffer | null>;

export interface VerifyOptions {
  /** The trust anchor: a root.json that was installed by the machine's owner. */
  root: Buffer;
  /** Keeps the newest trusted metadata, against rollback. Created if it is missing; one verification at a time. */
  trustFolder: string;
  read: ReadRelease;
  /** The time by which metadata expires, ms since the epoch. */
  now: number;
  signal?: AbortSignal;
}

/** A bundle as the signed metadata describes it. */
export interface SignedTarget {
  name: string;
  /** Its path below the repository: `targets/<sha256>.<name>`. */
  path: string;
  sizeBytes: number;
  sha256: string;
  /** The signer's own fields, not yet parsed. */
  custom: unknown;
}

export interface VerifiedReleases {
  /** The versions of the metadata. */
  versions: { root: number; timestamp: number; snapshot: number; targets: number };
  /** When the first part of the metadata expires, ms since the epoch. */
  expiresAt: number;
  targets: readonly SignedTarget[];
  find(name: string): SignedTarget | null;
}

// A URL that the library builds paths on. Nothing is fetched from it.
const repositoryUrl = "http://repository.invalid/";
const roles = ["root", "timestamp", "snapshot", "targets"] as const;

/**
 * Follows TUF's client workflow from the trusted root to the targets, and stores each part that was verified.
 * @throws Fault `signature`: too few valid signatures, or not a file of this repository. `metadata-rollback`: older than the metadata
 * trusted before. `metadata-expired`: a part has expired. `metadata-missing`: a part is not there. The errors of `read` as they are.
 */
export async function verifyReleases({ root, trustFolder, read, now, signal }: VerifyOptions): Promise<VerifiedReleases> {
  await makeFolder(trustFolder);
  // The library writes without syncing, so it works in a folder of its own.
  const working = await openWorkingFolder(trustFolder, root);
  try {
    const failures: unknown[] = [];
    await refresh(working, fetcherOf(read, signal, failures), now, failures);
    return await releasesIn(working);
  } finally {
    // The files that were verified before a failure stay trusted, as the specification says.
    await keepTrusted(working, trustFolder, root);
    await rm(working, { recursive: true, force: true });
  }
}

async function refresh(folder: string, fetcher: Fetcher, now: number, failures: unknown[]): Promise<void> {
  try {
    const updater = new Updater({ metadataDir: folder, metadataBaseUrl: `${repositoryUrl}metadata`, fetcher });
    setReferenceTime(updater, now);
    await updater.refresh();
  } catch (error) {
    // The library passes on only the message of the fetcher's error.
    throw failures[0] ?? metadataFault(error);
  }
}

/** tuf-js 6 takes the machine's time and has no option for another one, so its private field is replaced. TUF4 tests the effect. */
function setReferenceTime(updater: Updater, now: number): void {
  const { trustedSet } = updater as unknown as { trustedSet?: { referenceTime?: unknown } };
  if (!(trustedSet?.referenceTime instanceof Date)) throw new Error("tuf-js has changed: it has no trustedSet.referenceTime");
  trustedSet.referenceTime = new Date(now);
}

function fetcherOf(read: ReadRelease, signal: AbortSignal | undefined, failures: unknown[]): Fetcher {
  return {
    async downloadBytes(url, maxBytes) {
      const path = url.slice(repositoryUrl.length);
      const bytes = await read(path, maxBytes, signal).catch((error: unknown) => {
        failures.push(error);
        throw error;
      });
      if (bytes !== null && bytes.length <= maxBytes) return bytes;
      if (bytes === null && /\d\.root\.json$/.test(path)) throw new DownloadHTTPError("there is no newer root", 404);
      const fault = metadataFault(bytes === null ? "missing" : "too long", path);
      failures.push(fault);
      throw fault;
    },
    downloadFile: () => Promise.reject(new Error("targets are verified by verifyTarget")),
  };
}

/** A new folder with the trusted metadata. Another anchor than before starts anew from its root. */
async function openWorkingFolder(trustFolder: string, root: Buffer): Promise<string> {
  for (const name of await readdir(trustFolder)) {
    if (name.startsWith("working-")) await rm(join(trustFolder, name), { recursive: true, force: true });
  }
  const working = join(trustFolder, `working-${randomUUID()}`);
  await mkdir(working);
  const anchor = await readIfThere(join(trustFolder, "anchor.json"));
  for (const role of roles) {
    const previous = await readIfThere(join(trustFolder, `${role}.json`));
    const isOfAnchor = anchor?.equals(root) === true || role !== "root";
    // The library fetches damaged metadata again, except for the root.
    if (previous !== null && isOfAnchor && (role !== "root" || isRoot(previous))) await writeFile(join(working, `${role}.json`), previous);
    else if (role === "root") await writeFile(join(working, "root.json"), root);
  }
  return working;
}

async function keepTrusted(working: string, trustFolder: string, root: Buffer): Promise<void> {
  for (const [name, bytes] of [
    // The root of another anchor must never stay beside this one, so the new root comes first.
    ...(await Promise.all(roles.map(async (role) => [`${role}.json`, await readIfThere(join(working, `${role}.json`))] as const))),
    ["anchor.json", root] as const,
  ]) {
    const path = join(trustFolder, name);
    if (bytes === null || (await readIfThere(path))?.equals(bytes) === true) continue;
    await writeSynced(`${path}.new`, bytes.toString("utf8"), "w");
    await rename(`${path}.new`, path);
    await syncFolder(trustFolder);
  }
}

async function releasesIn(folder: string): Promise<VerifiedReleases> {
  const json = async (role: string): Promise<never> => JSON.parse(await readFile(join(folder, `${role}.json`), "utf8")) as never;
  const root = Metadata.fromJSON(MetadataKind.Root, await json("root")).signed;
  const timestamp = Metadata.fromJSON(MetadataKind.Timestamp, await json("timestamp")).signed;
  const snapshot = Metadata.fromJSON(MetadataKind.Snapshot, await json("snapshot")).signed;
  const { signed: metadata } = Metadata.fromJSON(MetadataKind.Targets, await json("targets"));
  const targets = Object.values(metadata.targets).flatMap((target) => signedTarget(target) ?? []);
  return {
    versions: { root: root.version, timestamp: timestamp.version, snapshot: snapshot.version, targets: metadata.version },
    expiresAt: Math.min(...[root, timestamp, snapshot, metadata].map(({ expires }) => Date.parse(expires))),
    targets,
    find: (name) => targets.find((target) => target.name === name) ?? null,
  };
}

/** Null for a target without a SHA-256 or in a folder, which this project's releases do not have. */
function signedTarget({ path: name, length, hashes, custom }: TargetFile): SignedTarget | null {
  const sha256 = hashes["sha256"];
  if (sha256 === undefined || !/^[0-9a-f]{64}$/.test(sha256) || !/^[A-Za-z0-9][A-Za-z0-9._~+-]*$/.test(name)) return null;
  return { name, path: `targets/${sha256}.${name}`, sizeBytes: length, sha256, custom };
}

async function readIfThere(path: string): Promise<Buffer | null> {
  return readFile(path).catch((error: unknown) => {
    if (hasErrorCode(error, "ENOENT")) return null;
    throw error;
  });
}

function isRoot(bytes: Buffer): boolean {
  try {
    const root = Metadata.fromJSON(MetadataKind.Root, JSON.parse(bytes.toString("utf8")) as never);
    root.verifyDelegate("root", root);
    return true;
  } catch {
    return false; // damaged: the caller starts from the anchor again
  }
}
