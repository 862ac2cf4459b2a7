// A current value and those who watch it. Equal values are dropped, so an identical push wakes nobody.
import { isDeepStrictEqual } from "node:util";

/** The reading side of a {@link Observable}: all that other stages get to see. */
export interface Watchable<T> {
  readonly value: T;
  /** Calls `listener` with the present value at once and with each new one until `signal` aborts. */
  watch(listener: (value: T) => void, signal: AbortSignal): void;
}

/** A value that changes over time. Listeners run synchronously in the order they came. */
export class Observable<T> implements Watchable<T> {
  #value: T;
  readonly #listeners = new Set<(value: T) => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  /** Replaces the value; nobody hears of one that equals the present one (deep equality). */
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
