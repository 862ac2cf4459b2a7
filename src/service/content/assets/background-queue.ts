// Processes database rows in the background, a few at a time, until it is stopped.
import { Signal } from "../../../base/async/signal.ts";
import type { Clock } from "../../../base/clock.ts";

/** How the queue finds rows and processes each one. */
export interface QueueOptions<Row> {
  maxAtOnce: number;
  /** When to look for rows that nobody has announced here, because another node has written them, ms; default: never. */
  lookAgainMs?: number;
  /** The next pending row that is not in `running`. */
  findNext: (running: readonly Row[]) => Promise<Row | undefined>;
  /** Processes one row. A rejection ends this run of the queue. */
  process: (row: Row, signal: AbortSignal) => Promise<void>;
}

/** A queue whose pending rows are in the database, so a restart loses none. */
export class BackgroundQueue<Row> {
  readonly #clock: Clock;
  readonly #options: QueueOptions<Row>;
  readonly #wake = new Signal();
  readonly #running = new Map<Row, Promise<void>>();
  #failure: { error: unknown } | null = null;

  constructor(clock: Clock, options: QueueOptions<Row>) {
    this.#clock = clock;
    this.#options = options;
  }

  /** Looks for pending rows. */
  wake(): void {
    this.#wake.notify();
  }

  /** Processes rows until `signal` aborts, then waits for the running ones. */
  async run(signal: AbortSignal): Promise<never> {
    try {
      for (;;) {
        while (this.#running.size < this.#options.maxAtOnce) {
          const row = await this.#options.findNext([...this.#running.keys()]);
          if (row === undefined) break;
          this.#running.set(row, this.#process(row, signal));
        }
        await this.#wake.wait(this.#clock, this.#options.lookAgainMs ?? Number.POSITIVE_INFINITY, signal);
        if (this.#failure !== null) throw this.#failure.error;
      }
    } finally {
      await Promise.all(this.#running.values());
      // Its rows are still pending: the next run tries them again.
      this.#failure = null;
    }
  }

  async #process(row: Row, signal: AbortSignal): Promise<void> {
    try {
      await this.#options.process(row, signal);
    } catch (error) {
      this.#failure = { error };
    } finally {
      this.#running.delete(row);
      this.wake();
    }
  }
}
