// Keeps the newest play events that cannot be delivered, because the service or this player's own schema refused them, for people who look for the reason.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../../base/files/durable-file.ts";
import type { PlayEvent } from "../../protocol/device/play-events.ts";
import type { DiskHealth } from "../storage/disk-health.ts";
import { keepNewest } from "../storage/keep-newest.ts";

const maxFiles = 20;
// An event has less than 2 kB.
const maxBytes = 2 ** 20;

export class RefusedPlays {
  readonly #folder: string;
  readonly #disk: DiskHealth;

  constructor(folder: string, disk: DiskHealth) {
    this.#folder = folder;
    this.#disk = disk;
  }

  /** Reports events as lost and keeps the newest of them, one per file with the reason. @param kind names them in reports. */
  async add(events: readonly PlayEvent[], reason: string, kind = "play events that the service refused"): Promise<void> {
    this.#disk.recordsLost(kind, events.length, reason);
    await this.#disk.attempt(kind, async () => {
      await makeFolder(this.#folder);
      for (const event of events.slice(-maxFiles)) {
        await writeFile(join(this.#folder, `${event.id}.json`), `${JSON.stringify({ reason, event })}\n`, { mode: 0o600 });
      }
      await keepNewest(this.#folder, { maxFiles, maxBytes });
    });
  }
}
