// Counts attempts in the PostgreSQL database that several nodes share, so that all of them together allow the limit once.
import { hash } from "node:crypto";
import { sql } from "kysely";
import type { Clock } from "../../../base/clock.ts";
import type { Db } from "../../store/store.ts";
import type { Attempt, AttemptLimit, MakeLimit } from "./attempt-limit.ts";

/**
 * Makes limits that all nodes count together. The row of a key has the times of its attempts; one statement looks at them and adds one,
 * so concurrent attempts at several nodes wait for each other at the row. Times are the nodes' times of day: a window is shorter or longer
 * by as much as two nodes' clocks differ.
 */
export function limitsInDatabase(db: Db, clock: Clock): MakeLimit {
  return (name, limit, windowMs) => new LimitInDatabase(db, clock, { name, limit, windowMs });
}

/** Deletes the rows whose windows are over. @param now epoch ms */
export async function deleteOldAttempts(db: Db, now: number): Promise<void> {
  await db.deleteFrom("attempts").where("ends_at", "<", now).execute();
}

class LimitInDatabase implements AttemptLimit {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #name: string;
  readonly #limit: number;
  readonly #windowMs: number;

  constructor(db: Db, clock: Clock, { name, limit, windowMs }: { name: string; limit: number; windowMs: number }) {
    this.#db = db;
    this.#clock = clock;
    this.#name = name;
    this.#limit = limit;
    this.#windowMs = windowMs;
  }

  async waitMs(key: string): Promise<number> {
    const now = Math.trunc(this.#clock.now());
    const row = await this.#rowOf(key);
    const recent = row?.times.map(Number).filter((at) => at > now - this.#windowMs) ?? [];
    return recent.length < this.#limit ? 0 : recent[recent.length - this.#limit]! + this.#windowMs - now;
  }

  async take(key: string): Promise<Attempt> {
    const now = Math.trunc(this.#clock.now());
    const digest = digestOf(key);
    const recent = sql`array(select t from unnest(attempts.times) t where t > ${now - this.#windowMs}::bigint)`;
    // Each attempt of a key has a time of its own, by which it can be taken back.
    const { rows } = await sql<{ at: number }>`
      insert into attempts (name, key, times, ends_at) values (${this.#name}, ${digest}, array[${now}::bigint], ${now + this.#windowMs}::bigint)
      on conflict (name, key) do update set ends_at = greatest(attempts.ends_at, excluded.ends_at),
        times = ${recent} || greatest(excluded.times[1], coalesce(attempts.times[cardinality(attempts.times)] + 1, 0))
        where cardinality(${recent}) < ${this.#limit}::int
      returning times[cardinality(times)] as at`.execute(this.#db);
    const at = rows[0]?.at;
    // When it is over by now, a moment of waiting is enough.
    if (at === undefined) return { waitMs: Math.max(1, await this.waitMs(key)), takeBack: async () => undefined };
    return { waitMs: 0, takeBack: () => this.#takeBack(digest, at) };
  }

  async #takeBack(digest: string, at: number): Promise<void> {
    await sql`update attempts set times = array_remove(times, ${at}::bigint) where name = ${this.#name} and key = ${digest}`.execute(
      this.#db,
    );
  }

  #rowOf(key: string) {
    const rows = this.#db.selectFrom("attempts").select("times").where("name", "=", this.#name);
    return rows.where("key", "=", digestOf(key)).executeTakeFirst();
  }
}

/** Keys are addresses and emails, which are nobody's business here. */
function digestOf(key: string): string {
  return hash("sha256", key, "base64url");
}
