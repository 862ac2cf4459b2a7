// The injected clock: corrected wall time for schedules, monotonic time for durations, and abortable waits.
import { Listeners } from "./async/listeners.ts";

/** The source of time for all code. All values are in milliseconds. */
export interface Clock {
  /** Corrected wall time, ms since the Unix epoch (fractions allowed). */
  now(): number;
  /** Monotonic time, ms from an arbitrary origin; never jumps. */
  monotonic(): number;
  /** Resolves after `ms` on the monotonic clock; rejects with an AbortError when `signal` aborts. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

// setTimeout takes at most 2^31-1 ms and fires at once above it.
const longestTimerMs = 2 ** 31 - 1;

/** The machine's clocks, uncorrected. Wall time runs on the monotonic clock and follows jumps of the system clock. */
export function createSystemClock(): Clock {
  // performance.timeOrigin ignores later jumps of the wall clock. Smaller differences are rounding and scheduling noise;
  // ignoring them keeps time smooth below the millisecond.
  const noiseMs = 20;
  let originMs = performance.timeOrigin;
  return {
    now: () => {
      const drift = Date.now() - (originMs + performance.now());
      if (Math.abs(drift) > noiseMs) originMs += drift;
      return originMs + performance.now();
    },
    monotonic: () => performance.now(),
    wait,
  };
}

function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(abortError(signal));
    const timer = setTimeout(done, Math.min(Math.max(0, ms), longestTimerMs));
    function done(): void {
      signal?.removeEventListener("abort", aborted);
      resolve();
    }
    function aborted(): void {
      clearTimeout(timer);
      reject(abortError(signal!));
    }
    signal?.addEventListener("abort", aborted, { once: true });
  });
}

function abortError(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof Error && reason.name === "AbortError" ? reason : new DOMException("The wait was aborted", "AbortError");
}

/** One exchange with a reference clock (RFC 5905 section 8): all in ms, t0/t3 local, t1/t2 remote. */
export interface ClockSample {
  t0: number;
  t1: number;
  t2: number;
  t3: number;
  /** Bound of the reference's own error; none by default. */
  errorMs?: number;
  /** Whether the reference has proven its identity. */
  isAuthenticated?: boolean;
}

/** Offset of the reference clock from ours, and the bound of its error, both in ms. */
export interface ClockOffset {
  offsetMs: number;
  errorMs: number;
}

// As in NTP's clock filter, the quickest of the last eight exchanges wins.
const samplesKept = 8;
// Smaller differences can come from a network path that is slower in one direction than in the other. A larger one is a jump.
const stepMs = 1_000;

/**
 * A clock corrected by exchanges with the service. It never changes the machine's own clock. After the first exchange it
 * runs on monotonic time, so later changes of the machine's wall clock (by NTP, a person, an empty battery) do not move it.
 */
export class CorrectedClock implements Clock {
  readonly #base: Clock;
  readonly #stepListeners = new Listeners<void>();
  #samples: ClockOffset[] = [];
  #learnedAt: number | null = null;
  #authenticatedAt: number | null = null;
  #anchor: { wall: number; monotonic: number } | null = null;
  /** A time that has certainly passed. */
  #earliest: { wall: number; monotonic: number };

  /** @param earliestMs a time that has certainly passed, ms since the epoch. Only an authenticated time can be earlier. */
  constructor(base: Clock, earliestMs = Number.NEGATIVE_INFINITY) {
    this.#base = base;
    this.#earliest = { wall: earliestMs, monotonic: base.monotonic() };
  }

  now(): number {
    return this.raw() + this.offset.offsetMs;
  }

  monotonic(): number {
    return this.#base.monotonic();
  }

  wait(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#base.wait(ms, signal);
  }

  /** Uncorrected wall time for the local timestamps of an exchange. Follows the machine's wall clock only until the first exchange. */
  raw(): number {
    if (this.#anchor === null) return Math.max(this.#base.now(), this.earliest);
    return this.#sinceThen(this.#anchor);
  }

  /** The wall time of the machine, as other programs and the verification of certificates use it. */
  machineNow(): number {
    return this.#base.now();
  }

  /** The current correction: that of the kept exchange with the smallest error (half the round trip plus the reference's own). */
  get offset(): ClockOffset {
    let best: ClockOffset = { offsetMs: 0, errorMs: Number.POSITIVE_INFINITY };
    for (const sample of this.#samples) if (sample.errorMs <= best.errorMs) best = sample;
    return best;
  }

  /** When the clock last learned from an exchange, in monotonic ms; null if never. */
  get learnedAt(): number | null {
    return this.#learnedAt;
  }

  /** The earliest time that it can be now, by the last authenticated exchange or by the constructor's parameter; ms since the epoch. */
  get earliest(): number {
    return this.#sinceThen(this.#earliest);
  }

  /** When the clock last learned from an authenticated exchange, in monotonic ms; null if never. */
  get authenticatedAt(): number | null {
    return this.#authenticatedAt;
  }

  /** Calls `listener` whenever corrected time jumps, until `signal` aborts. Code that waits for an instant then checks again. */
  onStep(listener: () => void, signal: AbortSignal): void {
    this.#stepListeners.add(listener, signal);
  }

  /**
   * Learns from one exchange. Ignores an impossible one with a negative round trip, and a time that is not authenticated and earlier
   * than the last one that was.
   * @returns whether the clock learned from it.
   */
  learn({ t0, t1, t2, t3, errorMs = 0, isAuthenticated = false }: ClockSample): boolean {
    const delayMs = t3 - t0 - (t2 - t1);
    if (!(delayMs >= 0)) return false;
    if (!isAuthenticated && t2 + delayMs + errorMs < this.earliest) return false;
    this.#learnedAt = this.#base.monotonic();
    this.#anchor ??= { wall: this.raw(), monotonic: this.#base.monotonic() };
    const sample = { offsetMs: (t1 - t0 + (t2 - t3)) / 2, errorMs: delayMs / 2 + errorMs };
    const known = this.offset;
    // A sample that differs by more than both error bounds: the machine slept, or the service's clock was corrected.
    const contradicts = Math.abs(sample.offsetMs - known.offsetMs) > known.errorMs + sample.errorMs + stepMs;
    this.#samples = contradicts ? [sample] : [...this.#samples.slice(1 - samplesKept), sample];
    if (isAuthenticated) {
      this.#authenticatedAt = this.#learnedAt;
      this.#earliest = { wall: this.raw() + sample.offsetMs - sample.errorMs, monotonic: this.#base.monotonic() };
    }
    if (Math.abs(this.offset.offsetMs - known.offsetMs) > stepMs) this.#stepListeners.notify();
    return true;
  }

  /** A wall time moved forward to now. */
  #sinceThen({ wall, monotonic }: { wall: number; monotonic: number }): number {
    return wall + (this.#base.monotonic() - monotonic);
  }
}
