// The injected clock: corrected wall time for schedules, monotonic time for durations, and abortable waits.
import { uptime } from "node:os";
import { Listeners } from "./async/listeners.ts";
import { type ClockOffset, type ClockSample, offsetOf } from "./clock-sample.ts";
import { type Moment, TimeWitness } from "./time-witness.ts";
import { dayMs } from "./time.ts";

/** The source of time for all code. All values are in milliseconds. */
export interface Clock {
  /** Corrected wall time, ms since the Unix epoch (fractions allowed). */
  now(): number;
  /** Monotonic time, ms from an arbitrary origin; never jumps, and stands still while the machine is suspended. */
  monotonic(): number;
  /** Like `monotonic`, but includes the time for which the machine was suspended. */
  elapsed(): number;
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
  // While a machine is suspended, its wall clock and its uptime run on, but not performance.now() (on Linux and macOS).
  const suspensionMs = 1_000;
  const awakeSince = uptime() * 1_000 - performance.now();
  let wallLead = Date.now() - performance.now();
  let suspendedMs = 0;
  return {
    now: () => {
      // The process may be paused between two readings: the wall clock was read at some time between these two.
      const before = performance.now();
      const wall = Date.now();
      const after = performance.now();
      const [least, most] = [wall - after - originMs, wall - before - originMs];
      if (least > noiseMs) originMs += least;
      else if (most < -noiseMs) originMs += most;
      return originMs + after;
    },
    monotonic: () => performance.now(),
    elapsed: () => {
      // Reading the uptime is slow, so do it only after the wall clock has jumped.
      const lead = Date.now() - performance.now();
      if (Math.abs(lead - wallLead) > suspensionMs) {
        wallLead = lead;
        const sleepMs = uptime() * 1_000 - performance.now() - awakeSince;
        if (sleepMs - suspendedMs > suspensionMs) suspendedMs = sleepMs;
      }
      return performance.now() + suspendedMs;
    },
    wait,
  };
}

function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(abortError(signal));
    const timer = setTimeout(finish, Math.min(Math.max(0, ms), longestTimerMs));
    function finish(): void {
      signal?.removeEventListener("abort", abort);
      resolve();
    }
    function abort(): void {
      clearTimeout(timer);
      reject(abortError(signal!));
    }
    signal?.addEventListener("abort", abort, { once: true });
  });
}

function abortError(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof Error && reason.name === "AbortError" ? reason : new DOMException("The wait was aborted", "AbortError");
}

// As in NTP's clock filter, the quickest of the last eight exchanges wins.
const samplesKept = 8;
// Smaller differences can come from a network path that is slower in one direction than in the other. A larger one is a jump.
const stepMs = 1_000;
// Schedules must follow a jump within five seconds.
const watchMs = 2_000;
// A machine whose clock is further ahead of a proven time has a wrong clock.
const longestUnprovenMs = 10 * 365.25 * dayMs;
// The end of the times that records and messages can have (`Instant` in src/protocol), ms since the epoch.
const latestMs = Date.UTC(2200, 0, 1);

/**
 * A clock corrected by exchanges with the service and with time servers. It never changes the machine's own clock. After the first
 * exchange it runs on monotonic time, so later changes of the machine's wall clock (by NTP, a person, an empty battery) do not move it.
 */
export class CorrectedClock implements Clock {
  readonly #base: Clock;
  readonly #stepListeners = new Listeners<void>();
  readonly #witness = new TimeWitness();
  #samples: ClockOffset[] = [];
  #learnedAt: number | null = null;
  #authenticatedAt: number | null = null;
  #anchor: Moment | null = null;
  /** A time that has certainly passed, and that no time server contradicts. */
  #certain: Moment;
  /** The time of the last authenticated exchange. */
  #provenTime: Moment | null = null;
  /** How far corrected time was ahead of monotonic time when the listeners last knew. */
  #knownLead: number;

  /** @param earliestMs a time that has certainly passed, ms since the epoch. Only an authenticated time can be earlier. */
  constructor(base: Clock, earliestMs = Number.NEGATIVE_INFINITY) {
    this.#base = base;
    this.#certain = { wall: earliestMs, elapsed: base.elapsed() };
    this.#knownLead = this.#lead;
  }

  /** Never before 1970 or after 2199, whatever the machine's clock says: every record of this time can be read again. */
  now(): number {
    return Math.min(latestMs, Math.max(0, this.raw() + this.offset.offsetMs));
  }

  monotonic(): number {
    return this.#base.monotonic();
  }

  elapsed(): number {
    return this.#base.elapsed();
  }

  wait(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#base.wait(ms, signal);
  }

  /**
   * Uncorrected wall time for the local timestamps of an exchange. Follows the machine's wall clock only until the first exchange, and
   * only while that is possible: no earlier than `earliest`, and no more than ten years later.
   */
  raw(): number {
    if (this.#anchor !== null) return this.#sinceThen(this.#anchor);
    const [machine, { earliest }] = [this.#base.now(), this];
    const isPossible = earliest === Number.NEGATIVE_INFINITY || (machine >= earliest && machine <= earliest + longestUnprovenMs);
    return isPossible ? machine : earliest;
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
    return this.#sinceThen(this.#provenTime ?? this.#certain);
  }

  /** When the clock last learned from an authenticated exchange that it still believes, in monotonic ms; null if never. */
  get authenticatedAt(): number | null {
    return this.#authenticatedAt;
  }

  /** By how much the service's time, which is not believed, is ahead of that of the time servers, ms; null: they do not contradict it. */
  get contradictionMs(): number | null {
    return this.#witness.contradictionMs;
  }

  /** Calls `listener` whenever corrected time jumps, until `signal` aborts. Code that waits for an instant then checks again. */
  onStep(listener: () => void, signal: AbortSignal): void {
    this.#stepListeners.add(listener, signal);
  }

  /** Notifies the listeners of a jump within two seconds: the machine's clock was set, or the machine was suspended. */
  async watchForSteps(signal: AbortSignal): Promise<never> {
    for (;;) {
      await this.#base.wait(watchMs, signal);
      this.#notifyIfStepped();
    }
  }

  /**
   * Learns from one exchange. Ignores an impossible one with a negative round trip, a time that is not authenticated and earlier
   * than the last one that was, and a service's time that a time server contradicts.
   * @returns whether the clock learned from it.
   */
  learn(exchange: ClockSample): boolean {
    const { t3, isAuthenticated = false, source = "service" } = exchange;
    const sample = offsetOf(exchange);
    if (sample === null) return false;
    const moment = this.#at(t3 + sample.offsetMs);
    if (source === "service" && !this.#witness.serviceSays(moment, sample.errorMs)) return false;
    if (!isAuthenticated && moment.wall + sample.errorMs < this.earliest) return false;
    this.#learnedAt = this.#base.monotonic();
    this.#anchor ??= this.#at(this.raw());
    const previous = this.offset;
    // A sample that differs by more than both error bounds: the service's clock was corrected.
    const contradicts = Math.abs(sample.offsetMs - previous.offsetMs) > previous.errorMs + sample.errorMs + stepMs;
    this.#samples = contradicts ? [sample] : [...this.#samples.slice(1 - samplesKept), sample];
    if (isAuthenticated) {
      this.#authenticatedAt = this.#learnedAt;
      this.#provenTime = this.#at(moment.wall - sample.errorMs);
      if (this.#provenTime.wall < this.#sinceThen(this.#certain)) this.#certain = this.#provenTime;
    }
    this.#notifyIfStepped();
    return true;
  }

  /**
   * Compares the service's time with that of a time server, without setting the clock by it. If they contradict each other, the clock
   * forgets the service's time, and continues until it learns the time server's time.
   * @returns whether the time server is believed: its time is not earlier than a certain one.
   */
  compare(exchange: ClockSample): boolean {
    const sample = offsetOf(exchange);
    if (sample === null) return false;
    const moment = this.#at(exchange.t3 + sample.offsetMs);
    if (moment.wall + sample.errorMs < this.#sinceThen(this.#certain)) return false;
    const isAgreed = this.#witness.timeServerSays(moment, sample.errorMs);
    if (isAgreed && this.#provenTime !== null) {
      // The earlier of two times that agree has certainly passed.
      this.#certain = this.#at(Math.min(this.#sinceThen(this.#provenTime), moment.wall - sample.errorMs));
    }
    if (!isAgreed) [this.#provenTime, this.#authenticatedAt] = [null, null];
    return true;
  }

  get #lead(): number {
    return this.raw() + this.offset.offsetMs - this.#base.monotonic();
  }

  #notifyIfStepped(): void {
    const lead = this.#lead;
    if (Math.abs(lead - this.#knownLead) <= stepMs) return;
    this.#knownLead = lead;
    this.#stepListeners.notify();
  }

  /** The moment at which it is `wall` now. */
  #at(wall: number): Moment {
    return { wall, elapsed: this.#base.elapsed() };
  }

  /** A wall time moved forward to now. */
  #sinceThen({ wall, elapsed }: Moment): number {
    return wall + (this.#base.elapsed() - elapsed);
  }
}
