// Frees the disk of files that no row names any more: those just let go, and at each start whatever a crash left.
import { Bell } from "../base/bell.ts";
import type { Clock } from "../base/clock.ts";
import type { Blobs } from "./blobs.ts";
import type { Db, Store } from "./store.ts";

const partSize = 500;
const sweepEveryMs = 86_400_000;

export class BlobSweeper {
  readonly #blobs: Blobs;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #bell = new Bell();
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
    this.#bell.ring();
  }

  /** Removes those marked files that no row names, also those that an earlier call is at. Not for use inside a transaction. */
  collect(): Promise<void> {
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
    for await (const names of this.#blobs.all()) await this.#removeUnnamed(names);
  }

  /** Sweeps now and once a day, and collects what is marked, until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.sweep();
      const next = this.#clock.monotonic() + sweepEveryMs;
      for (let left = sweepEveryMs; left > 0; left = next - this.#clock.monotonic()) {
        await this.#bell.wait(this.#clock, left, signal);
        await this.collect();
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
  const assets = await db.selectFrom("assets").select("sha256").where("sha256", "in", names).execute();
  const thumbnails = await db.selectFrom("assets").select("thumbnail_sha256 as sha256").where("thumbnail_sha256", "in", names).execute();
  const screenshots = await db.selectFrom("screenshots").select("sha256").where("sha256", "in", names).execute();
  return new Set([...assets, ...thumbnails, ...screenshots].map((row) => row.sha256));
}
