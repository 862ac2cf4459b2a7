// Batches small writes: items that are added while a write runs, or in the same turn of the event loop, are written together.
import { AsyncLocalStorage } from "node:async_hooks";
import { setImmediate } from "node:timers/promises";

interface PendingItem<T> {
  item: T;
  done: PromiseWithResolvers<void>;
}

/** Collects items and writes them in batches, one batch at a time. */
export class Batch<T> {
  readonly #write: (items: readonly T[]) => Promise<void>;
  readonly #maxItems: number;
  // A batch has items of several callers, so it runs in the context of none of them.
  readonly #runInOwnContext = AsyncLocalStorage.snapshot();
  #pending: PendingItem<T>[] = [];
  #isWriting = false;

  /** @param maxItems the largest batch, so that no single write takes long. */
  constructor(maxItems: number, write: (items: readonly T[]) => Promise<void>) {
    this.#maxItems = maxItems;
    this.#write = write;
  }

  /** Resolves once the item has been written; rejects when the write of its batch fails. */
  add(item: T): Promise<void> {
    const done = Promise.withResolvers<void>();
    this.#pending.push({ item, done });
    if (!this.#isWriting) void this.#runInOwnContext(() => this.#run());
    return done.promise;
  }

  /** Never rejects: the promises of `add` carry the outcome. */
  async #run(): Promise<void> {
    this.#isWriting = true;
    while (this.#pending.length > 0) {
      // Writes to SQLite block the event loop. Yielding here lets more items arrive for the same batch.
      await setImmediate();
      const batch = this.#pending.splice(0, this.#maxItems);
      try {
        await this.#write(batch.map(({ item }) => item));
        for (const { done } of batch) done.resolve();
      } catch (error) {
        for (const { done } of batch) done.reject(error);
      }
    }
    this.#isWriting = false;
  }
}
