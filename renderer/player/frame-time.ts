// Finds out how long the display shows a frame, from the times of frames. Knows nothing of the page.

// Until enough frames were seen. Most displays have 60 Hz.
const usualMs = 1_000 / 60;
// No display is slower than 24 Hz: longer intervals are frames that were late.
const longestMs = 1_000 / 24;
// The median of a few intervals, because one of them may be short or long by chance.
const blockSize = 15;

/** The duration of a frame, learnt from the intervals between frames that follow each other. */
export class FrameTime {
  #intervals: number[] = [];
  #learntMs: number | null = null;

  /** Adds the interval between two frames of which the second was requested in the first. */
  add(intervalMs: number): void {
    this.#intervals.push(intervalMs);
    if (this.#intervals.length < blockSize) return;
    const median = this.#intervals.toSorted((a, b) => a - b)[blockSize >> 1]!;
    // The shortest, so that a page which is always late is not taken for a slow display.
    this.#learntMs = Math.min(median, this.#learntMs ?? longestMs);
    this.#intervals = [];
  }

  /** In ms. */
  get value(): number {
    return this.#learntMs ?? usualMs;
  }
}
