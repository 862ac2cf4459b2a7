// Decides how a play is brought back to where the clock says it should be: by its speed, or at once. Pure.

/** What to do now: `rate` is the speed to play at, `seek` goes to the due position at once. */
export type Correction = { is: "rate"; rate: number } | { is: "seek" };

// Neither eye nor ear notices three parts in a hundred.
const strongest = 0.03;
// What is off is made good within this, as far as the strongest correction goes.
const makeGoodMs = 2_000;
// Corrected from here on, until it is this little: between the two the speed is left alone.
const beginsMs = 12;
const endsMs = 3;
// What a measure says is this old by the time it counts: meanwhile the correction has gone on.
const measureAgeMs = 400;
const seekBeyondMs = 250;
// One measure in three may be wrong: a frame that came late says nothing of the clip.
const measures = 3;
// A seek that did not help would not help at once either: a box that is too slow must not only seek.
const seekGapMs = { first: 5_000, longest: 60_000 };

/** Follows one play. Drift is where it is less where it should be, in ms. */
export class DriftCorrector {
  #drifts: number[] = [];
  #rate = 1;
  #seekGapMs = seekGapMs.first;
  #maySeekFrom = Number.NEGATIVE_INFINITY;

  /** Takes a measure in, taken at `now` (ms, monotonic). */
  correctionFor(drift: number, now: number): Correction {
    this.#drifts = [...this.#drifts.slice(1 - measures), drift];
    if (this.#drifts.length < measures) return { is: "rate", rate: this.#rate };
    const typical = this.#drifts.toSorted((a, b) => a - b)[Math.floor(measures / 2)]!;
    if (Math.abs(typical) > seekBeyondMs && now >= this.#maySeekFrom) {
      this.#maySeekFrom = now + this.#seekGapMs;
      this.#seekGapMs = Math.min(2 * this.#seekGapMs, seekGapMs.longest);
      // What was measured before the leap says nothing of what comes after it.
      this.#drifts = [];
      this.#rate = 1;
      return { is: "seek" };
    }
    if (Math.abs(typical) < beginsMs) this.#seekGapMs = seekGapMs.first;
    this.#rate = this.#rateFor(typical);
    return { is: "rate", rate: this.#rate };
  }

  #rateFor(drift: number): number {
    const size = Math.abs(drift);
    const needed = 1 - Math.sign(drift) * Math.min(strongest, size / makeGoodMs);
    if (this.#rate === 1) return size >= beginsMs ? needed : 1;
    // Under way: it goes on as it began until the rest is small, is on the other side, or has grown.
    const strength = Math.abs(this.#rate - 1);
    const isDone = size <= endsMs + strength * measureAgeMs || Math.sign(drift) === Math.sign(this.#rate - 1);
    if (isDone) return 1;
    return Math.abs(needed - 1) > strength ? needed : this.#rate;
  }
}
