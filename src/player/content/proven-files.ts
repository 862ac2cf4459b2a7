// The files of the content cache whose SHA-256 has been verified. A file that looks unchanged is not read again at the next start.
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { DurableFile, makeFolder } from "../../base/files/durable-file.ts";
import { hashFile } from "../../base/files/hash-file.ts";
import { isReadFailure } from "../../base/files/system-error.ts";
import { Fault, isFault, reasonOf, hasErrorCode } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import { DiskHealth, removals } from "../storage/disk-health.ts";
import type { DesiredAsset } from "../../protocol/device/desired-state.ts";

const Fingerprint = z.object({ size: z.number(), modifiedMs: z.number(), inode: z.number() });
/** The attributes of a file in the file system when its hash was verified. */
type Fingerprint = z.infer<typeof Fingerprint>;

// A file that cannot be read for one of these reasons is skipped and fetched again. Others, such as too many open files, say nothing about
// the file.
const damageCodes = ["EIO", "EACCES", "EISDIR", "EUCLEAN", "EBADMSG"];

/** The damage to a file. `error`: the disk failed to read it, and it may be whole. */
interface Damage {
  reason: string;
  error?: unknown;
}

/** The result of reading a file again. A file whose bytes are wrong has been removed; one that the disk fails to read is left there. */
type Verification = { is: "intact" } | { is: "damaged"; reason: string };

const Fingerprints = z.record(z.string(), Fingerprint);
type Fingerprints = z.infer<typeof Fingerprints>;

/** The name of a file, finished or partial. All others in the folder are the cache's own. */
const mediaFile = /^[0-9a-f]{64}(?:\.part)?$/;

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
      if (read.is === "found" && read.isRecovered) {
        disk.fileDamaged("proofs.json", "using its previous generation");
        await files.save();
      }
    } catch (error) {
      // Without the list all files are verified again.
      if (isReadFailure(error)) return files;
      if (!isFault(error, "file-corrupt")) throw error;
      disk.fileDamaged("proofs.json", "verifying all files again", error);
      await files.save();
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
      try {
        if (await this.#isProven(asset)) present.set(asset.id, asset.sha256);
      } catch (error) {
        if (isReadFailure(error)) this.#unreadable(asset.sha256, error);
        this.#log.warn({ asset_id: asset.id, reason: reasonOf(error) }, "a stored file could not be verified");
      }
    }
    return present;
  }

  /** Records the file that was just verified. Durable after {@link save}. @throws Fault `asset-missing` if it cannot be found. */
  async add(sha256: string): Promise<void> {
    const fingerprint = await fingerprintOf(this.pathOf(sha256));
    if ("reason" in fingerprint) throw new Fault("asset-missing", "the file that was just stored cannot be found");
    this.#fingerprints[sha256] = fingerprint;
  }

  /** Without the list, as on a full disk, the next start verifies the files again. */
  async save(): Promise<void> {
    await this.#disk.attempt(what, () => this.#file.write(this.#fingerprints));
  }

  /** Removes all files, finished or partial, but those with these hashes. @returns the names of the removed files. */
  async removeAllBut(kept: ReadonlySet<string>): Promise<string[]> {
    const removed: string[] = [];
    await this.#disk.attempt(removals, async () => {
      await makeFolder(this.folder);
      for (const name of await readdir(this.folder)) {
        if (!mediaFile.test(name) || kept.has(name.slice(0, 64))) continue;
        await rm(join(this.folder, name), { force: true });
        delete this.#fingerprints[name];
        removed.push(name);
      }
    });
    if (removed.length > 0) await this.save();
    return removed;
  }

  /** The sizes of all files, finished or partial, by name. */
  async sizes(): Promise<Map<string, number>> {
    const sizes = new Map<string, number>();
    for (const name of await readdir(this.folder)) {
      const found = mediaFile.test(name) ? await fingerprintOf(this.pathOf(name)) : null;
      if (found !== null && "size" in found) sizes.set(name, found.size);
    }
    return sizes;
  }

  async purge(): Promise<void> {
    this.#fingerprints = {};
    await this.#disk.attempt(what, async () => {
      await rm(this.folder, { recursive: true, force: true });
      await makeFolder(this.folder);
    });
  }

  /**
   * Reads a file, whatever is known of it, and removes it unless its bytes have this hash.
   * @param pace awaited after each read of that many bytes; it may reject to end the verification.
   */
  async verify(sha256: string, pace: (bytes: number) => Promise<void> = async () => undefined): Promise<Verification> {
    const path = this.pathOf(sha256);
    for (;;) {
      const before = await fingerprintOf(path);
      const found = "reason" in before ? before : ((await damageOf(path, sha256, pace)) ?? before);
      // The file was downloaded again during the read.
      if (inodeOf(before) !== inodeOf(await fingerprintOf(path))) continue;
      if ("inode" in found) {
        this.#fingerprints[sha256] = found;
        return { is: "intact" };
      }
      if (isReadFailure(found.error)) this.#unreadable(sha256, found.error);
      else await this.#remove(sha256);
      return { is: "damaged", reason: found.reason };
    }
  }

  /** True if the file is here and unchanged since it was verified. A changed file is verified again. */
  async #isProven(asset: DesiredAsset): Promise<boolean> {
    const now = await fingerprintOf(this.pathOf(asset.sha256));
    if ("reason" in now && now.error === undefined) return false;
    const known = this.#fingerprints[asset.sha256];
    if (known !== undefined && isDeepStrictEqual(now, known)) return true;
    const verified = await this.verify(asset.sha256);
    if (verified.is === "intact") return true;
    this.#log.error({ asset_id: asset.id, reason: verified.reason }, "a stored file is damaged: fetching it again");
    return false;
  }

  /** A file that the disk fails to read may be whole: it stays, and the next download replaces it. */
  #unreadable(sha256: string, error: unknown): void {
    this.#disk.unreadable(what, error, async () => {
      await stat(this.pathOf(sha256));
      await hashFile(this.pathOf(sha256));
    });
  }

  /** A file that cannot be removed, as on a disk that became read-only, is replaced by the next download. */
  async #remove(sha256: string): Promise<void> {
    delete this.#fingerprints[sha256];
    try {
      await rm(this.pathOf(sha256), { recursive: true, force: true });
    } catch (error) {
      this.#log.warn({ sha256, reason: reasonOf(error) }, "a damaged file could not be removed");
    }
  }
}

/** Why the file at `path` is not the one with this hash; null if it is. */
async function damageOf(path: string, sha256: string, pace: (bytes: number) => Promise<void>): Promise<Damage | null> {
  try {
    const { hash } = await hashFile(path, { pace });
    return hash.digest("hex") === sha256 ? null : { reason: "its bytes have changed" };
  } catch (error) {
    return damageBy(error);
  }
}

/** The file's attributes, or why there are none. */
async function fingerprintOf(path: string): Promise<Fingerprint | Damage> {
  try {
    const { size, mtimeMs, ino } = await stat(path);
    return { size, modifiedMs: mtimeMs, inode: ino };
  } catch (error) {
    return damageBy(error);
  }
}

/** The damage that a failed read proves. @throws an error that says nothing about the file. */
function damageBy(error: unknown): Damage {
  if (hasErrorCode(error, "ENOENT")) return { reason: "the file is missing" };
  if (hasErrorCode(error, ...damageCodes)) return { reason: `it cannot be read: ${reasonOf(error)}`, error };
  throw error;
}

function inodeOf(found: Fingerprint | Damage): number | null {
  return "inode" in found ? found.inode : null;
}
