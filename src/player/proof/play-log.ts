// The durable queue of play events: appends them to files of 500 and uploads file by file. Bounded.
import { mkdir, readdir, rm, type FileHandle } from "node:fs/promises";
import { retry } from "../../base/async/retry.ts";
import { Signal } from "../../base/async/signal.ts";
import type { Clock } from "../../base/clock.ts";
import { reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import { maxEventsInBatch, type PlayEvent } from "../../protocol/device/play-events.ts";
import {
  createPlayLogFile,
  formatLines,
  playLogPath,
  previousRunIn,
  readLines,
  type PlayLogLine,
  type OpenPlaysSnapshot,
  type PreviousRun,
} from "./play-log-file.ts";
import type { ClockReading } from "./play-types.ts";
import { uploadPlays, type DeliverPlays } from "./upload-plays.ts";

// 600 files of 500 events: one month of an item every nine seconds, about 200 MB.
const maxFiles = 600;
const uploadMs = 60_000;
// A power cut loses at most this much. A killed process loses nothing that was written.
const syncMs = 5_000;
const backoffBounds = { firstMs: 1_000, longestMs: 60_000 };

/** The file that is being written. */
interface CurrentFile {
  file: FileHandle;
  events: number;
  since: number;
  syncedAt: number;
}

export class PlayLog {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #appended = new Signal();
  /** Oldest first; the last is {@link #current}. */
  #files: number[];
  #current: CurrentFile;
  #snapshot: OpenPlaysSnapshot;
  /** The last recorded frame of this run. */
  #lastFrame: ClockReading | null = null;
  #droppedCount = 0;
  #writing: Promise<void> = Promise.resolve();

  private constructor(folder: string, clock: Clock, log: Log, files: number[], file: FileHandle, { snapshot }: PreviousRun) {
    this.#folder = folder;
    this.#clock = clock;
    this.#log = log;
    this.#files = files;
    this.#snapshot = snapshot;
    this.#current = this.#emptyFile(file);
  }

  /** Opens the queue in `folder`. The open plays of the previous run are kept until {@link append} replaces them. */
  static async open(folder: string, clock: Clock, log: Log): Promise<{ playLog: PlayLog; previousRun: PreviousRun }> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const files = (await readdir(folder))
      .filter((name) => /^\d{12}\.plays$/.test(name))
      .map((name) => Number.parseInt(name, 10))
      .toSorted((a, b) => a - b);
    const last = files.at(-1);
    const previousRun = previousRunIn(last === undefined ? [] : await readLines(playLogPath(folder, last), log));
    const next = (last ?? 0) + 1;
    const file = await createPlayLogFile(folder, next, previousRun);
    return { playLog: new PlayLog(folder, clock, log, [...files, next], file, previousRun), previousRun };
  }

  /** About how many events were dropped since the start because the queue was full: each dropped file counts as a full one. */
  get lostCount(): number {
    return this.#droppedCount;
  }

  /** Writes the finished plays and those still open in one write: after a crash both are there or neither. */
  append(events: readonly PlayEvent[], snapshot: OpenPlaysSnapshot): Promise<void> {
    return this.#enqueue(async () => {
      // The plays of the previous run are uploaded at once, not together with the current ones.
      const endsPreviousRun = snapshot.bootId !== this.#snapshot.bootId && this.#snapshot.open.length > 0;
      this.#snapshot = snapshot;
      await this.#write([...events.map((event) => ({ event })), { open: snapshot }]);
      const monotonic = this.#clock.monotonic();
      if (this.#current.events === 0 && events.length > 0) this.#current.since = monotonic;
      this.#current.events += events.length;
      if (monotonic - this.#current.syncedAt >= syncMs) {
        await this.#current.file.datasync();
        this.#current.syncedAt = monotonic;
      }
      if (endsPreviousRun || this.#current.events >= maxEventsInBatch) await this.#rotate();
      if (events.length > 0) this.#appended.notify();
    });
  }

  /** Records the last presented frame. It may be lost in a power cut. */
  recordFrame(at: ClockReading): Promise<void> {
    return this.#enqueue(async () => {
      this.#lastFrame = at;
      await this.#write([{ frame: at }]);
    });
  }

  /** Uploads each file once it is full or a minute old, until `signal` aborts. @throws Fault `revoked`. */
  async run(deliver: DeliverPlays, signal: AbortSignal): Promise<never> {
    const onFailure = (error: unknown, retryInMs: number): void =>
      this.#log.warn({ reason: reasonOf(error), files: this.#files.length, retry_in_ms: retryInMs }, "play events could not be delivered");
    for (;;) {
      await retry(() => this.#uploadNext(deliver, signal), { clock: this.#clock, bounds: backoffBounds, onFailure, signal });
    }
  }

  /** Finishes pending writes and closes the file. */
  close(): Promise<void> {
    return this.#enqueue(async () => {
      await this.#current.file.datasync();
      await this.#current.file.close();
    });
  }

  /** Deletes everything after a revocation. Call only after {@link close}. */
  async purge(): Promise<void> {
    await this.#writing;
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #uploadNext(deliver: DeliverPlays, signal: AbortSignal): Promise<void> {
    const number = await this.#nextFile(signal);
    const lines = await readLines(playLogPath(this.#folder, number), this.#log);
    // A file may hold more than one batch, because events that were appended together stay together.
    const events = lines.flatMap((line) => ("event" in line ? line.event : []));
    await uploadPlays(events, deliver, this.#log, signal);
    await this.#enqueue(() => this.#drop(number));
  }

  /** Waits for a file to upload. */
  async #nextFile(signal: AbortSignal): Promise<number> {
    for (;;) {
      if (this.#files.length > 1) return this.#files[0]!;
      const age = this.#clock.monotonic() - this.#current.since;
      if (this.#current.events > 0 && age >= uploadMs) await this.#enqueue(() => this.#rotate());
      else await this.#appended.wait(this.#clock, this.#current.events === 0 ? Number.POSITIVE_INFINITY : uploadMs - age, signal);
    }
  }

  /** Begins a new file. */
  async #rotate(): Promise<void> {
    const before = this.#current.file;
    const next = this.#files.at(-1)! + 1;
    const file = await createPlayLogFile(this.#folder, next, { snapshot: this.#snapshot, lastFrame: this.#lastFrame });
    this.#files.push(next);
    this.#current = this.#emptyFile(file);
    await before.datasync();
    await before.close();
    while (this.#files.length > maxFiles) {
      // Files are not read again to be counted. One that a restart ended early has fewer events, a few have more.
      this.#droppedCount += maxEventsInBatch;
      this.#log.error({ lost: this.#droppedCount }, "the queue of play events is full: its oldest file is dropped");
      await this.#drop(this.#files[0]!);
    }
  }

  async #drop(number: number): Promise<void> {
    this.#files = this.#files.filter((other) => other !== number);
    await rm(playLogPath(this.#folder, number), { force: true });
  }

  #emptyFile(file: FileHandle): CurrentFile {
    const now = this.#clock.monotonic();
    return { file, events: 0, since: now, syncedAt: now };
  }

  #write(lines: readonly PlayLogLine[]): Promise<unknown> {
    return this.#current.file.appendFile(formatLines(lines));
  }

  /** Runs one operation at a time, in the order of the calls. */
  #enqueue(operation: () => Promise<void>): Promise<void> {
    const result = this.#writing.then(operation);
    this.#writing = result.catch(() => undefined);
    return result;
  }
}
