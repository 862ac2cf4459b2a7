// The signed metadata of releases on the player: fetched from the service, verified, and kept for the launcher, which verifies it itself.
import { readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { Metadata, MetadataKind } from "@tufjs/models";
import { makeFolder, syncFolder, writeSynced } from "../../base/files/durable-file.ts";
import { hasErrorCode } from "../../base/fault.ts";
import { readFromFolder } from "../../base/releases/folder.ts";
import { type ReadRelease, verifyReleases, type VerifiedReleases } from "../../base/releases/verify.ts";
import { Blocked } from "./blocked.ts";

// As the TUF library allows for a root.
const maxRootBytes = 512_000;

export class ReleaseMetadata {
  readonly #folder: string;
  readonly #rootFile: string | null;

  /** @param folder the player's folder for updates. @param rootFile the trust anchor; null: the machine has none. */
  constructor(folder: string, rootFile: string | null) {
    this.#folder = folder;
    this.#rootFile = rootFile;
  }

  /**
   * Verifies the metadata that is on the disk. @param now corrected wall time, ms.
   * @throws Blocked without a trust anchor; else as {@link verifyReleases}.
   */
  async verifyStored(now: number, signal: AbortSignal): Promise<VerifiedReleases> {
    return this.#verify(await this.#anchor(), readFromFolder(this.#folder), now, signal);
  }

  /**
   * Verifies the repository's newest metadata, and stores it only if it is valid, so that the launcher never reads invalid metadata.
   * @throws Blocked without a trust anchor; else as {@link verifyReleases}.
   */
  async fetch(read: ReadRelease, now: number, signal: AbortSignal): Promise<VerifiedReleases> {
    const anchor = await this.#anchor();
    const roots = new Map<string, Buffer>();
    const readAndKeep: ReadRelease = async (path, maxBytes, end) => {
      const bytes = await read(path, maxBytes, end);
      const [, name] = /^metadata\/(\d+\.root\.json)$/.exec(path) ?? [];
      if (bytes !== null && name !== undefined) roots.set(name, bytes);
      return bytes;
    };
    const verified = await this.#verify(anchor, readAndKeep, now, signal);
    await this.#addRoots(anchor, verified.versions.root, roots, read, signal);
    await this.#store(roots, verified.versions);
    return verified;
  }

  #verify(root: Buffer, read: ReadRelease, now: number, signal: AbortSignal): Promise<VerifiedReleases> {
    return verifyReleases({ root, trustFolder: this.#trustFolder, read, now, signal });
  }

  async #anchor(): Promise<Buffer> {
    if (this.#rootFile === null) throw new Blocked(noAnchor);
    return readFile(this.#rootFile).catch((error: unknown) => {
      if (hasErrorCode(error, "ENOENT")) throw new Blocked(noAnchor);
      throw error;
    });
  }

  /** The launcher may trust an older root than the player, so it needs each one between the anchor and the newest. */
  async #addRoots(anchor: Buffer, newest: number, roots: Map<string, Buffer>, read: ReadRelease, signal: AbortSignal): Promise<void> {
    const first = Metadata.fromJSON(MetadataKind.Root, JSON.parse(anchor.toString("utf8"))).signed.version;
    const stored = new Set(await namesIn(this.#metadataFolder));
    for (let version = first + 1; version <= newest; version += 1) {
      const name = `${version}.root.json`;
      if (roots.has(name) || stored.has(name)) continue;
      const bytes = await read(`metadata/${name}`, maxRootBytes, signal);
      if (bytes !== null) roots.set(name, bytes);
    }
  }

  /** Copies the verified files. The timestamp, which names the others, comes last: a power cut leaves the old set or the new one. */
  async #store(roots: ReadonlyMap<string, Buffer>, { snapshot, targets }: VerifiedReleases["versions"]): Promise<void> {
    const folder = this.#metadataFolder;
    await makeFolder(folder);
    const [snapshotName, targetsName] = [`${snapshot}.snapshot.json`, `${targets}.targets.json`];
    for (const [name, bytes] of [
      ...roots,
      [targetsName, await readFile(join(this.#trustFolder, "targets.json"))] as const,
      [snapshotName, await readFile(join(this.#trustFolder, "snapshot.json"))] as const,
      ["timestamp.json", await readFile(join(this.#trustFolder, "timestamp.json"))] as const,
    ]) {
      const file = join(folder, name);
      const stored = await readFile(file).catch(() => null); // a file that cannot be read is written again
      if (stored?.equals(bytes) === true) continue;
      await writeSynced(`${file}.new`, bytes.toString("utf8"), "w");
      await rename(`${file}.new`, file);
      await syncFolder(folder);
    }
    const outdated = (await namesIn(folder)).filter((name) => /\.(snapshot|targets)\.json$/.test(name));
    for (const name of outdated) if (name !== snapshotName && name !== targetsName) await rm(join(folder, name), { force: true });
  }

  get #trustFolder(): string {
    return join(this.#folder, "trusted");
  }

  get #metadataFolder(): string {
    return join(this.#folder, "metadata");
  }
}

const noAnchor =
  "this machine has no root key for releases, so it cannot verify one. Install /etc/signage-player/root.json, or a package that has one";

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (hasErrorCode(error, "ENOENT")) return [];
    throw error;
  });
}
