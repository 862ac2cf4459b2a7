// Deletes the blobs that no database row references any more.
import { sql } from "kysely";
import { Signal } from "../../base/async/signal.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { dayMs, minuteMs } from "../../base/time.ts";
import type { BlobMarks } from "./blobs/blob-marks.ts";
import type { BlobStore } from "./blobs/blob-store.ts";
import { whileUnavailable } from "./blobs/unavailable.ts";
import type { Db, Store } from "../store/store.ts";

/** Every column that references a blob. The sweeper deletes unreferenced blobs; a backup contains the referenced ones. */
export const blobColumns = [
  ["assets", "sha256"],
  ["assets", "thumbnail_sha256"],
  ["assets", "original_sha256"],
  ["screenshots", "sha256"],
  ["collected_logs", "sha256"],
] as const;

const batchSize = 500;
// The bucket deletes these while a transaction holds their marks.
const deletedAtOnce = 100;
const checkLimitMs = 10_000;
const sweepEveryMs = dayMs;
const deleteDueEveryMs = 10 * minuteMs;

interface SweeperDependencies {
  blobs: BlobStore;
  /** Used if several nodes share the store. */
  marks: BlobMarks;
  store: Store;
  clock: Clock;
  log: Log;
}

export class BlobSweeper {
  readonly #dependencies: SweeperDependencies;
  readonly #wake = new Signal();
  readonly #due = new Signal();
  readonly #marked = new Set<string>();
  #removing: Promise<void> = Promise.resolve();

  constructor(dependencies: SweeperDependencies) {
    this.#dependencies = dependencies;
  }

  /** Marks blobs that a transaction may have released. They are checked after it ends; after a rollback they stay. */
  mark(rows: readonly { sha256: string | null }[]): void {
    for (const { sha256 } of rows) if (sha256 !== null) this.#marked.add(sha256);
    this.#wake.notify();
  }

  /** Deletes the unreferenced ones among the marked blobs, after any earlier call. Do not call it inside a transaction. */
  removeMarked(): Promise<void> {
    const next = this.#removing.then(async () => {
      const marked = [...this.#marked];
      this.#marked.clear();
      await this.#removeUnreferenced(marked).catch((error: unknown) => {
        for (const hash of marked) this.#marked.add(hash);
        throw error;
      });
    });
    this.#removing = next.catch(() => undefined);
    return next;
  }

  /** Deletes every unreferenced blob; of a shared store those that have been unreferenced for the time of grace. */
  async sweep(): Promise<void> {
    for await (const hashes of this.#dependencies.blobs.allHashes()) await this.#removeUnreferenced(hashes);
    await this.#removeDue();
  }

  /** Checks the blobs that this process has marked, until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#wake.wait(this.#dependencies.clock, Number.POSITIVE_INFINITY, signal);
      await this.removeMarked();
      if (this.#dependencies.blobs.isShared) this.#due.notify();
    }
  }

  /** Sweeps now and once a day, until `signal` aborts. Of several nodes one does it. */
  async runSweeps(signal: AbortSignal): Promise<void> {
    const { blobs, clock } = this.#dependencies;
    const patiently = (act: () => Promise<void>) => whileUnavailable(this.#dependencies, signal, act);
    for (;;) {
      await patiently(() => this.sweep());
      const next = clock.monotonic() + sweepEveryMs;
      for (let left = sweepEveryMs; left > 0; left = next - clock.monotonic()) {
        await this.#due.wait(clock, blobs.isShared ? Math.min(left, deleteDueEveryMs) : left, signal);
        await patiently(() => this.#removeDue());
      }
    }
  }

  /**
   * Checks and deletes in one transaction, while no other runs. An upload of the same bytes keeps its blob in a transaction too, so it
   * comes either before the check or after the deletion. A bucket may answer late, so there the blobs are only marked.
   */
  async #removeUnreferenced(hashes: readonly string[]): Promise<void> {
    const { blobs, marks, store } = this.#dependencies;
    for (let first = 0; first < hashes.length; first += batchSize) {
      const batch = hashes.slice(first, first + batchSize);
      const act = async (db: Db): Promise<void> => {
        const referenced = await referencedAmong(db, batch);
        const others = batch.filter((hash) => !referenced.has(hash));
        if (blobs.isShared) return marks.mark(db, others);
        await (await blobs.permitRemoval(others)).delete(others);
      };
      await (blobs.isShared ? store.write(act) : store.writeAlone(act));
    }
  }

  /** Deletes the marked blobs whose grace is over and that are still unreferenced, in the transaction that removes their marks. */
  async #removeDue(): Promise<void> {
    const { blobs, marks, store } = this.#dependencies;
    if (!blobs.isShared) return;
    for (;;) {
      const due = await marks.due(deletedAtOnce);
      if (due.length === 0) return;
      // The response tells the bucket's time.
      await blobs.check(AbortSignal.timeout(checkLimitMs));
      await store.write(async (db) => {
        const removal = await blobs.permitRemoval(due);
        const taken = await marks.take(db, due);
        if (taken.length === 0) return;
        const referenced = await referencedAmong(db, taken);
        await removal.delete(taken.filter((hash) => !referenced.has(hash)));
      });
    }
  }
}

async function referencedAmong(db: Db, hashes: readonly string[]): Promise<Set<string | null>> {
  const found = new Set<string | null>();
  for (const [table, column] of blobColumns) {
    const query = sql<{ sha256: string }>`
      select ${sql.ref(column)} as sha256 from ${sql.table(table)} where ${sql.ref(column)} in (${sql.join(hashes)})`;
    for (const { sha256 } of (await query.execute(db)).rows) found.add(sha256);
  }
  return found;
}
