// Batches small writes: items that are added while a write runs, or in the same turn of the event loop, are written together.
import { AsyncLocalStorage } from "node:async_hooks";
import { setImmediate } from "node:timers/promises";

interface PendingItem<T, R> {
  item: T;
  answer: PromiseWithResolvers<R>;
}

/** Collects items and writes them in batches, one batch at a time. `R` is the result of a write, the same for all items of its batch. */
export class Batch<T, R = void> {
  readonly #write: (items: readonly T[]) => Promise<R>;
  readonly #maxItems: number;
  // A batch has items of several callers, so it runs in the context of none of them.
  readonly #runInOwnContext = AsyncLocalStorage.snapshot();
  #pending: PendingItem<T, R>[] = [];
  #isWriting = false;

  /** @param maxItems the largest batch, so that no single write takes long. */
  constructor(maxItems: number, write: (items: readonly T[]) => Promise<R>) {
    this.#maxItems = maxItems;
    this.#write = write;
  }

  /** Resolves with the result of the write once the item has been written; rejects when the write of its batch fails. */
  add(item: T): Promise<R> {
    const answer = Promise.withResolvers<R>();
    this.#pending.push({ item, answer });
    if (!this.#isWriting) void this.#runInOwnContext(() => this.#run());
    return answer.promise;
  }

  /** Never rejects: the promises of `add` carry the outcome. */
  async #run(): Promise<void> {
    this.#isWriting = true;
    while (this.#pending.length > 0) {
      // Writes to SQLite block the event loop. Yielding here lets more items arrive for the same batch.
      await setImmediate();
      const batch = this.#pending.splice(0, this.#maxItems);
      try {
        const result = await this.#write(batch.map(({ item }) => item));
        for (const { answer } of batch) answer.resolve(result);
      } catch (error) {
        for (const { answer } of batch) answer.reject(error);
      }
    }
    this.#isWriting = false;
  }
}
