// Tells the other nodes how many requests this one has served of keys that send many, and counts theirs, so that n nodes do not allow n
// times the quota.
import { sql } from "kysely";
import type { Clock } from "../../../base/clock.ts";
import { databaseNow } from "../../store/database-time.ts";
import type { Nodes } from "../../nodes/nodes.ts";
import type { QuotaUseRow } from "../../store/tables/people.ts";
import { inChunks } from "../../store/chunks.ts";
import type { Db, Store } from "../../store/store.ts";
import type { Quotas } from "./rate-limit.ts";

interface QuotaExchangeDependencies {
  store: Store;
  nodes: Nodes;
  clock: Clock;
  /** By their names, which are the same on all nodes. */
  quotas: Readonly<Record<string, Quotas>>;
}

const exchangeMs = 1_000;
// A row becomes visible at its commit, at most so long after its time.
const lateMs = 5_000;
const deleteMs = 60_000;

/**
 * A node writes how many requests of a key it has served once they are more than a sixteenth of the quota, each second. Together n nodes
 * allow the quota, and for each further node at most a sixteenth of it and the requests that this node serves in two seconds.
 */
export class QuotaExchange {
  readonly #dependencies: QuotaExchangeDependencies;
  /** The use by other nodes, as it was counted here, by node, quota and key. */
  readonly #counted = new Map<string, Pick<QuotaUseRow, "window_number" | "used" | "ends_at">>();
  readonly #sent = new Map<string, string>();
  #readUntil = 0;
  #deletedAt = Number.NEGATIVE_INFINITY;

  constructor(dependencies: QuotaExchangeDependencies) {
    this.#dependencies = dependencies;
  }

  /** Exchanges every second until `signal` aborts; rejects with an AbortError then. */
  async run(signal: AbortSignal): Promise<never> {
    const { clock, nodes, store } = this.#dependencies;
    for (;;) {
      if (nodes.liveNodeIds.size > 1) {
        await this.#send(store.db);
        await this.#receive(store.db);
      }
      await clock.wait(exchangeMs, signal);
    }
  }

  async #send(db: Db): Promise<void> {
    const { nodes, quotas } = this.#dependencies;
    const rows = Object.entries(quotas).flatMap(([quota, each]) =>
      each
        .heavyUse()
        .map(({ leftMs, ...use }) => ({ quota, node_id: nodes.id, ...use, ends_at: sql<number>`${databaseNow} + ${leftMs}::bigint` })),
    );
    const changed = rows.filter(({ quota, key, window_number, used }) => this.#sent.get(`${quota} ${key}`) !== `${window_number} ${used}`);
    this.#sent.clear();
    for (const chunk of inChunks(changed, 100)) {
      await db
        .insertInto("quota_use")
        .values(chunk.map((row) => ({ ...row, changed_at: databaseNow })))
        .onConflict((conflict) =>
          conflict.columns(["quota", "key", "node_id"]).doUpdateSet((row) => ({
            window_number: row.ref("excluded.window_number"),
            used: row.ref("excluded.used"),
            ends_at: row.ref("excluded.ends_at"),
            changed_at: row.ref("excluded.changed_at"),
          })),
        )
        .execute();
    }
    for (const { quota, key, window_number, used } of rows) this.#sent.set(`${quota} ${key}`, `${window_number} ${used}`);
  }

  async #receive(db: Db): Promise<void> {
    const { clock, nodes, quotas } = this.#dependencies;
    const rows = await db
      .selectFrom("quota_use")
      .selectAll()
      .where("changed_at", ">", this.#readUntil - lateMs)
      .where("ends_at", ">", databaseNow)
      .where("node_id", "!=", nodes.id)
      .execute();
    for (const row of rows) {
      this.#readUntil = Math.max(this.#readUntil, row.changed_at);
      const id = `${row.node_id} ${row.quota} ${row.key}`;
      const before = this.#counted.get(id);
      const isSameWindow = before !== undefined && before.window_number === row.window_number;
      this.#counted.set(id, row);
      // A node of another version may have other quotas.
      quotas[row.quota]?.addOthers(row.key, row.used - (isSameWindow ? before.used : 0));
    }
    for (const [id, { ends_at }] of this.#counted) if (ends_at < this.#readUntil - lateMs) this.#counted.delete(id);
    if (clock.monotonic() - this.#deletedAt < deleteMs) return;
    this.#deletedAt = clock.monotonic();
    await db.deleteFrom("quota_use").where("ends_at", "<", databaseNow).execute();
  }
}
