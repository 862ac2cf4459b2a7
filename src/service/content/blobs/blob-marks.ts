// Marks unreferenced blobs in the database, so that a blob is deleted only a time after no row has referenced it, whichever node wrote.
import type { Clock } from "../../../base/clock.ts";
import { hourMs } from "../../../base/time.ts";
import type { Db, Store } from "../../store/store.ts";

/** How long a blob stays after its mark: longer than any transaction lasts, and than {@link BlobMarks.lastsMs}. */
const defaultGraceMs = hourMs;

/**
 * Users and deleters of a blob both delete its mark, in their transactions. So one waits for the other at the row, or is
 * repeated after it: a later user sees that the bytes are gone, a later deleter finds no mark. A mark that is
 * younger than the grace is not acted on, so that a transaction that saw no mark has ended before the deletion begins.
 */
export class BlobMarks {
  readonly graceMs: number;
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock, graceMs = defaultGraceMs) {
    this.#store = store;
    this.#clock = clock;
    this.graceMs = graceMs;
  }

  /** How long a blob surely stays once it has been unmarked; half the grace, since nodes' clocks differ. */
  get lastsMs(): number {
    return this.graceMs / 2;
  }

  /** Marks blobs that no row references, in a transaction that has checked it. Older marks stay. */
  async mark(db: Db, hashes: readonly string[]): Promise<void> {
    if (hashes.length === 0) return;
    const rows = hashes.map((sha256) => ({ sha256, marked_at: Math.trunc(this.#clock.now()) }));
    await db
      .insertInto("blob_marks")
      .values(rows)
      .onConflict((each) => each.column("sha256").doNothing())
      .execute();
  }

  /** Removes the marks of blobs that are used. In the transaction that uses them it makes a deletion wait or fail. */
  async unmark(db: Db, hashes: readonly string[]): Promise<void> {
    if (hashes.length > 0) await db.deleteFrom("blob_marks").where("sha256", "in", hashes).execute();
  }

  /** Removes a blob's mark before its bytes are looked for. Most have none. @returns whether a node may be about to delete the blob */
  async unmarkIfMarked(sha256: string): Promise<boolean> {
    const row = await this.#store.db.selectFrom("blob_marks").select("sha256").where("sha256", "=", sha256).executeTakeFirst();
    if (row === undefined) return false;
    const unmark = (db: Db) => db.deleteFrom("blob_marks").where("sha256", "=", sha256).returning("marked_at").executeTakeFirst();
    const removed = await this.#store.write(unmark);
    return removed !== undefined && removed.marked_at <= this.#newestDue();
  }

  /** The marked blobs whose grace is over, oldest first. */
  async due(limit: number): Promise<string[]> {
    const rows = this.#store.db.selectFrom("blob_marks").select("sha256").where("marked_at", "<=", this.#newestDue());
    return (await rows.orderBy("marked_at").limit(limit).execute()).map(({ sha256 }) => sha256);
  }

  /** Removes the marks of those blobs whose grace is over, and holds their rows until the transaction ends. @returns these blobs */
  async take(db: Db, hashes: readonly string[]): Promise<string[]> {
    if (hashes.length === 0) return [];
    const taken = db.deleteFrom("blob_marks").where("sha256", "in", hashes).where("marked_at", "<=", this.#newestDue());
    return (await taken.returning("sha256").execute()).map(({ sha256 }) => sha256);
  }

  #newestDue(): number {
    return Math.trunc(this.#clock.now()) - this.graceMs;
  }
}
