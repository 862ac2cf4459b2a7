// The numbered files of the play log: the current one, which is written, and the finished ones. A fault of the disk is reported, not thrown.
import { readdir, rm } from "node:fs/promises";
import { basename } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { hasErrorCode } from "../../base/fault.ts";
import { isReadFailure, isSystemError } from "../../base/files/system-error.ts";
import type { Log } from "../../base/log.ts";
import { maxEventsInBatch, type PlayEvent } from "../../protocol/device/play-events.ts";
import { type DiskHealth, removals } from "../storage/disk-health.ts";
import { interruptedEvents } from "./play-events.ts";
import { type LineFault, PlayLogFile, playLogPath, previousRunIn, readLines, type PlayLogLine, type PreviousRun } from "./play-log-file.ts";

// 600 files of 500 events: one month of an item every nine seconds, about 200 MB.
const maxFiles = 600;
// A power cut loses at most this much. A killed process loses nothing that was written. Each sync writes whole pages of 4 kB.
const syncMs = 60_000;
/** The name of the play log in reports about the disk. */
export const playEvents = "play events";

/** Calls must not overlap, except {@link read}. */
export class PlayFiles {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #disk: DiskHealth;
  /** Numbers of the finished files, oldest first. */
  #finished: number[] = [];
  #nextNumber = 1;
  /** True once the files of earlier runs are known. Until then none is begun, because it could replace one. */
  #isListed = false;
  /** Null while no file could be created. */
  #current: PlayLogFile | null = null;
  #currentEvents = 0;
  #syncedAt: number;
  #droppedCount = 0;

  private constructor(folder: string, clock: Clock, log: Log, disk: DiskHealth) {
    this.#folder = folder;
    this.#clock = clock;
    this.#log = log;
    this.#disk = disk;
    this.#syncedAt = clock.monotonic();
  }

  /** Begins a file with the plays that the previous run left open. The files of earlier runs are finished. */
  static async open(folder: string, clock: Clock, log: Log, disk: DiskHealth): Promise<{ files: PlayFiles; previousRun: PreviousRun }> {
    const files = new PlayFiles(folder, clock, log, disk);
    let previousRun = previousRunIn([]);
    try {
      previousRun = await files.#list();
    } catch (error) {
      if (!isReadFailure(error)) throw error;
      disk.unreadable(playEvents, error, () => files.#find());
    }
    await files.rotate(previousRun);
    return { files, previousRun };
  }

  /** Takes over the files of earlier runs. @returns the previous run. @throws the system's error when the disk fails to read them. */
  async #list(): Promise<PreviousRun> {
    const { finished, previousRun } = await this.#find();
    [this.#finished, this.#nextNumber] = [finished, (finished.at(-1) ?? 0) + 1];
    this.#isListed = true;
    return previousRun;
  }

  async #find(): Promise<{ finished: number[]; previousRun: PreviousRun }> {
    const names = await readdir(this.#folder).catch((error: unknown) => {
      if (hasErrorCode(error, "ENOENT")) return [];
      throw error;
    });
    const numbers = names.filter((name) => /^\d{12}\.plays$/.test(name)).map((name) => Number.parseInt(name, 10));
    const finished = numbers.toSorted((a, b) => a - b);
    const last = finished.at(-1);
    return { finished, previousRun: previousRunIn(last === undefined ? [] : await this.#lines(last)) };
  }

  /** The oldest finished file; null if there is none. */
  get oldest(): number | null {
    return this.#finished[0] ?? null;
  }

  /** The finished file after the oldest; null if there is none. */
  get second(): number | null {
    return this.#finished[1] ?? null;
  }

  get finishedCount(): number {
    return this.#finished.length;
  }

  /** True if there is a current file. */
  get isOpen(): boolean {
    return this.#current !== null;
  }

  /** How many events the current file has. */
  get currentEvents(): number {
    return this.#currentEvents;
  }

  /** About how many events were dropped because there were too many files: each dropped file counts as a full one. */
  get droppedCount(): number {
    return this.#droppedCount;
  }

  /** Appends lines to the current file. @param start begins a file if there is none. @returns whether they were written. */
  async append(lines: readonly PlayLogLine[], start: PreviousRun): Promise<boolean> {
    if (this.#current === null && !(await this.rotate(start))) return false;
    const current = this.#current!;
    if (!(await this.#disk.attempt(playEvents, () => current.append(lines)))) return false;
    this.#currentEvents += lines.filter((line) => "event" in line).length;
    const now = this.#clock.monotonic();
    if (now - this.#syncedAt >= syncMs) {
      this.#syncedAt = now;
      await this.#disk.attempt(playEvents, () => current.sync());
    }
    return true;
  }

  /** Finishes the current file and begins another, unless the disk has no room for one: the current one then stays. */
  async rotate(start: PreviousRun): Promise<boolean> {
    if (!this.#isListed && !(await this.#disk.attempt(playEvents, () => this.#beginLate()))) return false;
    const before = this.#current;
    const create = async (): Promise<void> => void (this.#current = await PlayLogFile.create(this.#folder, this.#nextNumber, start));
    if (!(await this.#disk.attempt(playEvents, create))) return false;
    this.#nextNumber += 1;
    this.#currentEvents = 0;
    this.#syncedAt = this.#clock.monotonic();
    if (before !== null) {
      this.#finished.push(before.number);
      await this.#disk.attempt(playEvents, () => before.close());
    }
    while (this.#finished.length >= maxFiles) {
      // Files are not read again to be counted. One that a restart ended early has fewer events, a few have more.
      this.#droppedCount += maxEventsInBatch;
      this.#disk.recordsLost(playEvents, maxEventsInBatch, "there are too many files of them");
      await this.drop(this.#finished[0]!);
    }
    return true;
  }

  /** Ends the plays of the previous run, which could not be read at the start. */
  async #beginLate(): Promise<void> {
    const previousRun = await this.#list();
    const first = await PlayLogFile.create(this.#folder, this.#nextNumber, previousRun);
    await first.append(interruptedEvents(previousRun).map((event) => ({ event })));
    await first.close();
    this.#finished.push(this.#nextNumber);
    this.#nextNumber += 1;
  }

  /** Lets the others go first: the disk fails to read this file now. */
  postpone(number: number): void {
    this.#finished = [...this.#finished.filter((other) => other !== number), number];
  }

  /** The events of a finished file. Those of a damaged file are lost. @throws the system's error when the disk fails to read it. */
  async read(number: number): Promise<PlayEvent[]> {
    return (await this.#lines(number)).flatMap((line) => ("event" in line ? line.event : []));
  }

  async drop(number: number): Promise<void> {
    this.#finished = this.#finished.filter((other) => other !== number);
    await this.#disk.attempt(removals, () => rm(playLogPath(this.#folder, number), { force: true }));
  }

  /** Gives up the current file if it was deleted from the disk: its events cannot be read again. */
  async abandonIfDeleted(): Promise<void> {
    if (this.#current === null || (await this.#current.exists())) return;
    if (this.#currentEvents > 0) this.#disk.recordsLost(playEvents, this.#currentEvents, "their file was deleted");
    await this.close();
  }

  /** Finishes pending writes and closes the current file. */
  async close(): Promise<void> {
    const current = this.#current;
    this.#current = null;
    this.#currentEvents = 0;
    if (current !== null) await this.#disk.attempt(playEvents, () => current.close());
  }

  /** Deletes all files. Call only after {@link close}. */
  async purge(): Promise<void> {
    await this.#disk.attempt(removals, () => rm(this.#folder, { recursive: true, force: true }));
  }

  async #lines(number: number): Promise<PlayLogLine[]> {
    const path = playLogPath(this.#folder, number);
    const onFault = (line: number, fault: LineFault): void => {
      // Nothing is wrong with the disk: the bytes never reached it.
      if (fault === "torn") this.#log.info({ path, line }, "a line of a play log is incomplete, as after a power loss: it is skipped");
      else if (fault === "unknown") this.#disk.recordsLost(playEvents, 1, `another version of the program wrote line ${line} of ${path}`);
      else this.#disk.fileDamaged(basename(path), `line ${line} is skipped`);
    };
    try {
      const lines = await readLines(path, onFault);
      // Each file begins with the open plays.
      if (lines.length === 0) this.#disk.fileDamaged(basename(path), "its play events are lost");
      return lines;
    } catch (error) {
      if (!isSystemError(error) || isReadFailure(error)) throw error;
      this.#disk.fileDamaged(basename(path), "its play events are lost", error);
      return [];
    }
  }
}
