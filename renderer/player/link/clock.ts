// Corrected wall time on the page: estimates the player's clock from short exchanges and runs alarms by it.
import type { FrameCounter } from "../frame-counter.ts";
import { Alarms } from "./alarms.ts";

/** The clock that items and screens use. All times in ms. */
export interface PageClock {
  /** Corrected wall time. */
  now(): number;
  /** Converts a time of the performance clock, such as a frame's, into corrected wall time. */
  toWallTime(performanceTime: number): number;
  /** Calls back in the frame nearest to `time`, or in the next frame when `time` has passed. Returns a function that cancels the alarm. */
  alarm(time: number, callback: (frameTime: number) => void): () => void;
  /** How fast it runs: always 1 on a player. In a preview, whose clock is set from outside, it may be 0: the clock stands still. */
  readonly rate: number;
  /** Calls `listener` whenever a preview's clock is set, stopped or started, until `signal` aborts. A player's clock is only corrected. */
  onSet(listener: () => void, signal: AbortSignal): void;
}

const maxSamples = 8;
// Smaller corrections are not visible; applying them would make videos jitter.
const noiseMs = 5;

interface Sample {
  offset: number;
  roundTrip: number;
}

/** Estimates the player's clock from the quickest of the last eight exchanges. */
export class CorrectedTime implements PageClock {
  /** Resolves with the first exchange. Until then the time is the machine's own, uncorrected. */
  readonly firstSync: Promise<void>;
  readonly rate = 1;
  readonly #alarms: Alarms;
  readonly #markSynchronized: () => void;
  readonly #onStep: () => void;
  #offset = performance.timeOrigin;
  #samples: Sample[] = [];

  /** @param onStep called when the player's clock was set forward or back. */
  constructor(frames: FrameCounter, onStep: () => void) {
    this.#alarms = new Alarms(frames, this);
    this.#onStep = onStep;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.firstSync = promise;
    this.#markSynchronized = resolve;
  }

  now(): number {
    return this.toWallTime(performance.now());
  }

  toWallTime(performanceTime: number): number {
    return performanceTime + this.#offset;
  }

  /** Adds one exchange: the request was sent at `sentAt`, the response `remote` (the player's time) arrived at `receivedAt`. */
  addSample(sentAt: number, remote: number, receivedAt: number): void {
    const sample = { offset: remote - (sentAt + receivedAt) / 2, roundTrip: receivedAt - sentAt };
    const best = quickest(this.#samples);
    // Each sample is wrong by at most half its round trip. A larger difference means that the player's clock was set or this machine slept.
    const isStep = best !== undefined && Math.abs(sample.offset - best.offset) > (sample.roundTrip + best.roundTrip) / 2 + noiseMs;
    this.#samples = isStep ? [sample] : [...this.#samples.slice(1 - maxSamples), sample];
    const estimate = quickest(this.#samples)!;
    if (best === undefined || Math.abs(estimate.offset - this.#offset) > noiseMs) {
      this.#offset = estimate.offset;
      this.#alarms.rearm();
    }
    this.#markSynchronized();
    if (isStep) this.#onStep();
  }

  alarm(time: number, callback: (frameTime: number) => void): () => void {
    return this.#alarms.set(time, callback);
  }

  /** Does nothing: nobody sets this clock, and items follow its corrections by themselves. */
  onSet(): void {}
}

function quickest(samples: readonly Sample[]): Sample | undefined {
  return samples.reduce<Sample | undefined>(
    (best, sample) => (best === undefined || sample.roundTrip <= best.roundTrip ? sample : best),
    undefined,
  );
}
