// Lets one request at a time write an upload, on any node: a row in the database, which ends by itself when its node dies.
import { ERRORS, type Lock, type Locker } from "@tus/server";
import type { Clock } from "../../../base/clock.ts";
import { isAbort, reasonOf } from "../../../base/fault.ts";
import type { Log } from "../../../base/log.ts";
import { hourMs } from "../../../base/time.ts";
import { randomText } from "../../people/token-secrets.ts";
import type { Store } from "../../store/store.ts";

const leaseMs = 10_000;
const renewEveryMs = 2_000;
const askEveryMs = 250;
const waitLimitMs = 30_000;
const keptMs = hourMs;

interface Dependencies {
  store: Store;
  clock: Clock;
  log: Log;
}

/** A lock that this node holds. */
interface Held {
  holder: string;
  /** Ends the renewals. */
  ended: AbortController;
  renewing: Promise<void>;
  /** The write that runs under the lock. */
  writing: Promise<unknown>;
}

/**
 * A node that is paused for longer than a lease loses its locks without noticing; the key of the pieces then refuses its writes.
 * Nodes compare the ends of leases with their own clocks, so that a lease is shorter or longer by their difference.
 */
export class UploadLocks implements Locker {
  readonly #dependencies: Dependencies;
  readonly #held = new Map<string, Held>();

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  newLock(id: string): Lock {
    return { lock: (signal, release) => this.#lock(id, signal, release), unlock: () => this.#unlock(id) };
  }

  /** Has the lock of an upload, if this node holds it, stay until `writing` has settled. @returns `writing` */
  whileHeld<T>(id: string, writing: Promise<T>): Promise<T> {
    const held = this.#held.get(id);
    if (held !== undefined) held.writing = writing.catch(() => undefined);
    return writing;
  }

  /** Deletes the rows of nodes that have died. */
  async forgetEnded(): Promise<void> {
    await this.#dependencies.store.db
      .deleteFrom("upload_locks")
      .where("until", "<", this.#now() - keptMs)
      .execute();
  }

  /** @throws the library's error for a lock that is not free in time. */
  async #lock(id: string, signal: AbortSignal, release: () => void | Promise<void>): Promise<void> {
    const { clock } = this.#dependencies;
    const holder = randomText(20);
    const limit = clock.monotonic() + waitLimitMs;
    while (!(await this.#take(id, holder))) {
      if (signal.aborted || clock.monotonic() > limit) throw ERRORS.ERR_LOCK_TIMEOUT;
      await this.#ask(id);
      await clock.wait(askEveryMs, signal).catch((error: unknown) => {
        throw isAbort(error) ? ERRORS.ERR_LOCK_TIMEOUT : error;
      });
    }
    const ended = new AbortController();
    this.#held.set(id, { holder, ended, renewing: this.#renew(id, holder, release, ended.signal), writing: Promise.resolve() });
  }

  async #unlock(id: string): Promise<void> {
    const held = this.#held.get(id);
    if (held === undefined) return;
    this.#held.delete(id);
    await held.writing;
    held.ended.abort();
    await held.renewing;
    await this.#dependencies.store.db.deleteFrom("upload_locks").where("upload_id", "=", id).where("holder", "=", held.holder).execute();
  }

  /** @returns whether the lock was free, or its lease has ended. */
  async #take(id: string, holder: string): Promise<boolean> {
    const now = this.#now();
    const taken = this.#dependencies.store.db
      .insertInto("upload_locks")
      .values({ upload_id: id, holder, until: now + leaseMs, is_wanted: 0 });
    const rows = await taken
      .onConflict((each) =>
        each
          .column("upload_id")
          .doUpdateSet({ holder, until: now + leaseMs, is_wanted: 0 })
          .where("upload_locks.until", "<", now),
      )
      .returning("holder")
      .execute();
    return rows.length === 1;
  }

  /** Asks the holder to end: a sender that comes again has lost its connection, which the holder's node may not know. */
  async #ask(id: string): Promise<void> {
    await this.#dependencies.store.db.updateTable("upload_locks").set({ is_wanted: 1 }).where("upload_id", "=", id).execute();
  }

  /** Extends the lease until `signal` aborts. Calls `release` when another request wants the lock, or has it. */
  async #renew(id: string, holder: string, release: () => void | Promise<void>, signal: AbortSignal): Promise<void> {
    const { clock, log, store } = this.#dependencies;
    try {
      for (;;) {
        await clock.wait(renewEveryMs, signal);
        const renewed = store.db.updateTable("upload_locks").set({ until: this.#now() + leaseMs });
        const row = await renewed.where("upload_id", "=", id).where("holder", "=", holder).returning("is_wanted").executeTakeFirst();
        if (row?.is_wanted === 0) continue;
        await release();
        if (row === undefined) return;
      }
    } catch (error) {
      if (isAbort(error)) return;
      log.warn({ reason: reasonOf(error), upload_id: id }, "the lock of an upload is not extended");
      await release();
    }
  }

  #now(): number {
    return Math.trunc(this.#dependencies.clock.now());
  }
}
