// Corrected wall time on the page: the player's clock carried over by short exchanges, and alarms in the frame nearest.
import type { FrameCounter } from "../frame-counter.ts";

/** What items and screens ask for the time. All in ms. */
export interface PageClock {
  /** Corrected wall time. */
  now(): number;
  /** Corrected wall time of an instant on the performance clock, such as a frame's. */
  toWallTime(performanceTime: number): number;
  /** Calls back in the frame nearest to `time`, in the next one when it has passed. Returns what cancels it. */
  alarm(time: number, ring: (frameTime: number) => void): () => void;
}

const samplesKept = 8;
// Below this a better sample is noise to the eye; following it would make plays jitter.
const noiseMs = 5;
// Timers come late by a few ms; the last stretch before an alarm goes by frames.
const frameLeadMs = 40;
const halfFrameMs = 8;
// setTimeout takes at most 2^31-1 ms and fires at once above it.
const longestTimerMs = 2 ** 31 - 1;

interface Sample {
  offset: number;
  roundTrip: number;
}

/** Follows the player's clock: of the last eight exchanges the quickest is believed. */
export class CorrectedTime implements PageClock {
  /** Resolves with the first exchange: before it, wall time is the machine's own, uncorrected. */
  readonly synchronized: Promise<void>;
  readonly #frames: FrameCounter;
  readonly #alarms = new Set<{ rearm(): void }>();
  readonly #announce: () => void;
  readonly #onStep: () => void;
  #offset = performance.timeOrigin;
  #samples: Sample[] = [];

  /** @param onStep called when the player's clock turns out to have been put forward or back. */
  constructor(frames: FrameCounter, onStep: () => void) {
    this.#frames = frames;
    this.#onStep = onStep;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.synchronized = promise;
    this.#announce = resolve;
  }

  now(): number {
    return this.toWallTime(performance.now());
  }

  toWallTime(performanceTime: number): number {
    return performanceTime + this.#offset;
  }

  /** Takes in one exchange: sent at `sent`, answered with `remote`, received at `received`. */
  addSample(sent: number, remote: number, received: number): void {
    const sample = { offset: remote - (sent + received) / 2, roundTrip: received - sent };
    const best = quickest(this.#samples);
    // Both samples bound their own error; beyond the two bounds the player's clock was set right or this machine slept.
    const stepped = best !== undefined && Math.abs(sample.offset - best.offset) > (sample.roundTrip + best.roundTrip) / 2 + noiseMs;
    this.#samples = stepped ? [sample] : [...this.#samples.slice(1 - samplesKept), sample];
    const believed = quickest(this.#samples)!;
    if (best === undefined || Math.abs(believed.offset - this.#offset) > noiseMs) {
      this.#offset = believed.offset;
      for (const alarm of this.#alarms) alarm.rearm();
    }
    this.#announce();
    if (stepped) this.#onStep();
  }

  alarm(time: number, ring: (frameTime: number) => void): () => void {
    let cancelWait = (): void => {};
    const arm = (): void => {
      const wait = time - this.now() - frameLeadMs;
      if (wait > 0) {
        const timer = setTimeout(arm, Math.min(wait, longestTimerMs));
        cancelWait = () => {
          clearTimeout(timer);
        };
        return;
      }
      cancelWait = this.#frames.request((frameTime) => {
        if (this.toWallTime(frameTime) < time - halfFrameMs) return arm();
        this.#alarms.delete(alarm);
        ring(frameTime);
      });
    };
    const alarm = {
      rearm: (): void => {
        cancelWait();
        arm();
      },
    };
    this.#alarms.add(alarm);
    arm();
    return () => {
      this.#alarms.delete(alarm);
      cancelWait();
    };
  }
}

function quickest(samples: readonly Sample[]): Sample | undefined {
  return samples.reduce<Sample | undefined>(
    (best, sample) => (best === undefined || sample.roundTrip <= best.roundTrip ? sample : best),
    undefined,
  );
}
