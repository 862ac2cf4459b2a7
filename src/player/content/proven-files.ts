// The files of the content cache whose SHA-256 has been verified. A file that looks unchanged is not read again at the next start.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import { DurableFile, makeFolder } from "../../base/files/durable-file.ts";
import { isFault } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import { DiskHealth, removals } from "../disk-health.ts";
import type { DesiredAsset } from "../../protocol/device/desired-state.ts";

const Fingerprint = z.object({ size: z.number(), modifiedMs: z.number(), inode: z.number() });
/** The attributes of a file in the file system when its hash was verified. */
type Fingerprint = z.infer<typeof Fingerprint>;

const Fingerprints = z.record(z.string(), Fingerprint);
type Fingerprints = z.infer<typeof Fingerprints>;

/** The name of the cache in reports about the disk. */
const what = "content";

export class ProvenFiles {
  readonly folder: string;
  readonly #log: Log;
  readonly #disk: DiskHealth;
  readonly #file: DurableFile<Fingerprints>;
  /** By SHA-256, which is also the file's name. */
  #fingerprints: Fingerprints = {};

  private constructor(folder: string, log: Log, disk: DiskHealth) {
    this.folder = folder;
    this.#log = log;
    this.#disk = disk;
    this.#file = new DurableFile(join(folder, "proofs.json"), (json) => Fingerprints.parse(json));
  }

  static async open(folder: string, log: Log, disk = new DiskHealth(log)): Promise<ProvenFiles> {
    const files = new ProvenFiles(folder, log, disk);
    await disk.attempt(what, () => makeFolder(folder));
    try {
      const read = await files.#file.read();
      if (read.is === "found") files.#fingerprints = read.value;
    } catch (error) {
      if (!isFault(error, "file-corrupt")) throw error;
      log.warn("the list of verified files is damaged: verifying all files again");
    }
    return files;
  }

  pathOf(sha256: string): string {
    return join(this.folder, sha256);
  }

  /** Asset id to SHA-256 of those assets whose file is here and proven. Removes damaged files. */
  async presentOf(assets: readonly DesiredAsset[]): Promise<Map<string, string>> {
    const present = new Map<string, string>();
    for (const asset of assets) {
      if (await this.#isProven(asset)) present.set(asset.id, asset.sha256);
    }
    return present;
  }

  /** Records the file that was just verified. Durable after {@link save}. */
  async add(sha256: string): Promise<void> {
    this.#fingerprints[sha256] = (await fingerprintOf(this.pathOf(sha256)))!;
  }

  async save(): Promise<void> {
    await this.#disk.attempt(what, () => this.#file.write(this.#fingerprints));
  }

  /** Removes all files, finished or partial, but those with these hashes. @returns the names of the removed files. */
  async removeAllBut(kept: ReadonlySet<string>): Promise<string[]> {
    const removed: string[] = [];
    await this.#disk.attempt(removals, async () => {
      await makeFolder(this.folder);
      for (const name of await readdir(this.folder)) {
        if (name.startsWith("proofs.json") || kept.has(name.replace(/\.part$/, ""))) continue;
        await rm(join(this.folder, name), { force: true });
        delete this.#fingerprints[name];
        removed.push(name);
      }
    });
    if (removed.length > 0) await this.save();
    return removed;
  }

  async purge(): Promise<void> {
    this.#fingerprints = {};
    await this.#disk.attempt(what, async () => {
      await rm(this.folder, { recursive: true, force: true });
      await makeFolder(this.folder);
    });
  }

  /** Whether the file is here and unchanged since it was verified. A changed file is verified again. */
  async #isProven(asset: DesiredAsset): Promise<boolean> {
    const path = this.pathOf(asset.sha256);
    const now = await fingerprintOf(path);
    if (now === null) return false;
    const known = this.#fingerprints[asset.sha256];
    if (known !== undefined && known.size === now.size && known.modifiedMs === now.modifiedMs && known.inode === now.inode) return true;
    const hash = createHash("sha256");
    await pipeline(createReadStream(path), hash);
    if (hash.digest("hex") === asset.sha256) {
      this.#fingerprints[asset.sha256] = now;
      return true;
    }
    this.#log.error({ asset_id: asset.id }, "a stored file is damaged: fetching it again");
    await rm(path, { force: true });
    return false;
  }
}

async function fingerprintOf(path: string): Promise<Fingerprint | null> {
  try {
    const { size, mtimeMs, ino } = await stat(path);
    return { size, modifiedMs: mtimeMs, inode: ino };
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}
