// Waits for a condition that no event tells, by checking it again and again.

const shortestMs = 5;
const longestMs = 500;
// The checks of a waiting test take at most a twentieth of a CPU, because other tests run at the same time.
const pausePerCheck = 19;

/** Calls `check` until it returns neither null nor false. Only the test's time limit ends it earlier. */
export async function eventually<T>(check: () => T | null | false | Promise<T | null | false>): Promise<T> {
  for (;;) {
    const from = performance.now();
    const seen = await check();
    if (seen !== null && seen !== false) return seen;
    await pauseAfter(performance.now() - from);
  }
}

/** Polls until `condition` holds. @throws Error naming `what` after `limitMs`. */
export async function waitUntil(what: string, condition: () => boolean | Promise<boolean>, limitMs = 300_000): Promise<void> {
  const end = performance.now() + limitMs;
  for (;;) {
    const from = performance.now();
    if (await condition()) return;
    const checkedAt = performance.now();
    if (checkedAt > end) throw new Error(`not within ${limitMs} ms: ${what}`);
    await pauseAfter(checkedAt - from);
  }
}

/** Resolves after a pause in proportion to the duration of the last check, in ms. */
function pauseAfter(checkMs: number): Promise<void> {
  const pauseMs = Math.min(longestMs, Math.max(shortestMs, pausePerCheck * checkMs));
  return new Promise((resolve) => setTimeout(resolve, pauseMs));
}
