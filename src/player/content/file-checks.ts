// Verifies cached files while the player runs, because disks lose bits in silence: suspected ones at once, those that are shown for the
// first time since the start, and slowly all others.
import { join } from "node:path";
import { z } from "zod";
import { runAll } from "../../base/async/run-all.ts";
import { Signal } from "../../base/async/signal.ts";
import type { Clock } from "../../base/clock.ts";
import { isFault, reasonOf } from "../../base/fault.ts";
import { isReadFailure } from "../../base/files/system-error.ts";
import { DurableFile } from "../../base/files/durable-file.ts";
import type { Log } from "../../base/log.ts";
import { hourMs, minuteMs } from "../../base/time.ts";
import type { ProvenFiles } from "./proven-files.ts";

export interface FileChecksOptions {
  files: ProvenFiles;
  /** The hashes of the files that may be shown. */
  current: () => Iterable<string>;
  /** Called after a file was found damaged and removed. */
  onDamaged: (sha256: string, reason: string) => void;
  clock: Clock;
  log: Log;
}

// A file that is shown is read anyway, so this costs little more than CPU time: 100 MB take ten seconds.
const shownBytesPerSecond = 10_000_000;
// Slow enough to leave disk and CPU to playback: 10 GB take three hours.
const scrubBytesPerSecond = 1_000_000;
// The browser's start needs the disk.
const firstScrubMs = minuteMs;
const betweenScrubsMs = hourMs;
// The position is written once for this many bytes: about every four minutes.
const bytesPerPosition = 256_000_000;

/** Waits after this many bytes were read; rejects to end the verification. */
type Pace = (bytes: number) => Promise<void>;

const ScrubPosition = z.object({ after: z.string() });

export class FileChecks {
  readonly #options: FileChecksOptions;
  readonly #position: DurableFile<z.infer<typeof ScrubPosition>>;
  readonly #suspects = new WaitingFiles();
  readonly #shown = new WaitingFiles();
  /** The files that were shown, or verified, since the start. */
  readonly #known = new Set<string>();

  constructor(options: FileChecksOptions) {
    this.#options = options;
    this.#position = new DurableFile(join(options.files.folder, "scrub.json"), (json) => ScrubPosition.parse(json));
  }

  /** Verifies this file soon, because the browser could not show it. */
  suspect(sha256: string): void {
    this.#suspects.add(sha256);
  }

  /** Verifies this file, which is shown, unless it was verified since the start. */
  verifyOnce(sha256: string): void {
    if (this.#known.has(sha256)) return;
    this.#known.add(sha256);
    this.#shown.add(sha256);
  }

  /** Runs until `signal` aborts. */
  run(signal: AbortSignal): Promise<never> {
    const { clock } = this.#options;
    return runAll(
      [
        (end) => this.#verifyAdded(this.#suspects, async () => end.throwIfAborted(), end),
        (end) => this.#verifyAdded(this.#shown, (bytes) => clock.wait((bytes / shownBytesPerSecond) * 1_000, end), end),
        (end) => this.#scrub(end),
      ],
      signal,
    );
  }

  async #verifyAdded(files: WaitingFiles, pace: Pace, signal: AbortSignal): Promise<never> {
    for (;;) await this.#verify(await files.next(this.#options.clock, signal), pace, signal);
  }

  /** Verifies all files in the order of their names, again and again. A restart continues after the last recorded file. */
  async #scrub(signal: AbortSignal): Promise<never> {
    const { clock, current } = this.#options;
    await clock.wait(firstScrubMs, signal);
    let after = await this.#readPosition();
    let unrecordedBytes = 0;
    const pace: Pace = async (bytes) => {
      unrecordedBytes += bytes;
      await clock.wait((bytes / scrubBytesPerSecond) * 1_000, signal);
    };
    for (;;) {
      signal.throwIfAborted();
      const next = [...current()].filter((sha256) => sha256 > after).toSorted()[0];
      if (next !== undefined) await this.#verify(next, pace, signal);
      after = next ?? "";
      if (next === undefined || unrecordedBytes >= bytesPerPosition) {
        await this.#writePosition(after);
        unrecordedBytes = 0;
      }
      if (next === undefined) await clock.wait(betweenScrubsMs, signal);
    }
  }

  async #verify(sha256: string, pace: Pace, signal: AbortSignal): Promise<void> {
    const { files, onDamaged, log } = this.#options;
    try {
      const verified = await files.verify(sha256, pace);
      if (verified.is === "damaged") {
        // The file that replaces it is verified again.
        this.#known.delete(sha256);
        onDamaged(sha256, verified.reason);
      }
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ sha256, reason: reasonOf(error) }, "a stored file could not be verified");
    }
  }

  async #readPosition(): Promise<string> {
    try {
      const read = await this.#position.read();
      return read.is === "found" ? read.value.after : "";
    } catch (error) {
      if (!isFault(error, "file-corrupt") && !isReadFailure(error)) throw error;
      this.#options.log.warn({ reason: reasonOf(error) }, "the position of the verification is lost: it begins at the first file");
      return "";
    }
  }

  /** Without the position, the next start verifies from the first file on. */
  async #writePosition(after: string): Promise<void> {
    try {
      await this.#position.write({ after });
    } catch (error) {
      this.#options.log.warn({ reason: reasonOf(error) }, "the position of the verification could not be stored");
    }
  }
}

/** Files that wait for their verification. One that is added again during its verification is verified again. */
class WaitingFiles {
  readonly #files = new Set<string>();
  readonly #added = new Signal();

  add(sha256: string): void {
    this.#files.add(sha256);
    this.#added.notify();
  }

  /** Removes the file that was added first, once there is one. */
  async next(clock: Clock, signal: AbortSignal): Promise<string> {
    for (;;) {
      for (const sha256 of this.#files) {
        this.#files.delete(sha256);
        return sha256;
      }
      await this.#added.wait(clock, Number.POSITIVE_INFINITY, signal);
    }
  }
}
