// The pause between two checks of a condition that a test waits for.

const shortestMs = 5;
const longestMs = 500;
// The checks of a waiting test take at most a tenth of a CPU, because other tests run at the same time.
const pausePerCheck = 9;

/** Resolves after a pause in proportion to the duration of the last check, in ms. */
export function pauseAfter(checkMs: number): Promise<void> {
  const pauseMs = Math.min(longestMs, Math.max(shortestMs, pausePerCheck * checkMs));
  return new Promise((resolve) => setTimeout(resolve, pauseMs));
}
