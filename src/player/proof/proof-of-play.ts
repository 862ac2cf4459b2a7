// Keeps proof of play: feeds plans and the page's reports to the state machine and writes finished plays to the durable log.
import type { CorrectedClock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { ulid } from "../../base/ulid.ts";
import type { Stage } from "../../protocol/scene.ts";
import type { FromPage } from "../../protocol/page-messages.ts";
import type { DiskHealth } from "../storage/disk-health.ts";
import type { ReadyState } from "../content/ready-content.ts";
import type { DeliverPlays } from "./deliver-plays.ts";
import { interruptedEvents, playEventOf } from "./play-events.ts";
import { planInput, reportInput, type InputContext } from "./play-inputs.ts";
import type { OpenPlaysSnapshot } from "./play-log-file.ts";
import { PlayLog } from "./play-log.ts";
import { isDark } from "./dark-plays.ts";
import { step } from "./play-state.ts";
import { initialPlayState, readingAt, type ClockReading, type PlayInput } from "./play-types.ts";

// A crash loses at most this much of the open plays. Each record may make the disk write a block of 4 kB.
const frameIntervalMs = 15_000;

export interface ProofDependencies {
  /** Where events wait for upload. */
  folder: string;
  /** Identifies this run of the player. */
  bootId: string;
  clock: CorrectedClock;
  log: Log;
  disk?: DiskHealth;
}

/** A full or broken disk must not stop playback: the log then keeps the events in memory. */
export class ProofOfPlay {
  readonly #dependencies: ProofDependencies;
  readonly #playLog: PlayLog;
  #ready: ReadyState | null = null;
  #plays = initialPlayState;
  /** When this run of the player began, on the monotonic clock. */
  readonly #openedAt: number;
  /** When a frame was last recorded, on the monotonic clock. */
  #frameRecordedAt = Number.NEGATIVE_INFINITY;

  private constructor(dependencies: ProofDependencies, playLog: PlayLog) {
    this.#dependencies = dependencies;
    this.#playLog = playLog;
    this.#openedAt = dependencies.clock.monotonic();
  }

  /** Opens the log. Plays that the previous run left open end at the last frame that it recorded. */
  static async open(dependencies: ProofDependencies): Promise<ProofOfPlay> {
    const { folder, clock, log, disk } = dependencies;
    const { playLog, previousRun } = await PlayLog.open(folder, clock, log, disk);
    const proof = new ProofOfPlay(dependencies, playLog);
    await proof.#logFailure(playLog.append(interruptedEvents(previousRun), proof.#snapshot()));
    return proof;
  }

  /**
   * Sets the plays that are due from `since` on (corrected wall time, by default now): the stage as the page gets it, null if there is
   * none. Resolves once the resulting events are written.
   */
  async setPlan(stage: Stage | null, ready: ReadyState | null, since = Number.POSITIVE_INFINITY): Promise<void> {
    if (ready !== null) this.#ready = ready;
    const now = this.#now();
    await this.#step(planInput(stage, now, readingAt(since, now, this.#openedAt), this.#context));
  }

  /** Handles a report of the page. Resolves once the resulting events are written. */
  async handleMessage(message: FromPage): Promise<void> {
    const input = reportInput(message, this.#context);
    if (input === "no-cause") this.#dependencies.log.error({ message }, "the page reported a play without a cause: it is not proven");
    else if (input !== null) await this.#step(input);
  }

  /** The display was switched off on purpose, or on again. Resolves once the resulting events are written. */
  setDisplayOff(isOff: boolean): Promise<void> {
    return this.#step({ is: "display", isOff, at: this.#now() });
  }

  /** Uploads events until `signal` aborts. @throws Fault `revoked`. */
  run(deliver: DeliverPlays, signal: AbortSignal): Promise<never> {
    return this.#playLog.run(deliver, signal);
  }

  /** Writes events that could not be written before, also after the log was deleted from the disk. */
  save(): Promise<void> {
    return this.#playLog.save();
  }

  /** Ends all open plays because the player stops, and closes the log. */
  async stop(): Promise<void> {
    await this.#step({ is: "stopped", now: this.#now() });
    await this.#logFailure(this.#playLog.close());
  }

  /** Deletes everything after a revocation. Call only after {@link stop}. */
  async purge(): Promise<void> {
    await this.#playLog.purge();
  }

  async #step(input: PlayInput): Promise<void> {
    const before = this.#plays;
    const { plays, done } = step(before, input, () => `evt_${ulid(this.#dependencies.clock.now())}`);
    this.#plays = plays;
    const writing: Promise<void>[] = [];
    if (done.length > 0 || plays.open !== before.open) {
      const snapshot = this.#snapshot();
      const events = done.map((play) => playEventOf(play, snapshot));
      writing.push(this.#playLog.append(events, snapshot));
      this.#frameRecordedAt = this.#now().mono;
    }
    const { lastFrame } = plays;
    if (lastFrame !== null && plays.open.size > 0 && lastFrame.mono - this.#frameRecordedAt >= frameIntervalMs) {
      this.#frameRecordedAt = lastFrame.mono;
      writing.push(this.#playLog.recordFrame(lastFrame));
    }
    await this.#logFailure(Promise.all(writing));
  }

  async #logFailure(writing: Promise<unknown>): Promise<void> {
    try {
      await writing;
    } catch (error) {
      this.#dependencies.log.error({ err: error }, "play events could not be written");
    }
  }

  #snapshot(): OpenPlaysSnapshot {
    const { clock, bootId } = this.#dependencies;
    const { offsetMs, errorMs } = clock.offset;
    return {
      bootId,
      clockOffsetMs: offsetMs,
      clockErrorMs: Number.isFinite(errorMs) ? errorMs : null,
      // A play on a dark display was not visible, so it is not reported as interrupted if the player is killed now.
      open: isDark(this.#plays) ? [] : [...this.#plays.open.values()],
    };
  }

  get #context(): InputContext {
    const now = this.#now();
    return { ready: this.#ready, now, readingAt: (at) => readingAt(at, now, this.#plays.lastFrame?.mono ?? this.#openedAt) };
  }

  #now(): ClockReading {
    return { at: this.#dependencies.clock.now(), mono: this.#dependencies.clock.monotonic() };
  }
}
