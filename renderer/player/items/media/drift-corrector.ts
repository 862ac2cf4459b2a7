// Decides how to bring a play back to its position by the clock: by changing its speed, or by a seek. Pure.

/** The action to take now: play at `rate`, or seek to the expected position. */
export type Correction = { is: "rate"; rate: number } | { is: "seek" };

// Viewers do not notice a change of speed of 3 %.
const maxRateChange = 0.03;
// A drift is corrected within this time, as far as the maximum change of speed allows.
const correctionMs = 2_000;
// A correction begins at the first limit and ends at the second.
const startCorrectingMs = 12;
const stopCorrectingMs = 3;
// A measurement is this old when it is used; the correction has continued meanwhile.
const measurementAgeMs = 400;
const seekBeyondMs = 250;
// The median of three measurements is used, because a late frame makes one of them wrong.
const medianOf = 3;
// The time between two seeks doubles while seeks do not help, so that a slow machine does not spend its time seeking.
const seekGapMs = { first: 5_000, max: 60_000 };

/** Corrects one play. Drift is the actual position minus the expected one, in ms. */
export class DriftCorrector {
  #drifts: number[] = [];
  #rate = 1;
  #seekGapMs = seekGapMs.first;
  #maySeekFrom = Number.NEGATIVE_INFINITY;

  /** The correction after another measurement, taken at `now` (ms, monotonic). */
  correctionFor(drift: number, now: number): Correction {
    this.#drifts = [...this.#drifts.slice(1 - medianOf), drift];
    if (this.#drifts.length < medianOf) return { is: "rate", rate: this.#rate };
    const typical = this.#drifts.toSorted((a, b) => a - b)[Math.floor(medianOf / 2)]!;
    if (Math.abs(typical) > seekBeyondMs && now >= this.#maySeekFrom) {
      this.#maySeekFrom = now + this.#seekGapMs;
      this.#seekGapMs = Math.min(2 * this.#seekGapMs, seekGapMs.max);
      // Measurements from before the seek no longer apply.
      this.#drifts = [];
      this.#rate = 1;
      return { is: "seek" };
    }
    if (Math.abs(typical) < startCorrectingMs) this.#seekGapMs = seekGapMs.first;
    this.#rate = this.#rateFor(typical);
    return { is: "rate", rate: this.#rate };
  }

  #rateFor(drift: number): number {
    const size = Math.abs(drift);
    const correction = 1 - Math.sign(drift) * Math.min(maxRateChange, size / correctionMs);
    if (this.#rate === 1) return size >= startCorrectingMs ? correction : 1;
    // A running correction keeps its rate until the drift is small, changes its sign or grows.
    const strength = Math.abs(this.#rate - 1);
    const isDone = size <= stopCorrectingMs + strength * measurementAgeMs || Math.sign(drift) === Math.sign(this.#rate - 1);
    if (isDone) return 1;
    return Math.abs(correction - 1) > strength ? correction : this.#rate;
  }
}
