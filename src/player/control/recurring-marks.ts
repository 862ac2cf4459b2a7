// Remembers on the disk up to when recurring commands were run, so that none runs twice after a restart.
import { join } from "node:path";
import { z } from "zod";
import { DurableFile } from "../../base/files/durable-file.ts";
import { isReadFailure } from "../../base/files/system-error.ts";
import { isFault } from "../../base/fault.ts";
import { hourMs } from "../../base/time.ts";
import type { DiskHealth } from "../storage/disk-health.ts";

const Marks = z.object({
  /** By name: the definition that the mark is for, and the instant up to which its runs are settled, corrected UTC ms. */
  settled: z.record(z.string(), z.object({ of: z.string(), at: z.number() })),
  /** The newest runs, for the limits of command types. */
  runs: z.array(z.object({ type: z.string(), at: z.number() })),
});
type Marks = z.infer<typeof Marks>;

const name = "recurring-commands.json";
const maxRuns = 200;
// Smaller steps back happen when a clock is corrected. After a larger one the marks are from a time that was wrong.
const maxAheadMs = hourMs;

export class RecurringMarks {
  readonly #file: DurableFile<Marks>;
  readonly #disk: DiskHealth;
  /** Why the file could not be read, which must not be replaced then; null: it was. */
  readonly #unread: unknown;
  #marks: Marks;

  private constructor(file: DurableFile<Marks>, disk: DiskHealth, marks: Marks, unread: unknown = null) {
    this.#unread = unread;
    this.#file = file;
    this.#disk = disk;
    this.#marks = marks;
  }

  /**
   * Reads the marks of the data folder. Without them, or if they are damaged, every command is new. So it is while the disk fails to read
   * them, but then nothing is recorded.
   */
  static async open(folder: string, disk: DiskHealth): Promise<RecurringMarks> {
    const file = new DurableFile<Marks>(join(folder, name), (json) => Marks.parse(json));
    try {
      const read = await file.read();
      return new RecurringMarks(file, disk, read.is === "found" ? read.value : noMarks());
    } catch (error) {
      if (isReadFailure(error)) {
        disk.unreadable(name, error, () => file.read());
        return new RecurringMarks(file, disk, noMarks(), error);
      }
      if (!isFault(error, "file-corrupt")) throw error;
      disk.fileDamaged(name, "recurring commands run from their next time on", error);
      return new RecurringMarks(file, disk, noMarks());
    }
  }

  /**
   * Up to when the runs of these commands are settled, by name. A command that is new or was changed is settled up to `now`; those that
   * are no longer there are forgotten.
   */
  async settledUntil(commands: readonly { name: string; of: string }[], now: number): Promise<ReadonlyMap<string, number>> {
    const { settled } = this.#marks;
    const next = commands.map(({ name: command, of }): [string, { of: string; at: number }] => {
      const mark = settled[command];
      const isKnown = mark !== undefined && mark.of === of && mark.at <= now + maxAheadMs;
      return [command, isKnown ? mark : { of, at: now }];
    });
    const isChanged = next.length !== Object.keys(settled).length || next.some(([command, mark]) => settled[command] !== mark);
    if (isChanged) {
      this.#marks = { ...this.#marks, settled: Object.fromEntries(next) };
      await this.#write();
    }
    return new Map(next.map(([command, { at }]) => [command, at]));
  }

  /** Settles the runs of a command without writing that: nothing of it has run. */
  pass(command: string, at: number): void {
    const mark = this.#marks.settled[command];
    if (mark !== undefined && mark.at < at) mark.at = at;
  }

  /** Records a run before it begins. Resolves to whether it would survive a power loss. */
  record(command: string, type: string, due: number, now: number): Promise<boolean> {
    this.pass(command, due);
    this.#marks = { ...this.#marks, runs: [...this.#marks.runs, { type, at: now }].slice(-maxRuns) };
    return this.#write();
  }

  /** How many commands of a type ran since an instant. */
  runsSince(type: string, since: number): number {
    return this.#marks.runs.filter((run) => run.type === type && run.at > since).length;
  }

  /** Forgets everything, after a revocation. */
  async purge(): Promise<void> {
    this.#marks = noMarks();
    await this.#disk.attempt(name, () => this.#file.remove());
  }

  #write(): Promise<boolean> {
    return this.#disk.attempt(name, () => (this.#unread === null ? this.#file.write(this.#marks) : Promise.reject(this.#unread)));
  }
}

function noMarks(): Marks {
  return { settled: {}, runs: [] };
}
