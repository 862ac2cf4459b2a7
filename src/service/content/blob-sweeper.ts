// Frees the disk of files that no row names any more: those just let go, and at each start whatever a crash left.
import { sql } from "kysely";
import { Signal } from "../../base/async/signal.ts";
import type { Clock } from "../../base/clock.ts";
import type { Blobs } from "./blobs.ts";
import type { Db, Store } from "../store/store.ts";

/** Every column that names a blob: what none of them names is removed, what one of them names is backed up. */
export const blobColumns = [
  ["assets", "sha256"],
  ["assets", "thumbnail_sha256"],
  ["assets", "original_sha256"],
  ["screenshots", "sha256"],
] as const;

const partSize = 500;
const sweepEveryMs = 86_400_000;

export class BlobSweeper {
  readonly #blobs: Blobs;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #bell = new Signal();
  readonly #marked = new Set<string>();
  #collecting: Promise<void> = Promise.resolve();

  constructor({ blobs, store, clock }: { blobs: Blobs; store: Store; clock: Clock }) {
    this.#blobs = blobs;
    this.#store = store;
    this.#clock = clock;
  }

  /** Notes files that a transaction let go. Once it has ended they are looked at; if it was rolled back, they stay. */
  mark(rows: readonly { sha256: string | null }[]): void {
    for (const { sha256 } of rows) if (sha256 !== null) this.#marked.add(sha256);
    this.#bell.notify();
  }

  /** Removes those marked files that no row names, also those that an earlier call is at. Not for use inside a transaction. */
  removeMarked(): Promise<void> {
    const next = this.#collecting.then(async () => {
      const marked = [...this.#marked];
      this.#marked.clear();
      await this.#removeUnnamed(marked);
    });
    this.#collecting = next.catch(() => undefined);
    return next;
  }

  /** Removes every file that no row names. */
  async sweep(): Promise<void> {
    for await (const names of this.#blobs.allHashes()) await this.#removeUnnamed(names);
  }

  /** Sweeps now and once a day, and collects what is marked, until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.sweep();
      const next = this.#clock.monotonic() + sweepEveryMs;
      for (let left = sweepEveryMs; left > 0; left = next - this.#clock.monotonic()) {
        await this.#bell.wait(this.#clock, left, signal);
        await this.removeMarked();
      }
    }
  }

  /** In transactions: an upload of the same bytes keeps its file in one too, so it comes before the look or after the removal. */
  async #removeUnnamed(names: readonly string[]): Promise<void> {
    for (let first = 0; first < names.length; first += partSize) {
      const part = names.slice(first, first + partSize);
      await this.#store.write(async (db) => {
        const named = await namedOf(db, part);
        for (const name of part) if (!named.has(name)) await this.#blobs.remove(name);
      });
    }
  }
}

async function namedOf(db: Db, names: readonly string[]): Promise<Set<string | null>> {
  const found = new Set<string | null>();
  for (const [table, column] of blobColumns) {
    const query = sql<{ sha256: string }>`
      select ${sql.ref(column)} as sha256 from ${sql.table(table)} where ${sql.ref(column)} in (${sql.join(names)})`;
    for (const { sha256 } of (await query.execute(db)).rows) found.add(sha256);
  }
  return found;
}
