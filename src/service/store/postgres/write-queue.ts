// Runs write transactions on PostgreSQL so that their callbacks may rely on the rows that they read, as on SQLite.
import type { Kysely } from "kysely";
import { hasSqlState } from "../database-errors.ts";

/**
 * Transactions of ordinary writes of all nodes run beside each other; one that is alone runs while no other does. LOCK TABLE takes no
 * snapshot, so a transaction that had to wait for its turn sees everything that was committed before it.
 */
export const beginWrite = "begin isolation level serializable; lock table write_turns in row share mode";
export const beginWriteAlone = "begin isolation level serializable; lock table write_turns in exclusive mode";

const serializationFailure = "40001";
const deadlock = "40P01";
const uniqueViolation = "23505";
const maxAttempts = 4;

/**
 * Writes of one node run one after the other, so that they never conflict with each other. SERIALIZABLE makes one of two nodes'
 * conflicting transactions fail, and it runs again. One that has failed {@link maxAttempts} times runs alone, so it cannot fail for ever.
 */
export class WriteQueue<DB> {
  readonly #ordinary: Kysely<DB>;
  readonly #alone: Kysely<DB>;
  #last: Promise<unknown> = Promise.resolve();

  /** @param ordinary begins transactions by {@link beginWrite} @param alone by {@link beginWriteAlone} */
  constructor(ordinary: Kysely<DB>, alone: Kysely<DB>) {
    this.#ordinary = ordinary;
    this.#alone = alone;
  }

  /** Runs `write` as a transaction, again if it failed only because of another node. */
  run<T>(write: (db: Kysely<DB>) => Promise<T>): Promise<T> {
    return this.#afterOthers(() => this.#attempt(write, 1));
  }

  /** Runs `write` while no other transaction of any node runs. */
  runAlone<T>(write: (db: Kysely<DB>) => Promise<T>): Promise<T> {
    return this.#afterOthers(() => this.#alone.transaction().execute(write));
  }

  #afterOthers<T>(transact: () => Promise<T>): Promise<T> {
    const running = this.#last.then(transact);
    // The caller learns of a failure; the next write begins in any case.
    this.#last = running.catch(() => undefined);
    return running;
  }

  async #attempt<T>(write: (db: Kysely<DB>) => Promise<T>, attempt: number): Promise<T> {
    const db = attempt > maxAttempts ? this.#alone : this.#ordinary;
    try {
      return await db.transaction().execute(write);
    } catch (error) {
      if (attempt > maxAttempts || !mayPassAgain(error, attempt)) throw error;
      return this.#attempt(write, attempt + 1);
    }
  }
}

/**
 * PostgreSQL reports a row that another transaction has inserted meanwhile as a violation of a unique constraint, even though this one
 * had looked for it (https://www.postgresql.org/docs/current/mvcc-serialization-failure-handling.html). The second time it is the
 * caller's mistake.
 */
function mayPassAgain(error: unknown, attempt: number): boolean {
  return hasSqlState(error, serializationFailure, deadlock) || (attempt === 1 && hasSqlState(error, uniqueViolation));
}
