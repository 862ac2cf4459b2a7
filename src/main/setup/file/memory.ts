// The data of setup between starts: the files that it has applied, and the problem with the newest one.
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { z } from "zod";
import { DurableFile } from "../../../base/files/durable-file.ts";
import { isFault, reasonOf } from "../../../base/fault.ts";
import type { Log } from "../../../base/log.ts";
import type { Places } from "../places.ts";
import { replaceFile } from "../replace-file.ts";
import { SetupReport } from "../report.ts";

const Applied = z.object({ hashes: z.array(z.string()) });

// A few sticks and the boot partition, each with its text before and after the secrets were removed.
const maxHashes = 64;

/** The files that were applied, by the SHA-256 of their text. A file that is damaged counts as empty: then they are applied again. */
export class AppliedFiles {
  readonly #file: DurableFile<z.infer<typeof Applied>>;
  readonly #hashes: string[];

  private constructor(file: DurableFile<z.infer<typeof Applied>>, hashes: string[]) {
    this.#file = file;
    this.#hashes = hashes;
  }

  static async open({ applied }: Places, log: Log): Promise<AppliedFiles> {
    // Others may enter the folder, for the report.
    await mkdir(dirname(applied), { recursive: true, mode: 0o755 });
    const file = new DurableFile(applied, (json) => Applied.parse(json));
    try {
      const read = await file.read();
      return new AppliedFiles(file, read.is === "found" ? read.value.hashes : []);
    } catch (error) {
      if (!isFault(error, "file-corrupt")) throw error;
      log.warn({ reason: reasonOf(error) }, "setup forgot which files it has applied");
      return new AppliedFiles(file, []);
    }
  }

  has(hash: string): boolean {
    return this.#hashes.includes(hash);
  }

  /** Resolves once the hashes survive power loss. */
  async remember(...hashes: string[]): Promise<void> {
    this.#hashes.push(...hashes.filter((hash) => !this.has(hash)));
    this.#hashes.splice(0, this.#hashes.length - maxHashes);
    await this.#file.write({ hashes: this.#hashes });
  }
}

/** Stores the problem with the newest file, for the player's screen; null: there is none. */
export async function writeReport({ report }: Places, problem: string | null): Promise<void> {
  await replaceFile(report, `${JSON.stringify(SetupReport.parse({ problem }))}\n`, { mode: 0o644 });
}
