// One piece of work that several callers wait for. It is aborted when the last caller has stopped waiting.
import { unlessAborted } from "./unless-aborted.ts";

/** Work that starts immediately and runs until it is done or nobody waits for it any more. */
export class SharedWork<T> {
  readonly #controller = new AbortController();
  readonly #work: Promise<T>;
  #waiting = 0;

  /** @param work starts the work; its signal aborts when the last caller stops waiting. */
  constructor(work: (signal: AbortSignal) => Promise<T>) {
    this.#work = work(this.#controller.signal);
    // Callers get a failure from `wait`. Without a caller it can be ignored.
    this.#work.catch(() => undefined);
  }

  /** True if the work was aborted. A new caller then has to start it again. */
  get isAbandoned(): boolean {
    return this.#controller.signal.aborted;
  }

  /** The work's result; rejects with the signal's reason when this caller stops waiting. */
  async wait(signal: AbortSignal): Promise<T> {
    // Count at the instant of the abort: a caller that arrives right after it must not join work that is being aborted.
    const leave = (): void => {
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#controller.abort();
    };
    this.#waiting += 1;
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, { once: true });
    try {
      return await unlessAborted(this.#work, signal);
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }
}
