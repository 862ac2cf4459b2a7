// Functions to call when something happens.

/** Listeners of one source. They run synchronously, in the order in which they were added. */
export class Listeners<T> {
  readonly #listeners = new Set<(value: T) => void>();

  get size(): number {
    return this.#listeners.size;
  }

  /** Adds `listener` until `signal` aborts. */
  add(listener: (value: T) => void, signal: AbortSignal): void {
    if (signal.aborted) return;
    this.#listeners.add(listener);
    signal.addEventListener("abort", () => this.#listeners.delete(listener), { once: true });
  }

  notify(value: T): void {
    for (const listener of this.#listeners) listener(value);
  }
}

/** Listeners by key, such as the id of a player. A key without listeners uses no memory. */
export class KeyedListeners<T> {
  readonly #byKey = new Map<string, Set<(value: T) => void>>();

  /** How many listeners there are, over all keys. */
  get size(): number {
    return [...this.#byKey.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** The keys that have listeners. */
  keys(): Iterable<string> {
    return this.#byKey.keys();
  }

  /** Adds `listener` for a key until `signal` aborts. */
  add(key: string, listener: (value: T) => void, signal: AbortSignal): void {
    if (signal.aborted) return;
    const listeners = this.#byKey.get(key) ?? new Set();
    this.#byKey.set(key, listeners.add(listener));
    const remove = (): void => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#byKey.get(key) === listeners) this.#byKey.delete(key);
    };
    signal.addEventListener("abort", remove, { once: true });
  }

  notify(key: string, value: T): void {
    for (const listener of this.#byKey.get(key) ?? []) listener(value);
  }
}
