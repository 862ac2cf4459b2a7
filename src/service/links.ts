// Which players count as online for the outside: told as events when it changes, not at every flutter of a link.
import type { Clock } from "../base/clock.ts";
import type { Heartbeat } from "../protocol/report.ts";
import type { Events, NewEvent } from "./events.ts";
import type { Presence } from "./presence.ts";
import type { Db, Store } from "./store.ts";

export interface LinksParts {
  store: Store;
  clock: Clock;
  events: Events;
  presence: Presence;
}

/** What was last told of a player. */
interface Told {
  isOnline: boolean;
  error: string | null;
}

// A link that comes back within this was never away.
const offlineAfterMs = 120_000;
const sweepMs = 5_000;
const longestError = 500;
// A screen that has just started may still be on its way to its first picture.
const settledMs = 60_000;

export class Links {
  readonly #parts: LinksParts;
  readonly #told: Map<string, Told>;
  readonly #startedAt: number;

  private constructor(parts: LinksParts, told: Map<string, Told>) {
    this.#parts = parts;
    this.#told = told;
    this.#startedAt = parts.clock.monotonic();
  }

  static async open(parts: LinksParts): Promise<Links> {
    const rows = await parts.store.db.selectFrom("player_links").selectAll().execute();
    return new Links(parts, new Map(rows.map((row) => [row.player_id, { isOnline: row.is_online === 1, error: row.error }])));
  }

  /** Takes a heartbeat into account; writes only when there is something new to tell. */
  async beat(playerId: string, heartbeat: Heartbeat): Promise<void> {
    const before = this.#told.get(playerId) ?? { isOnline: false, error: null };
    const error = errorOf(heartbeat);
    if (before.isOnline && before.error === error) return;
    await this.#tell(playerId, { isOnline: true, error }, (name) => [
      ...(before.isOnline ? [] : [{ type: "player.online" as const, data: { player_id: playerId, name } }]),
      ...(error === null || error === before.error
        ? []
        : [{ type: "player.error" as const, data: { player_id: playerId, name, detail: error } }]),
    ]);
  }

  /** Tells the players that have been away too long, again and again. Rejects with an AbortError when `signal` aborts. */
  async run(signal: AbortSignal): Promise<never> {
    const { clock } = this.#parts;
    for (;;) {
      await clock.wait(sweepMs, signal);
      // After a start of ours every player gets the time to come back before it is called missing.
      if (clock.monotonic() - this.#startedAt < offlineAfterMs) continue;
      for (const [playerId, told] of this.#told) if (told.isOnline && this.#isAway(playerId)) await this.#tellOffline(playerId, told);
    }
  }

  /** Deletes what is kept of a player, in the transaction that removes it; once that is committed, {@link forget} it too. */
  async drop(db: Db, playerId: string): Promise<void> {
    await db.deleteFrom("player_links").where("player_id", "=", playerId).execute();
  }

  /** Forgets a removed player. */
  forget(playerId: string): void {
    this.#told.delete(playerId);
  }

  #isAway(playerId: string): boolean {
    const latest = this.#parts.presence.latest(playerId);
    return latest === null || this.#parts.clock.now() - latest.receivedAt > offlineAfterMs;
  }

  async #tellOffline(playerId: string, told: Told): Promise<void> {
    const latest = this.#parts.presence.latest(playerId);
    const last_seen_at = latest === null ? null : new Date(latest.receivedAt).toISOString();
    await this.#tell(playerId, { ...told, isOnline: false }, (name) => [
      { type: "player.offline", data: { player_id: playerId, name, last_seen_at } },
    ]);
  }

  async #tell(playerId: string, now: Told, eventsOf: (name: string) => Pick<NewEvent, "type" | "data">[]): Promise<void> {
    const { clock, events, store } = this.#parts;
    const isKnown = await store.write(async (db) => {
      const player = await db
        .selectFrom("players")
        .select(["team_id", "name"])
        .where("id", "=", playerId)
        .where("removed_at", "is", null)
        .executeTakeFirst();
      if (player === undefined) return false;
      const row = { is_online: now.isOnline ? 1 : 0, error: now.error, since: Math.trunc(clock.now()) };
      await db
        .insertInto("player_links")
        .values({ player_id: playerId, ...row })
        .onConflict((conflict) => conflict.column("player_id").doUpdateSet(row))
        .execute();
      const about = { teamId: player.team_id, players: [playerId] };
      await events.append(
        db,
        eventsOf(player.name).map((event) => ({ ...event, ...about })),
      );
      return true;
    });
    if (isKnown) this.#told.set(playerId, now);
    else this.#told.delete(playerId);
  }
}

/** What is wrong at a player by its own word, null when nothing is. */
function errorOf({ content, rendering, uptime_ms }: Heartbeat): string | null {
  if (content.is === "failed") return (content.detail ?? "its content failed").slice(0, longestError);
  return rendering || uptime_ms < settledMs ? null : "nothing is being drawn on its screen";
}
