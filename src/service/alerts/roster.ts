// The players of all teams in memory, as far as alerts need them. Reads only the rows that have changed.
import { setImmediate } from "node:timers/promises";
import { sql } from "kysely";
import type { Clock } from "../../base/clock.ts";
import type { Store } from "../store/store.ts";

export interface RosterPlayer {
  id: string;
  teamId: string;
  name: string;
  tags: readonly string[];
  /** The tag that begins with `site:`, without that prefix; null: none. */
  site: string | null;
  createdAt: number;
  maintenanceUntil: number | null;
}

const pageSize = 500;
// A change is committed a moment after its time was taken.
const overlapMs = 30_000;
// If the service's clock was set back, changes look older than they are.
const allAgainMs = 600_000;
const sitePrefix = "site:";

export class Roster {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #players = new Map<string, RosterPlayer>();
  #hasCommits = false;
  #readUpTo = 0;
  #readAllAt = 0;

  private constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    store.onCommit(() => (this.#hasCommits = true));
  }

  static async open(store: Store, clock: Clock): Promise<Roster> {
    const roster = new Roster(store, clock);
    await roster.readAll();
    return roster;
  }

  get(playerId: string): RosterPlayer | undefined {
    return this.#players.get(playerId);
  }

  players(): Iterable<RosterPlayer> {
    return this.#players.values();
  }

  /** Reads all players. */
  async readAll(): Promise<void> {
    this.#readAllAt = this.#clock.monotonic();
    await this.#readSince(0);
  }

  /** Reads the changes since the last call. */
  async refresh(): Promise<void> {
    const now = this.#clock.monotonic();
    if (now - this.#readAllAt >= allAgainMs) await this.readAll();
    else if (this.#hasCommits || this.#store.isShared) await this.#readSince(this.#readUpTo - overlapMs);
  }

  async #readSince(since: number): Promise<void> {
    this.#hasCommits = false;
    for (let after = { updated_at: since, id: "" }; ;) {
      const rows = await this.#store.db
        .selectFrom("players")
        .select(["id", "team_id", "name", "tags", "created_at", "maintenance_until", "removed_at", "updated_at"])
        .where(sql<boolean>`(updated_at, id) > (${after.updated_at}, ${after.id})`)
        .orderBy("updated_at")
        .orderBy("id")
        .limit(pageSize)
        .execute();
      for (const row of rows) {
        if (row.removed_at !== null) this.#players.delete(row.id);
        else {
          const tags = JSON.parse(row.tags) as string[];
          const fields = { id: row.id, teamId: row.team_id, name: row.name, tags, site: siteOf(tags), createdAt: row.created_at };
          this.#players.set(row.id, { ...fields, maintenanceUntil: row.maintenance_until });
        }
        this.#readUpTo = Math.max(this.#readUpTo, row.updated_at);
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < pageSize) return;
      after = last;
      await setImmediate();
    }
  }
}

function siteOf(tags: readonly string[]): string | null {
  const tag = tags.find((each) => each.startsWith(sitePrefix) && each.length > sitePrefix.length);
  return tag === undefined ? null : tag.slice(sitePrefix.length).trim();
}
