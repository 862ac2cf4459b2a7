// Records on the disk which commands arrived and their outcomes, and up to which instant it may have forgotten some.
import type { CorrectedClock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { dayMs, iso } from "../../base/time.ts";
import { finalStatuses } from "../../protocol/device/commands.ts";
import type { DiskHealth } from "../storage/disk-health.ts";
import { mergeMarks, type CommandMark } from "./command-mark.ts";
import { journalFilesIn, readJournalFiles, type JournalContent, type JournalEntry, type JournalFiles } from "./journal-files.ts";

// The service repeats a command until it is acknowledged, but for at most 7 days and 1,000 commands.
const keptMs = 7 * dayMs;
const maxEntries = 1_000;
// Two readings of the service's clock may differ by this much beyond the clock's own error.
const marginMs = 5_000;

export interface JournalDependencies {
  folder: string;
  serviceKey: string;
  clock: CorrectedClock;
  log: Log;
  disk: DiskHealth;
}

/** The name of the journal in reports about the disk. */
const what = "command journal";

/**
 * A paired player always has a journal. If it is missing or damaged, any unknown command that was issued before the player
 * noticed the loss may have run. The mark of the loss is stored in two files, so that losing one does not lose the mark.
 */
export class CommandJournal {
  readonly #files: JournalFiles;
  readonly #clock: CorrectedClock;
  readonly #log: Log;
  readonly #disk: DiskHealth;
  readonly #openedAt: number;
  readonly #entries: Map<string, JournalEntry>;
  #mark: CommandMark;
  /** True if the mark is in both files. */
  #isMarkStored: boolean;
  /** Why the disk failed to read the journal, which must not be replaced then; null: it did not. */
  #unread: unknown = null;
  /** True if the journal's file has all entries. */
  #areEntriesStored = true;

  private constructor({ folder, clock, log, disk }: JournalDependencies, content: JournalContent, isMarkStored: boolean) {
    this.#files = journalFilesIn(folder);
    this.#clock = clock;
    this.#log = log;
    this.#disk = disk;
    this.#openedAt = clock.monotonic();
    this.#entries = new Map(content.entries.map((entry) => [entry.id, entry]));
    this.#mark = content.mark;
    this.#isMarkStored = isMarkStored;
  }

  /**
   * Creates the journal of a new pairing. Call it before the pairing is stored: a paired player without a journal has lost it.
   * Commands of an earlier pairing with the same service are still rejected. If the disk cannot be written, the journal counts as
   * lost, which is safe.
   */
  static async create(dependencies: JournalDependencies): Promise<void> {
    const { folder, serviceKey } = dependencies;
    const { stored, marks, isDamaged, unread } = await readJournalFiles(journalFilesIn(folder), serviceKey);
    // It may be whole: whoever opens it sees.
    if (unread !== null) return;
    const entries = stored?.mark?.serviceKey === serviceKey ? stored.entries : [];
    const journal = new CommandJournal(dependencies, { mark: mergeMarks(serviceKey, marks, isDamaged), entries }, false);
    await journal.save();
  }

  /**
   * Opens the journal of a paired player. A loss is logged, and its mark is stored before any command is rejected or run. While the disk
   * fails to read it, nothing can be recorded, so no command runs.
   */
  static async open(dependencies: JournalDependencies): Promise<CommandJournal> {
    const { folder, serviceKey, log, disk } = dependencies;
    const files = journalFilesIn(folder);
    const { stored, marks, isLost, isMarkDamaged, unread } = await readJournalFiles(files, serviceKey);
    if (unread !== null) {
      const journal = new CommandJournal(dependencies, { mark: mergeMarks(serviceKey, marks, true), entries: [] }, false);
      journal.#unread = unread;
      disk.unreadable(what, unread, async () => {
        const again = await readJournalFiles(files, serviceKey);
        if (again.unread !== null) throw again.unread;
      });
      return journal;
    }
    const content = { mark: mergeMarks(serviceKey, marks, isLost), entries: stored?.entries ?? [] };
    if (isMarkDamaged) disk.fileDamaged("commands-mark.json", "using its copy in the command journal");
    const journal = new CommandJournal(dependencies, content, !isLost && !isMarkDamaged && marks.length === 2);
    if (isLost) {
      disk.fileDamaged("commands.json", "commands issued before now are rejected");
      log.error(
        { known: content.entries.length },
        "the command journal is lost: commands issued before now are rejected, because they may have run",
      );
    }
    // A full disk must not stop playback. The mark is then stored before the next command instead.
    await journal.save();
    return journal;
  }

  /** The entry of a command, if it is known. */
  get(id: string): JournalEntry | undefined {
    return this.#entries.get(id);
  }

  /** When the known commands of a type began, ms since the epoch. */
  startsOf(type: string): number[] {
    return [...this.#entries.values()].flatMap((entry) => (entry.type === type ? (entry.startedAt ?? []) : []));
  }

  /** The commands that have ended, but whose final status the outbox may not have. */
  get unsent(): JournalEntry[] {
    return [...this.#entries.values()].filter(({ isUnsent }) => isUnsent === true);
  }

  /** The commands that have not ended. */
  get unfinished(): JournalEntry[] {
    return [...this.#entries.values()].filter(({ update }) => !finalStatuses.includes(update.status));
  }

  /**
   * True if an unknown command that was issued at `issuedAt` may have run and been forgotten. The mark answers this: commands issued
   * up to `refusedUntil` may have. `isUndated`: the journal was lost, but the time of the loss is not known yet, so all may have.
   * Rejects if the mark cannot be stored: then no command may run.
   */
  async mayHaveRun(issuedAt: number): Promise<boolean> {
    if (this.#unread !== null) throw this.#unread;
    if (this.#mark.isUndated) this.#dateMark();
    if (!this.#isMarkStored) await this.#storeMark();
    return this.#mark.isUndated || issuedAt <= this.#mark.refusedUntil;
  }

  /** Records the status of a command. Durable once this resolves. Rejects if the disk cannot be written: see {@link save}. */
  async record(entry: JournalEntry): Promise<void> {
    if (this.#unread !== null) throw this.#unread;
    this.#entries.set(entry.id, entry);
    const oldest = this.#clock.now() - keptMs;
    for (const each of this.#entries.values()) {
      if (each.at < oldest || this.#entries.size > maxEntries) this.#forget(each);
    }
    await this.#write();
  }

  /** Forgets the commands of a pairing that has ended. The mark keeps them from running again. */
  async purge(): Promise<void> {
    // The service does not repeat commands of a pairing that has ended; a journal that can be read again keeps its mark.
    if (this.#unread !== null) return this.#disk.forgetUnread(what);
    for (const entry of this.#entries.values()) this.#forget(entry);
    this.#isMarkStored = false;
    await this.save();
  }

  /** Writes data that a failing disk refused earlier or that was deleted from the disk. */
  async save(): Promise<void> {
    if (this.#unread !== null) return;
    const { mark, journal } = this.#files;
    const isMarkStored = this.#isMarkStored && (await mark.exists());
    if (isMarkStored && this.#areEntriesStored && (await journal.exists())) return;
    await this.#disk.attempt(what, () => (isMarkStored ? this.#write() : this.#storeMark()));
  }

  #forget(entry: JournalEntry): void {
    this.#entries.delete(entry.id);
    const refusedUntil = Math.max(this.#mark.refusedUntil, entry.issuedAt ?? entry.at);
    this.#mark = { ...this.#mark, refusedUntil };
  }

  /** Dates a loss once the service's time is known: the player noticed it at the latest when it opened the journal. */
  #dateMark(): void {
    const clock = this.#clock;
    if (clock.learnedAt === null) return;
    const noticedAt = clock.now() - (clock.monotonic() - this.#openedAt);
    const refusedUntil = Math.max(this.#mark.refusedUntil, noticedAt + clock.offset.errorMs + marginMs);
    this.#mark = { ...this.#mark, refusedUntil, isUndated: false };
    this.#isMarkStored = false;
    this.#log.warn({ refused_until: iso(refusedUntil) }, "commands issued up to this instant are rejected");
  }

  /** Writes the mark's own file first: after a power cut in between, the journal is still lost and the mark is in one file. */
  async #storeMark(): Promise<void> {
    await this.#files.mark.write(this.#mark);
    await this.#write();
    this.#isMarkStored = true;
  }

  async #write(): Promise<void> {
    try {
      await this.#files.journal.write({ mark: this.#mark, entries: [...this.#entries.values()] });
      this.#areEntriesStored = true;
    } catch (error) {
      this.#areEntriesStored = false;
      throw error;
    }
  }
}
