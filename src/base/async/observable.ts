// A current value with listeners. Setting an equal value notifies nobody.
import { isDeepStrictEqual } from "node:util";

/** The read-only side of an {@link Observable}. */
export interface Watchable<T> {
  readonly value: T;
  /** Calls `listener` with the current value immediately, then with each new value until `signal` aborts. */
  watch(listener: (value: T) => void, signal: AbortSignal): void;
}

/** A value that changes over time. Listeners run synchronously, in the order they were added. */
export class Observable<T> implements Watchable<T> {
  #value: T;
  readonly #listeners = new Set<(value: T) => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  /** Replaces the value. A deeply equal value is ignored. */
  set(value: T): void {
    if (isDeepStrictEqual(value, this.#value)) return;
    this.#value = value;
    for (const listener of this.#listeners) listener(value);
  }

  watch(listener: (value: T) => void, signal: AbortSignal): void {
    if (signal.aborted) return;
    this.#listeners.add(listener);
    signal.addEventListener("abort", () => this.#listeners.delete(listener), { once: true });
    listener(this.#value);
  }
}
