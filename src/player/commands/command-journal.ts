// Keeps durably which commands came and what became of them, and up to which instant it may have forgotten some.
import { join } from "node:path";
import { z } from "zod";
import type { CorrectedClock } from "../../base/clock.ts";
import { DurableFile } from "../../base/files/durable-file.ts";
import { isFault, reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import { CommandUpdate, finalStatuses } from "../../protocol/device/commands.ts";

/** What is known of one command. */
export const JournalEntry = z.object({
  id: z.string(),
  type: z.string(),
  /** When it came, by this player's clock. */
  at: z.number(),
  /** When the service made it, by its own clock. Entries of older versions have none. */
  issuedAt: z.number().optional(),
  update: CommandUpdate,
});
export type JournalEntry = z.infer<typeof JournalEntry>;

const Mark = z.object({
  /** The instant counts for commands of this key only: it is one of that service's clock. */
  serviceKey: z.string(),
  /** Commands issued up to this instant may have run and been forgotten; service time, UTC ms. */
  refusedUntil: z.number(),
  /** The journal was lost and the service's time has not been known since: nothing is known to be newer than the loss. */
  isUndated: z.boolean(),
});
type Mark = z.infer<typeof Mark>;

const Kept = z.object({ mark: Mark, entries: z.array(JournalEntry) });
type Kept = z.infer<typeof Kept>;
// Versions before the mark kept the entries alone.
const Stored = z.union([Kept, z.array(JournalEntry)]);
type Stored = z.infer<typeof Stored>;

// The service repeats a command until it is acknowledged, but never for longer than this (7 days, 1,000 ids).
const keptMs = 7 * 86_400_000;
const maxEntries = 1_000;
// Above what two readings of the service's clock differ by, its own error aside.
const marginMs = 5_000;

export interface JournalDependencies {
  folder: string;
  serviceKey: string;
  clock: CorrectedClock;
  log: Log;
}

/**
 * The journal of commands (`commands.json`). A paired player always has one: if it is gone or damaged, all that was
 * issued before the player noticed, and that the generation before it does not know, may have run. The mark of that
 * stands in a file of its own as well (`commands-mark.json`), so that losing either one does not lose the mark.
 */
export class CommandJournal {
  readonly #file: DurableFile<Stored>;
  readonly #markFile: DurableFile<Mark>;
  readonly #clock: CorrectedClock;
  readonly #log: Log;
  readonly #openedAt: number;
  readonly #entries: Map<string, JournalEntry>;
  #mark: Mark;
  /** Whether the mark stands in both files. */
  #isMarkKept: boolean;

  private constructor({ folder, clock, log }: JournalDependencies, kept: Kept, isMarkKept: boolean) {
    [this.#file, this.#markFile] = filesIn(folder);
    this.#clock = clock;
    this.#log = log;
    this.#openedAt = clock.monotonic();
    this.#entries = new Map(kept.entries.map((entry) => [entry.id, entry]));
    this.#mark = kept.mark;
    this.#isMarkKept = isMarkKept;
  }

  /**
   * Begins the journal of a new pairing, before that is durable: without it the first start would take it for lost. What
   * an earlier pairing with the same service came to is still refused.
   */
  static async create(parts: JournalDependencies): Promise<void> {
    const { stored, marks, isDamaged } = await readAll(parts);
    const entries = stored?.mark?.serviceKey === parts.serviceKey ? stored.entries : [];
    const journal = new CommandJournal(parts, { mark: mergeOf(parts.serviceKey, marks, isDamaged), entries }, false);
    await journal.#keepMark();
  }

  /** Opens the journal of a paired player. A lost one is told to the log; the mark of it is durable before anything is refused or run by it. */
  static async open(parts: JournalDependencies): Promise<CommandJournal> {
    const { stored, marks, isLost } = await readAll(parts);
    const kept = { mark: mergeOf(parts.serviceKey, marks, isLost), entries: stored?.entries ?? [] };
    const journal = new CommandJournal(parts, kept, !isLost && marks.length === 2);
    if (isLost) {
      parts.log.error(
        { known: kept.entries.length },
        "the journal of commands is lost: commands issued before now are refused, since they may have run",
      );
    }
    // A full disk must not keep the picture from the screen: it is written before the next command instead.
    if (!journal.#isMarkKept) {
      await journal.#keepMark().catch((error: unknown) => {
        parts.log.error({ reason: reasonOf(error) }, "the mark of commands to refuse could not be written down");
      });
    }
    return journal;
  }

  /** What is known of a command. */
  get(id: string): JournalEntry | undefined {
    return this.#entries.get(id);
  }

  /** Those that have not ended. */
  get unfinished(): JournalEntry[] {
    return [...this.#entries.values()].filter(({ update }) => !finalStatuses.includes(update.status));
  }

  /** Whether a command issued at `issuedAt`, of which nothing is known, may have run and been forgotten. */
  async mayHaveRun(issuedAt: number): Promise<boolean> {
    if (this.#mark.isUndated) this.#date();
    if (!this.#isMarkKept) await this.#keepMark();
    return this.#mark.isUndated || issuedAt <= this.#mark.refusedUntil;
  }

  /** Notes where a command stands. Durable once this resolves. */
  async record(entry: JournalEntry): Promise<void> {
    this.#entries.set(entry.id, entry);
    const oldest = this.#clock.now() - keptMs;
    for (const each of this.#entries.values()) {
      if (each.at < oldest || this.#entries.size > maxEntries) this.#forget(each);
    }
    await this.#write();
  }

  /** Forgets the commands of a pairing that is over, but not up to when they were issued. */
  async purge(): Promise<void> {
    for (const entry of this.#entries.values()) this.#forget(entry);
    await this.#keepMark();
  }

  #forget(entry: JournalEntry): void {
    this.#entries.delete(entry.id);
    const refusedUntil = Math.max(this.#mark.refusedUntil, entry.issuedAt ?? entry.at);
    this.#mark = { ...this.#mark, refusedUntil };
  }

  /** Once the service's time is known: what it was when the journal was opened is when the loss was noticed, at the latest. */
  #date(): void {
    const clock = this.#clock;
    if (clock.learnedAt === null) return;
    const noticedAt = clock.now() - (clock.monotonic() - this.#openedAt);
    const refusedUntil = Math.max(this.#mark.refusedUntil, noticedAt + clock.offset.errorMs + marginMs);
    this.#mark = { ...this.#mark, refusedUntil, isUndated: false };
    this.#isMarkKept = false;
    this.#log.warn({ refused_until: new Date(refusedUntil).toISOString() }, "commands issued up to then are refused");
  }

  /** The mark first: a power cut in between leaves the journal lost, and the mark of it in one place. */
  async #keepMark(): Promise<void> {
    await this.#markFile.write(this.#mark);
    await this.#write();
    this.#isMarkKept = true;
  }

  #write(): Promise<void> {
    return this.#file.write({ mark: this.#mark, entries: [...this.#entries.values()] });
  }
}

function filesIn(folder: string): [DurableFile<Stored>, DurableFile<Mark>] {
  return [
    new DurableFile<Stored>(join(folder, "commands.json"), (json) => Stored.parse(json)),
    new DurableFile<Mark>(join(folder, "commands-mark.json"), (json) => Mark.parse(json)),
  ];
}

/** What stands in both files. The newest journal is lost where it is damaged or gone: an older one may not know all that ran. */
async function readAll({ folder, serviceKey }: JournalDependencies) {
  const [file, markFile] = filesIn(folder);
  const [journal, mark] = [await readOf(file), await readOf(markFile)];
  const stored = Array.isArray(journal.value) ? { mark: null, entries: journal.value } : journal.value;
  const marks = [stored?.mark ?? null, mark.value].filter((each) => each?.serviceKey === serviceKey) as Mark[];
  return { stored, marks, isLost: stored === null || journal.isDamaged, isDamaged: journal.isDamaged || mark.isDamaged };
}

async function readOf<T>(file: DurableFile<T>): Promise<{ value: T | null; isDamaged: boolean }> {
  try {
    const read = await file.read();
    return read.is === "found" ? { value: read.value, isDamaged: read.recovered } : { value: null, isDamaged: false };
  } catch (error) {
    if (!isFault(error, "file-corrupt")) throw error;
    return { value: null, isDamaged: true };
  }
}

/** The stricter of what both files say. */
function mergeOf(serviceKey: string, marks: readonly Mark[], isLost: boolean): Mark {
  return {
    serviceKey,
    refusedUntil: Math.max(0, ...marks.map(({ refusedUntil }) => refusedUntil)),
    isUndated: isLost || marks.some(({ isUndated }) => isUndated),
  };
}
