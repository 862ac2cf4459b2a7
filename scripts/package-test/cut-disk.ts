// A disk whose state at one instant can be kept, as a power cut leaves it: an ext4 in a file on an XFS, whose files can be cloned at once.
// What the ext4 has not written yet is lost, as with a real disk.
import { execFile } from "node:child_process";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const execute = promisify(execFile);
const poolGigabytes = 24;
const diskGigabytes = 6;

export class CutDisk implements AsyncDisposable {
  /** The folder of the disk's files, while it is mounted. */
  readonly folder: string;
  readonly #pool: string;
  readonly #poolFile: string;
  #isMounted = false;

  private constructor(work: string) {
    this.folder = join(work, "disk");
    this.#pool = join(work, "pool");
    this.#poolFile = join(work, "pool.xfs");
  }

  /** Makes a disk with a copy of a system. */
  static async create(system: string, work: string): Promise<CutDisk> {
    const disk = new CutDisk(work);
    for (const folder of [disk.folder, disk.#pool]) await mkdir(folder, { recursive: true });
    await execute("truncate", [`--size=${poolGigabytes}G`, disk.#poolFile]);
    await execute("mkfs.xfs", ["-q", "-m", "reflink=1", disk.#poolFile]);
    await execute("mount", ["-o", "loop", disk.#poolFile, disk.#pool]);
    await execute("mke2fs", ["-q", "-t", "ext4", "-d", system, disk.#file, `${diskGigabytes}G`]);
    await disk.#mount();
    return disk;
  }

  get #file(): string {
    return join(this.#pool, "disk.ext4");
  }

  /** Keeps the state of this instant. */
  async keepState(): Promise<void> {
    await execute("cp", ["--reflink=always", this.#file, join(this.#pool, "kept.ext4")]);
  }

  /** Goes back to the kept state, which the file system repairs by its journal. Nothing may use the disk any more. */
  async returnToState(): Promise<void> {
    await this.#unmount();
    await rename(join(this.#pool, "kept.ext4"), this.#file);
    // As a boot does: 0 is whole, 1 is repaired.
    await execute("e2fsck", ["-p", this.#file]).catch((error: { code?: number; stdout?: string }) => {
      if (error.code !== 1) throw new Error(`e2fsck: ${String(error.stdout)}`, { cause: error });
    });
    await this.#mount();
  }

  async #mount(): Promise<void> {
    await execute("mount", ["-o", "loop,noatime", this.#file, this.folder]);
    this.#isMounted = true;
  }

  async #unmount(): Promise<void> {
    if (this.#isMounted) await execute("umount", [this.folder]);
    this.#isMounted = false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#unmount();
    await execute("umount", [this.#pool]);
    await rm(this.#poolFile, { force: true });
  }
}
