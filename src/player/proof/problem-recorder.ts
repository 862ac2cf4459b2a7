// Records the player's problems for the service, also while it is offline: the outbox delivers each record.
import { join } from "node:path";
import { z } from "zod";
import type { Clock } from "../../base/clock.ts";
import { DurableFile } from "../../base/files/durable-file.ts";
import { ulid } from "../../base/ulid.ts";
import type { PlayerProblem } from "../../protocol/device/player-problems.ts";
import type { Outbox } from "../outbox/outbox.ts";
import type { DiskHealth } from "../storage/disk-health.ts";
import { StoredValue } from "../storage/stored-value.ts";
import { KeptRecord, recordProblems } from "./problem-records.ts";

const intervalMs = 15_000;
const KeptRecords = z.array(KeptRecord);

export interface ProblemRecorderDependencies {
  folder: string;
  clock: Clock;
  outbox: Outbox;
  disk: DiskHealth;
}

export class ProblemRecorder {
  readonly #clock: Clock;
  readonly #outbox: Outbox;
  readonly #stored: StoredValue<KeptRecord[]>;
  #records: KeptRecord[];

  private constructor({ clock, outbox }: ProblemRecorderDependencies, stored: StoredValue<KeptRecord[]>) {
    this.#clock = clock;
    this.#outbox = outbox;
    this.#stored = stored;
    this.#records = stored.value ?? [];
  }

  /** Opens the records in `folder`. Problems of the previous run that do not return end with the first look at this run's. */
  static async open(dependencies: ProblemRecorderDependencies): Promise<ProblemRecorder> {
    const file = new DurableFile(join(dependencies.folder, "problems.json"), (json) => KeptRecords.parse(json));
    const merge = (before: KeptRecord[], since: KeptRecord[]): KeptRecord[] => [
      ...before.filter(({ id }) => !since.some((other) => other.id === id)),
      ...since,
    ];
    const stored = await StoredValue.open(file, dependencies.disk, "the problems of the previous run stay open", { merge });
    return new ProblemRecorder(dependencies, stored);
  }

  /** Looks at the problems every 15 seconds until `signal` aborts (rejects with AbortError). */
  async run(listProblems: () => Promise<readonly PlayerProblem[]>, signal: AbortSignal): Promise<never> {
    for (;;) {
      await this.#clock.wait(intervalMs, signal);
      await this.record(await listProblems());
    }
  }

  /** Records the changes since the last call. @param problems the current problems. */
  async record(problems: readonly PlayerProblem[]): Promise<void> {
    const now = this.#clock.now();
    const { records, changed } = recordProblems(this.#records, problems, now, () => `prb_${ulid(now)}`);
    this.#records = records;
    // A problem that comes and goes all the time must not wear out the disk.
    if (changed.length === 0) return;
    // If the player is killed before the outbox has a change, the next run sends it.
    const unsent = changed.map((kept) => ({ ...kept, isHeldBack: true }));
    await this.#stored.set([...records.filter((kept) => !changed.includes(kept)), ...unsent]);
    for (const { id, record } of changed) await this.#outbox.put({ is: "problem", problemId: id, record });
    await this.#stored.set(records);
  }

  /** Writes the records if the disk lacks them. */
  save(): Promise<void> {
    return this.#stored.save();
  }

  /** Deletes the records after a revocation. */
  async purge(): Promise<void> {
    this.#records = [];
    await this.#stored.set(null);
  }
}
