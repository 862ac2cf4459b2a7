// The latest heartbeat of each player, and who is online.
import type { Kysely } from "kysely";
import type { Clock } from "../base/clock.ts";
import { Heartbeat } from "../protocol/report.ts";
import { countBeat } from "./heartbeat-minutes.ts";
import type { TelemetryTables } from "./tables.ts";

const onlineMs = 90_000;

/** A heartbeat and when it came, ms since the epoch. */
export interface Beat {
  receivedAt: number;
  heartbeat: Heartbeat;
}

type Seen = {
  receivedAt: number;
  /** As text until it is asked for: of ten thousand players' beats few are looked at, and texts take less room. */
  heartbeat: Heartbeat | string;
  /** Its socket is open, it polls, or (after a restart of ours) it has not been heard yet. */
  link: "socket" | "poll" | "gone";
};

export class Presence {
  readonly #db: Kysely<TelemetryTables>;
  readonly #clock: Clock;
  readonly #seen: Map<string, Seen>;

  private constructor(db: Kysely<TelemetryTables>, clock: Clock, seen: Map<string, Seen>) {
    this.#db = db;
    this.#clock = clock;
    this.#seen = seen;
  }

  static async open(db: Kysely<TelemetryTables>, clock: Clock): Promise<Presence> {
    const seen = new Map<string, Seen>();
    for (let after: string | undefined = ""; after !== undefined;) {
      const rows = db.selectFrom("heartbeats").selectAll().where("player_id", ">", after).orderBy("player_id").limit(1_000);
      const some: { player_id: string; received_at: number; body: string }[] = await rows.execute();
      for (const row of some) seen.set(row.player_id, { receivedAt: row.received_at, heartbeat: row.body, link: "gone" });
      after = some.at(-1)?.player_id;
    }
    return new Presence(db, clock, seen);
  }

  /** Takes a heartbeat in. */
  async beat(playerId: string, heartbeat: Heartbeat, link: "socket" | "poll"): Promise<void> {
    const receivedAt = Math.trunc(this.#clock.now());
    this.#seen.set(playerId, { receivedAt, heartbeat, link });
    const row = { received_at: receivedAt, body: JSON.stringify(heartbeat) };
    await this.#db
      .insertInto("heartbeats")
      .values({ player_id: playerId, ...row })
      .onConflict((conflict) => conflict.column("player_id").doUpdateSet(row))
      .execute();
    await countBeat(this.#db, playerId, heartbeat, receivedAt);
  }

  /** Its socket has closed. */
  gone(playerId: string): void {
    const seen = this.#seen.get(playerId);
    if (seen?.link === "socket") this.#seen.set(playerId, { ...seen, link: "gone" });
  }

  /** Forgets a player. */
  async drop(playerId: string): Promise<void> {
    this.#seen.delete(playerId);
    await this.#db.deleteFrom("heartbeats").where("player_id", "=", playerId).execute();
    await this.#db.deleteFrom("heartbeat_minutes").where("player_id", "=", playerId).execute();
  }

  /** The latest heartbeat, null when there was none. */
  latest(playerId: string): Beat | null {
    const seen = this.#seen.get(playerId);
    if (seen === undefined) return null;
    if (typeof seen.heartbeat !== "string") return { receivedAt: seen.receivedAt, heartbeat: seen.heartbeat };
    const heartbeat = Heartbeat.safeParse(JSON.parse(seen.heartbeat));
    if (heartbeat.success) {
      seen.heartbeat = heartbeat.data;
      return { receivedAt: seen.receivedAt, heartbeat: heartbeat.data };
    }
    // One from an older version that no longer fits is no loss: the next comes within 30 s.
    this.#seen.delete(playerId);
    return null;
  }

  /** Whether it can be reached: a heartbeat within 90 s, by an open socket or by polling. */
  isOnline(playerId: string): boolean {
    const seen = this.#seen.get(playerId);
    return seen !== undefined && seen.link !== "gone" && this.#clock.now() - seen.receivedAt < onlineMs;
  }
}
