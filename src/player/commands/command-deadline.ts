// Runs a command's work until its deadline. Work that ignores the abort is left behind.
import type { Clock } from "../../base/clock.ts";
import { Fault, isAbort } from "../../base/fault.ts";
import { unlessAborted } from "../../base/async/unless-aborted.ts";

/**
 * Settles as `work` does; its signal aborts with `signal` and at the deadline.
 * @throws Fault `timeout` at the deadline, also if the work does not end then.
 */
export async function withinDeadline<T>(
  clock: Clock,
  deadlineMs: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  const late = new AbortController();
  const watch = clock.wait(deadlineMs, ended.signal).then(
    () => late.abort(new Fault("timeout", `it did not end within ${deadlineMs / 1_000} s, and was aborted. Parts of it may have happened`)),
    (error: unknown) => {
      if (!isAbort(error)) throw error;
    },
  );
  try {
    // The module gets an AbortError, as from any other abort, so that it does not have to know deadlines.
    const stop = new AbortController();
    late.signal.addEventListener("abort", () => stop.abort(), { once: true });
    return await unlessAborted(work(AbortSignal.any([signal, stop.signal])), late.signal);
  } finally {
    ended.abort();
    await watch;
  }
}

/** True if an error or its cause is an abort. */
export function isByAbort(error: unknown): boolean {
  return isAbort(error) || (error instanceof Error && error.cause !== undefined && isByAbort(error.cause));
}
