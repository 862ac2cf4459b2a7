// Stops waiting for a promise when a signal aborts.

/** Settles as `promise` does, or rejects with the signal's reason if that aborts first. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    // Also after an abort, so that a later rejection of the promise is handled.
    void promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
  });
}
