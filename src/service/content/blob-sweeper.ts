// Deletes the blobs that no database row references any more.
import { sql } from "kysely";
import { Signal } from "../../base/async/signal.ts";
import type { Clock } from "../../base/clock.ts";
import type { Blobs } from "./blobs.ts";
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
const sweepEveryMs = 86_400_000;

export class BlobSweeper {
  readonly #blobs: Blobs;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #wake = new Signal();
  readonly #marked = new Set<string>();
  #removing: Promise<void> = Promise.resolve();

  constructor({ blobs, store, clock }: { blobs: Blobs; store: Store; clock: Clock }) {
    this.#blobs = blobs;
    this.#store = store;
    this.#clock = clock;
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
      await this.#removeUnreferenced(marked);
    });
    this.#removing = next.catch(() => undefined);
    return next;
  }

  /** Deletes every unreferenced blob. */
  async sweep(): Promise<void> {
    for await (const hashes of this.#blobs.allHashes()) await this.#removeUnreferenced(hashes);
  }

  /** Sweeps now and once a day, and deletes marked blobs in between, until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.sweep();
      const next = this.#clock.monotonic() + sweepEveryMs;
      for (let left = sweepEveryMs; left > 0; left = next - this.#clock.monotonic()) {
        await this.#wake.wait(this.#clock, left, signal);
        await this.removeMarked();
      }
    }
  }

  /**
   * Checks and deletes in one transaction, while no other runs. An upload of the same bytes keeps its blob in a transaction too, so it
   * comes either before the check or after the deletion.
   */
  async #removeUnreferenced(hashes: readonly string[]): Promise<void> {
    for (let first = 0; first < hashes.length; first += batchSize) {
      const batch = hashes.slice(first, first + batchSize);
      await this.#store.writeAlone(async (db) => {
        const referenced = await referencedAmong(db, batch);
        for (const hash of batch) if (!referenced.has(hash)) await this.#blobs.remove(hash);
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
