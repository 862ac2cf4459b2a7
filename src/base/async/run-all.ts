// Runs endless tasks side by side; the first to fail ends them all, and none is left behind.

/** One endless task; it rejects with an AbortError when its signal aborts. */
export type Task = (signal: AbortSignal) => Promise<unknown>;

/**
 * Runs `tasks` until `signal` aborts or one of them ends, then aborts the rest and waits for each of them.
 * @throws the first task's error, or an AbortError.
 */
export async function runAll(tasks: readonly Task[], signal: AbortSignal): Promise<never> {
  const first = new AbortController();
  const shared = AbortSignal.any([signal, first.signal]);
  await Promise.all(
    tasks.map(async (task) => {
      try {
        await task(shared);
        first.abort(new DOMException("a task has ended", "AbortError"));
      } catch (error) {
        // What the others say about being ended is not news: the first reason stands.
        first.abort(error);
      }
    }),
  );
  signal.throwIfAborted();
  throw first.signal.reason;
}
