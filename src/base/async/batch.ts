// Does small writes together: what comes in one turn of the event loop is written at once, between turns that others get.
import { setImmediate } from "node:timers/promises";

interface Waiting<T> {
  item: T;
  done: PromiseWithResolvers<void>;
}

export class Batch<T> {
  readonly #write: (items: readonly T[]) => Promise<void>;
  readonly #most: number;
  #waiting: Waiting<T>[] = [];
  #isWriting = false;

  /** @param most items at once, so that no write takes long. */
  constructor(most: number, write: (items: readonly T[]) => Promise<void>) {
    this.#most = most;
    this.#write = write;
  }

  /** Resolves once the item was written; rejects as the write of its batch did. */
  add(item: T): Promise<void> {
    const done = Promise.withResolvers<void>();
    this.#waiting.push({ item, done });
    if (!this.#isWriting) void this.#run();
    return done.promise;
  }

  /** Never rejects: every outcome is told to those who wait for it. */
  async #run(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      // A write to SQLite never lets the loop go on by itself: without this, each would be done before the next could come.
      await setImmediate();
      const batch = this.#waiting.splice(0, this.#most);
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
