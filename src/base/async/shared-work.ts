// One piece of work that several callers wait for: each may leave, and it is given up when the last has left.

export class SharedWork<T> {
  readonly #abandoned = new AbortController();
  readonly #work: Promise<T>;
  #waiting = 0;

  /** Begins at once. @param work is aborted when nobody waits for it any more. */
  constructor(work: (signal: AbortSignal) => Promise<T>) {
    this.#work = work(this.#abandoned.signal);
  }

  /** Whether it was given up: who comes now has to begin it anew. */
  get isAbandoned(): boolean {
    return this.#abandoned.signal.aborted;
  }

  /** What the work comes to; rejects with the signal's reason for a caller who leaves before. */
  async wait(signal: AbortSignal): Promise<T> {
    const left = Promise.withResolvers<never>();
    const leave = (): void => {
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#abandoned.abort();
      left.reject(signal.reason);
    };
    this.#waiting += 1;
    if (signal.aborted) leave();
    signal.addEventListener("abort", leave, { once: true });
    try {
      return await Promise.race([this.#work, left.promise]);
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }
}
