// The queue for imports and thumbnails.
import { expect, test } from "vitest";
import { BackgroundQueue } from "../../../../src/service/content/assets/background-queue.ts";
import { FakeClock } from "../../../support/clock.ts";

/** A queue over a list of pending rows; each row stays running until the test ends it. */
class QueueUnderTest {
  readonly pending: string[];
  readonly running = new Map<string, PromiseWithResolvers<void>>();
  readonly queue: BackgroundQueue<string>;
  readonly #stop = new AbortController();
  readonly done: Promise<unknown>;

  constructor(...pending: string[]) {
    this.pending = pending;
    this.queue = new BackgroundQueue(new FakeClock(), {
      maxAtOnce: 2,
      findNext: async (running) => this.pending.find((row) => !running.includes(row)),
      process: (row) => {
        const ends = Promise.withResolvers<void>();
        this.running.set(row, ends);
        return ends.promise;
      },
    });
    this.done = this.queue.run(this.#stop.signal).catch((error: unknown) => error);
  }

  end(row: string): void {
    this.pending.splice(this.pending.indexOf(row), 1);
    this.running.get(row)!.resolve();
    this.running.delete(row);
  }

  stop(): void {
    this.#stop.abort();
  }
}

test("[IMP6] a queue processes a few rows at once, and a new row when it is woken", async () => {
  const test = new QueueUnderTest("a", "b", "c");
  await expect.poll(() => [...test.running.keys()]).toEqual(["a", "b"]);
  test.end("a");
  await expect.poll(() => [...test.running.keys()]).toEqual(["b", "c"]);
  test.end("b");
  test.end("c");
  test.pending.push("d");
  test.queue.wake();
  await expect.poll(() => [...test.running.keys()]).toEqual(["d"]);
  test.end("d");
  test.stop();
  await test.done;
});

test("[IMP6] a stopped queue waits for its running rows", async () => {
  const test = new QueueUnderTest("a");
  await expect.poll(() => test.running.size).toBe(1);
  let isDone = false;
  void test.done.then(() => (isDone = true));
  test.stop();
  await new Promise(setImmediate);
  expect(isDone).toBe(false);
  test.end("a");
  expect(await test.done).toMatchObject({ name: "AbortError" });
});

test("[IMP6] a failed row ends the queue with its error", async () => {
  const test = new QueueUnderTest("a");
  await expect.poll(() => test.running.size).toBe(1);
  test.pending.length = 0;
  test.running.get("a")!.reject(new Error("database"));
  expect(await test.done).toMatchObject({ message: "database" });
});
