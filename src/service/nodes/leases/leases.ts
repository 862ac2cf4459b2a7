// The leases of nodes and of duties, in the database and by its clock. A lease that is not renewed ends by itself.
import type { Pool } from "pg";
import { dayMs } from "../../../base/time.ts";
import { queryPool } from "../../store/postgres/pools.ts";
import type { Lease } from "./fence.ts";
import { databaseNowSql as now } from "../../store/database-time.ts";

/** How long a lease lasts unless it is given otherwise, and how often it is renewed. */
export const leaseMs = 10_000;
export const renewMs = 3_000;

// Rows of nodes that have ended are kept for a while, for people who look for them.
const keepNodesMs = dayMs;

export class Leases {
  readonly #pool: Pool;
  readonly #nodeId: string;
  /** How long a lease of this node lasts. */
  readonly lastMs: number;

  constructor(pool: Pool, nodeId: string, lastMs = leaseMs) {
    this.#pool = pool;
    this.#nodeId = nodeId;
    this.lastMs = Math.trunc(lastMs);
  }

  /**
   * Renews the lease of this node, and stores up to which number it has read the announcements, so that later ones are kept.
   * @returns the nodes whose lease lasts
   * @throws Fault `store-unavailable`
   */
  async renewNode(host: string, readId: number): Promise<Set<string>> {
    await queryPool(
      this.#pool,
      `INSERT INTO state.nodes (id, host, started_at, lease_until, announcements_read)
        VALUES ($1, $2, ${now}, ${now} + ${this.lastMs}, $3)
        ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until, announcements_read = excluded.announcements_read`,
      [this.#nodeId, host, readId],
    );
    const rows = await queryPool<{ id: string }>(this.#pool, `SELECT id FROM state.nodes WHERE lease_until > ${now}`, []);
    return new Set(rows.map(({ id }) => id));
  }

  /** Takes a duty that no node has. @returns null: another node has it. @throws Fault `store-unavailable`. */
  async take(name: string): Promise<Lease | null> {
    const [taken] = await queryPool<{ token: number }>(
      this.#pool,
      `UPDATE state.leases SET node_id = $2, token = token + 1, held_until = ${now} + ${this.lastMs}
        WHERE name = $1 AND held_until <= ${now} RETURNING token`,
      [name, this.#nodeId],
    );
    if (taken !== undefined) return { name, token: taken.token };
    // Without a target it covers both unique indexes: two nodes that take a new lease at once meet in either.
    const [first] = await queryPool<{ token: number }>(
      this.#pool,
      `INSERT INTO state.leases (name, node_id, token, held_until) VALUES ($1, $2, 1, ${now} + ${this.lastMs})
        ON CONFLICT DO NOTHING RETURNING token`,
      [name, this.#nodeId],
    );
    return first === undefined ? null : { name, token: first.token };
  }

  /** Renews the lease of a duty. @returns false: it has ended or is another node's. @throws Fault `store-unavailable`. */
  async renew({ name, token }: Lease): Promise<boolean> {
    const renewed = await queryPool(
      this.#pool,
      `UPDATE state.leases SET held_until = ${now} + ${this.lastMs} WHERE name = $1 AND token = $2 AND held_until > ${now} RETURNING token`,
      [name, token],
    );
    return renewed.length > 0;
  }

  /** Gives a duty back, so that another node may take it at once. */
  async release({ name, token }: Lease): Promise<void> {
    await queryPool(this.#pool, "UPDATE state.leases SET held_until = 0 WHERE name = $1 AND token = $2", [name, token]);
  }

  /** Ends the lease of this node. */
  async leave(): Promise<void> {
    await queryPool(this.#pool, `UPDATE state.nodes SET lease_until = ${now} WHERE id = $1`, [this.#nodeId]);
  }

  async forgetOldNodes(): Promise<void> {
    await queryPool(this.#pool, `DELETE FROM state.nodes WHERE lease_until < ${now} - ${keepNodesMs}`, []);
  }
}
