// Time, injected: corrected wall time for schedules, a monotonic clock for durations, and abortable waits.

/** What every part asks for the time. All figures in milliseconds. */
export interface Clock {
  /** Corrected wall time, ms since the Unix epoch (fractions allowed). */
  now(): number;
  /** Monotonic time, ms from an arbitrary origin; never steps. */
  monotonic(): number;
  /** Resolves after `ms` on the monotonic clock; rejects with an AbortError when `signal` aborts. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

// setTimeout takes at most 2^31-1 ms and fires at once above it.
const longestTimerMs = 2 ** 31 - 1;

/** The machine's own clocks, uncorrected. Wall time runs on the monotonic clock and follows steps of the system clock. */
export function createSystemClock(): Clock {
  // performance.timeOrigin ignores later steps of the wall clock. Only differences above what rounding and
  // scheduling explain are taken for a step, so that between steps time runs evenly, below the millisecond.
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
  /** Bound of the reference's own error; without it none. */
  errorMs?: number;
}

/** Offset of the reference to us and the bound of its error, both in ms. */
export interface ClockOffset {
  offsetMs: number;
  errorMs: number;
}

// NTP's clock filter: of the last eight exchanges the quickest is believed.
const samplesKept = 8;
// More than any path's asymmetry explains.
const stepMs = 1_000;

/**
 * A clock set right by exchanges with the service. It never touches the machine's own clock, and once it has been
 * set right it runs on the monotonic one: whatever NTP, a person or an empty battery does to the machine's wall
 * clock no longer moves it.
 */
export class CorrectedClock implements Clock {
  readonly #base: Clock;
  readonly #onStep = new Set<() => void>();
  #samples: ClockOffset[] = [];
  #learnedAt: number | null = null;
  #anchor: { wall: number; monotonic: number } | null = null;

  constructor(base: Clock) {
    this.#base = base;
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

  /** Uncorrected wall time, for stamping the local ends of an exchange: the machine's own until the first, then free running. */
  raw(): number {
    if (this.#anchor === null) return this.#base.now();
    return this.#anchor.wall + (this.#base.monotonic() - this.#anchor.monotonic);
  }

  /** The correction in force: of the kept exchanges the one with the least error. Half of a round trip is its error, and what the reference adds. */
  get offset(): ClockOffset {
    let best: ClockOffset = { offsetMs: 0, errorMs: Number.POSITIVE_INFINITY };
    for (const sample of this.#samples) if (sample.errorMs <= best.errorMs) best = sample;
    return best;
  }

  /** When an exchange was last taken in, monotonic ms; null: never. */
  get learnedAt(): number | null {
    return this.#learnedAt;
  }

  /** Calls back until `signal` aborts when corrected time has leapt, so that what waits for an instant looks again. */
  onStep(listener: () => void, signal: AbortSignal): void {
    this.#onStep.add(listener);
    signal.addEventListener("abort", () => this.#onStep.delete(listener), { once: true });
  }

  /** Takes one exchange in. One whose round trip is negative cannot be: it is dropped. */
  learn({ t0, t1, t2, t3, errorMs = 0 }: ClockSample): void {
    const delayMs = t3 - t0 - (t2 - t1);
    if (!(delayMs >= 0)) return;
    this.#learnedAt = this.#base.monotonic();
    this.#anchor ??= { wall: this.#base.now(), monotonic: this.#base.monotonic() };
    const sample = { offsetMs: (t1 - t0 + (t2 - t3)) / 2, errorMs: delayMs / 2 + errorMs };
    const known = this.offset;
    // A sample that contradicts the kept ones beyond both error bounds: the machine slept, or the service was set right.
    const contradicts = Math.abs(sample.offsetMs - known.offsetMs) > known.errorMs + sample.errorMs + stepMs;
    this.#samples = contradicts ? [sample] : [...this.#samples.slice(1 - samplesKept), sample];
    if (Math.abs(this.offset.offsetMs - known.offsetMs) > stepMs) for (const listener of this.#onStep) listener();
  }
}
