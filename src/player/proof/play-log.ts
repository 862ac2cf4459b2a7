// The durable queue of play events: appends them to files of 500 and uploads file by file. Events that a full or broken disk does not
// take stay in memory, up to a limit.
import { join } from "node:path";
import { retry } from "../../base/async/retry.ts";
import { Signal } from "../../base/async/signal.ts";
import type { Clock } from "../../base/clock.ts";
import { isReadFailure } from "../../base/files/system-error.ts";
import { reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import { maxEventsInBatch, PlayEvent } from "../../protocol/device/play-events.ts";
import { describeRefusal } from "../../protocol/refusal.ts";
import { DiskHealth } from "../storage/disk-health.ts";
import { PlayFiles, playEvents } from "./play-files.ts";
import type { OpenPlaysSnapshot, PreviousRun } from "./play-log-file.ts";
import type { ClockReading } from "./play-types.ts";
import type { DeliverPlays } from "./deliver-plays.ts";
import { RefusedPlays } from "./refused-plays.ts";
import { PlayUploader } from "./upload-plays.ts";

const uploadMs = 60_000;
// A few megabytes: at an item every ten seconds, half a day offline with a full disk.
const maxInMemory = 5_000;
const backoffBounds = { firstMs: 1_000, longestMs: 60_000 };

/** Events to upload, and the steps once the service has them. */
interface Batch {
  events: readonly PlayEvent[];
  discard: () => Promise<void>;
}

export class PlayLog {
  readonly #files: PlayFiles;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #disk: DiskHealth;
  readonly #uploader: PlayUploader;
  readonly #refused: RefusedPlays;
  readonly #appended = new Signal();
  /** Events that could not be written yet, oldest first. */
  #inMemory: PlayEvent[] = [];
  /** Since when there have been events that are in no finished file, on the monotonic clock. */
  #since: number;
  #snapshot: OpenPlaysSnapshot;
  /** The last recorded frame of this run. */
  #lastFrame: ClockReading | null = null;
  #isClosed = false;
  #writing: Promise<void> = Promise.resolve();

  private constructor(files: PlayFiles, refused: RefusedPlays, clock: Clock, log: Log, disk: DiskHealth, { snapshot }: PreviousRun) {
    this.#files = files;
    this.#refused = refused;
    this.#uploader = new PlayUploader(log, (events, reason) => refused.add(events, reason));
    this.#clock = clock;
    this.#log = log;
    this.#disk = disk;
    this.#snapshot = snapshot;
    this.#since = clock.monotonic();
  }

  /** Opens the queue in `folder`. The open plays of the previous run are kept until {@link append} replaces them. */
  static async open(folder: string, clock: Clock, log: Log, disk = new DiskHealth(log)) {
    const { files, previousRun } = await PlayFiles.open(folder, clock, log, disk);
    const refused = new RefusedPlays(join(folder, "refused"), disk);
    return { playLog: new PlayLog(files, refused, clock, log, disk, previousRun), previousRun };
  }

  /** About how many events were dropped since the start because the queue was full: each dropped file counts as a full one. */
  get lostCount(): number {
    return this.#files.droppedCount;
  }

  /**
   * Writes the finished plays and those still open in one write: after a crash both are there or neither. If the disk cannot be
   * written, the finished plays stay in memory, to be written or uploaded later. An event that could not be read again is set aside.
   */
  append(events: readonly PlayEvent[], snapshot: OpenPlaysSnapshot): Promise<void> {
    return this.#enqueue(async () => {
      // The plays of the previous run are uploaded at once, not together with the current ones.
      const endsPreviousRun = snapshot.bootId !== this.#snapshot.bootId && this.#snapshot.open.length > 0;
      this.#snapshot = snapshot;
      if (this.#pending === 0) this.#since = this.#clock.monotonic();
      this.#inMemory.push(...(await this.#readable(events)));
      await this.#writeAll();
      if (endsPreviousRun || this.#files.currentEvents >= maxEventsInBatch) await this.#files.rotate(this.#start);
      if (events.length > 0) this.#appended.notify();
    });
  }

  /** Records the last presented frame. It may be lost in a power cut. */
  recordFrame(at: ClockReading): Promise<void> {
    return this.#enqueue(async () => {
      this.#lastFrame = at;
      // A disk that does not take events needs no frames: it gets the last one with them.
      if (this.#inMemory.length > 0) return;
      await this.#files.append([{ frame: at }], this.#start);
    });
  }

  /** Uploads each file once it is full or a minute old, until `signal` aborts. @throws Fault `revoked`. */
  async run(deliver: DeliverPlays, signal: AbortSignal): Promise<never> {
    const onFailure = (error: unknown, retryInMs: number): void => {
      const about = { reason: reasonOf(error), files: this.#files.finishedCount + 1, retry_in_ms: retryInMs };
      this.#log.warn(about, "play events could not be delivered");
    };
    for (;;) {
      await retry(() => this.#uploadNext(deliver, signal), { clock: this.#clock, bounds: backoffBounds, onFailure, signal });
    }
  }

  /** Writes events that could not be written before, also after the files were deleted from the disk. */
  save(): Promise<void> {
    return this.#enqueue(async () => {
      await this.#files.abandonIfDeleted();
      if (this.#inMemory.length > 0 || !this.#files.isOpen) await this.#writeAll();
    });
  }

  /** Finishes pending writes and closes the file. */
  close(): Promise<void> {
    return this.#enqueue(async () => {
      if (this.#inMemory.length > 0) await this.#writeAll();
      if (this.#inMemory.length > 0)
        this.#disk.recordsLost(playEvents, this.#inMemory.length, "the program stops and the disk cannot be written");
      await this.#files.close();
      this.#isClosed = true;
    });
  }

  /** Deletes everything after a revocation. Call only after {@link close}. */
  async purge(): Promise<void> {
    await this.#writing;
    await this.#files.purge();
  }

  /** The events that can be read again. Any other is a fault of this program: it is reported, and kept for people. */
  async #readable(events: readonly PlayEvent[]): Promise<PlayEvent[]> {
    const readable: PlayEvent[] = [];
    for (const event of events) {
      const parsed = PlayEvent.safeParse(event);
      if (parsed.success) readable.push(event);
      else {
        const reason = describeRefusal(parsed.error);
        this.#disk.recordRefused(playEvents, reason);
        await this.#refused.add([event], reason, "play events that the program made wrongly");
      }
    }
    return readable;
  }

  async #uploadNext(deliver: DeliverPlays, signal: AbortSignal): Promise<void> {
    const next = await this.#nextBatch(signal);
    const { events, discard } = this.#uploader.isStuck ? await this.#withFollowing(next) : next;
    // A file may hold more than one batch, because events that were appended together stay together.
    await this.#uploader.upload(events, deliver, signal);
    await this.#enqueue(discard);
  }

  /** Adds the events that follow the oldest file: a file may have only events that the service refuses. */
  async #withFollowing(first: Batch): Promise<Batch> {
    if (this.#files.oldest === null) return first;
    if (this.#files.second === null && this.#pending > 0) await this.#enqueue(async () => void (await this.#files.rotate(this.#start)));
    const { second } = this.#files;
    const following = second === null ? this.#batchInMemory() : await this.#batchOf(second);
    const discard = async (): Promise<void> => {
      await first.discard();
      await following.discard();
    };
    return { events: [...first.events, ...following.events], discard };
  }

  async #batchOf(file: number): Promise<Batch> {
    try {
      return { events: await this.#files.read(file), discard: () => this.#files.drop(file) };
    } catch (error) {
      this.#files.postpone(file);
      if (isReadFailure(error)) this.#disk.unreadable(playEvents, error, () => this.#files.read(file));
      throw error;
    }
  }

  /** Waits for a finished file, or for events that the disk does not take. */
  async #nextBatch(signal: AbortSignal): Promise<Batch> {
    for (;;) {
      const { oldest } = this.#files;
      if (oldest !== null) return this.#batchOf(oldest);
      const age = this.#clock.monotonic() - this.#since;
      if (this.#pending > 0 && age >= uploadMs) {
        await this.#enqueue(async () => void (await this.#files.rotate(this.#start)));
        if (this.#files.oldest !== null) continue;
        if (this.#inMemory.length > 0) return this.#batchInMemory();
      }
      // On a full disk the current file cannot be finished: try again with the next event.
      const waitMs = this.#pending === 0 ? Number.POSITIVE_INFINITY : age < uploadMs ? uploadMs - age : uploadMs;
      await this.#appended.wait(this.#clock, waitMs, signal);
    }
  }

  #batchInMemory(): Batch {
    const events = new Set(this.#inMemory.slice(0, maxEventsInBatch));
    const discard = async (): Promise<void> => void (this.#inMemory = this.#inMemory.filter((event) => !events.has(event)));
    return { events: [...events], discard };
  }

  /** Writes the events that only the memory has, and the open plays. */
  async #writeAll(): Promise<void> {
    let isWritten: boolean;
    do {
      // In parts, because a full disk rejects them again and again.
      const events = this.#inMemory.slice(0, maxEventsInBatch);
      isWritten = await this.#files.append([...events.map((event) => ({ event })), { open: this.#snapshot }], this.#start);
      if (isWritten) this.#inMemory.splice(0, events.length);
    } while (isWritten && this.#inMemory.length > 0);
    const excess = this.#inMemory.splice(0, Math.max(0, this.#inMemory.length - maxInMemory)).length;
    if (excess > 0) this.#disk.recordsLost(playEvents, excess, "the disk cannot be written");
  }

  /** How many events are in no finished file. */
  get #pending(): number {
    return this.#files.currentEvents + this.#inMemory.length;
  }

  /** How a new file begins. */
  get #start(): PreviousRun {
    return { snapshot: this.#snapshot, lastFrame: this.#lastFrame };
  }

  /** Runs one operation at a time, in the order of the calls. After {@link close} it does nothing. */
  #enqueue(operation: () => Promise<void>): Promise<void> {
    const result = this.#writing.then(() => (this.#isClosed ? undefined : operation()));
    this.#writing = result.catch(() => undefined);
    return result;
  }
}
