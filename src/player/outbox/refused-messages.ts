// Keeps the newest messages that the service refused, for people who look for the reason. Bounded by count and bytes.
import { readdir, rename } from "node:fs/promises";
import { basename, join } from "node:path";
import { makeFolder } from "../../base/files/durable-file.ts";
import { type DiskHealth, removals } from "../storage/disk-health.ts";
import { keepNewest } from "../storage/keep-newest.ts";
import type { HttpFault } from "../link/service-http.ts";

const maxFiles = 20;
const maxBytes = 16 * 2 ** 20;

export class RefusedMessages {
  readonly #folder: string;
  readonly #disk: DiskHealth;

  constructor(folder: string, disk: DiskHealth) {
    this.#folder = folder;
    this.#disk = disk;
  }

  /** Moves the message at `path` here, if it is on the disk, and reports it. Deletes the oldest ones that exceed a limit. */
  async add(path: string, refusal: HttpFault): Promise<void> {
    this.#disk.recordsLost("messages that the service refused", 1, `${basename(path)}: ${refusal.message}`);
    await this.#disk.attempt(removals, async () => {
      await makeFolder(this.#folder);
      // A message that the disk did not take has no file.
      const names = new Set(await readdir(join(this.#folder, "..")));
      if (names.has(basename(path))) await rename(path, join(this.#folder, basename(path)));
      await keepNewest(this.#folder, { maxFiles, maxBytes });
    });
  }
}
