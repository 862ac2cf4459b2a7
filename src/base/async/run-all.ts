// Runs endless tasks concurrently. When one ends or fails, the others are aborted too.

/** One endless task; it rejects with an AbortError when its signal aborts. */
export type Task = (signal: AbortSignal) => Promise<unknown>;

/**
 * Runs `tasks` until `signal` aborts or one of them ends, then aborts the rest and waits for each of them.
 * @throws the first task's error, or an AbortError.
 */
export async function runAll(tasks: readonly Task[], signal: AbortSignal): Promise<never> {
  const first = new AbortController();
  const anySignal = AbortSignal.any([signal, first.signal]);
  await Promise.all(
    tasks.map(async (task) => {
      try {
        await task(anySignal);
        first.abort(new DOMException("a task has ended", "AbortError"));
      } catch (error) {
        // Later aborts are ignored, so the first error is the one that is thrown.
        first.abort(error);
      }
    }),
  );
  signal.throwIfAborted();
  throw first.signal.reason;
}
