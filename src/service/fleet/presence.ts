// The latest heartbeat of each player, and who is online. Known at once, written down by the second.
import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../base/clock.ts";
import { isAbort } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import { Heartbeat } from "../../protocol/device/heartbeat.ts";
import { countHeartbeat } from "./devices/heartbeat-minutes.ts";
import { preparedQuery } from "../store/prepared-query.ts";
import type { TelemetryDb } from "../store/store.ts";

const onlineMs = 90_000;
// Each on its own would cost a transaction; a service that is killed loses so much of the history, and no more.
const writeEveryMs = 1_000;
// What is written at once holds everything else up: a few milliseconds.
const writtenAtOnce = 200;
// While the disk takes nothing, the oldest are given up.
const maxUnwritten = 20_000;

const putLatest = preparedQuery((db: TelemetryDb, row: { player_id: string; received_at: number; body: string }) => {
  const latest = { received_at: row.received_at, body: row.body };
  return db
    .insertInto("heartbeats")
    .values({ player_id: row.player_id, ...latest })
    .onConflict((conflict) => conflict.column("player_id").doUpdateSet(latest));
});

/** A heartbeat and when it came, ms since the epoch. */
export interface ReceivedHeartbeat {
  receivedAt: number;
  heartbeat: Heartbeat;
}

type Seen = {
  receivedAt: number;
  /** As text, once that is written, until it is asked for: of ten thousand beats few are looked at, and texts take less room. */
  heartbeat: Heartbeat | string;
  /** Its socket is open, it polls, or (after a restart of ours) it has not been heard yet. */
  link: "socket" | "poll" | "gone";
};

export class Presence {
  readonly #db: TelemetryDb;
  readonly #clock: Clock;
  readonly #seen: Map<string, Seen>;
  readonly #unwritten: (ReceivedHeartbeat & { playerId: string })[] = [];
  /** Who waits for the next heartbeat of a player. */
  readonly #waiting = new Map<string, Set<() => void>>();
  #writing: Promise<unknown> = Promise.resolve();

  private constructor(db: TelemetryDb, clock: Clock, seen: Map<string, Seen>) {
    this.#db = db;
    this.#clock = clock;
    this.#seen = seen;
  }

  static async open(db: TelemetryDb, clock: Clock): Promise<Presence> {
    const seen = new Map<string, Seen>();
    for (let after: string | undefined = ""; after !== undefined;) {
      const rows = db.selectFrom("heartbeats").selectAll().where("player_id", ">", after).orderBy("player_id").limit(1_000);
      const some: { player_id: string; received_at: number; body: string }[] = await rows.execute();
      for (const row of some) seen.set(row.player_id, { receivedAt: row.received_at, heartbeat: row.body, link: "gone" });
      after = some.at(-1)?.player_id;
    }
    return new Presence(db, clock, seen);
  }

  /** Takes a heartbeat in. {@link run} writes it down. */
  recordHeartbeat(playerId: string, heartbeat: Heartbeat, link: "socket" | "poll"): void {
    const receivedAt = Math.trunc(this.#clock.now());
    this.#seen.set(playerId, { receivedAt, heartbeat, link });
    this.#unwritten.push({ playerId, receivedAt, heartbeat });
    for (const wake of this.#waiting.get(playerId) ?? []) wake();
  }

  /**
   * Resolves once `isTrue` of a player's latest heartbeat: at once, or when one comes. False: `mostMs` have passed without.
   * @throws AbortError when `signal` aborts.
   */
  async waitForHeartbeat(
    playerId: string,
    isTrue: (heartbeat: Heartbeat) => boolean,
    maxMs: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    const done = new AbortController();
    const look = () => {
      const beat = this.latest(playerId);
      if (beat !== null && isTrue(beat.heartbeat)) done.abort();
    };
    const waiting = this.#waiting.get(playerId) ?? new Set();
    this.#waiting.set(playerId, waiting.add(look));
    look();
    try {
      await this.#clock.wait(maxMs, AbortSignal.any([done.signal, signal]));
      return false;
    } catch (error) {
      if (!isAbort(error) || !done.signal.aborted) throw error;
      return true;
    } finally {
      waiting.delete(look);
      if (waiting.size === 0) this.#waiting.delete(playerId);
    }
  }

  /** Writes down by the second what came in, until `signal` aborts; rejects with an AbortError then. What came since needs a {@link flush}. */
  async run(log: Log, signal: AbortSignal): Promise<never> {
    let isFailing = false;
    for (;;) {
      await this.#clock.wait(writeEveryMs, signal);
      try {
        await this.flush();
        isFailing = false;
      } catch (error) {
        if (!isFailing) log.error({ err: error }, "heartbeats cannot be written down: they are kept for later while there is room");
        isFailing = true;
      }
    }
  }

  /** Writes down what came in so far: for whoever is about to read the history. What cannot be written waits for the next time. */
  flush(): Promise<void> {
    const written = this.#writing.then(() => this.#write());
    this.#writing = written.catch(() => undefined);
    return written;
  }

  async #write(): Promise<void> {
    while (this.#unwritten.length > 0) {
      const some = this.#unwritten.slice(0, writtenAtOnce).map((beat) => ({ ...beat, body: JSON.stringify(beat.heartbeat) }));
      try {
        await this.#db.transaction().execute(async (db) => {
          for (const { playerId, receivedAt, heartbeat, body } of some) {
            await putLatest(db, { player_id: playerId, received_at: receivedAt, body });
            await countHeartbeat(db, playerId, heartbeat, receivedAt);
          }
        });
      } catch (error) {
        this.#unwritten.splice(0, this.#unwritten.length - maxUnwritten);
        throw error;
      }
      this.#unwritten.splice(0, some.length);
      for (const { playerId, heartbeat, body } of some) {
        const seen = this.#seen.get(playerId);
        if (seen?.heartbeat === heartbeat) seen.heartbeat = body;
      }
      await setImmediate();
    }
  }

  /** Its socket has closed. */
  socketClosed(playerId: string): void {
    const seen = this.#seen.get(playerId);
    if (seen?.link === "socket") this.#seen.set(playerId, { ...seen, link: "gone" });
  }

  /** It was deleted: it counts as offline at once, however it was heard of. */
  markRemoved(playerId: string): void {
    const seen = this.#seen.get(playerId);
    if (seen !== undefined) this.#seen.set(playerId, { ...seen, link: "gone" });
  }

  /** Forgets what a player's box told last: it has another one. The history stays. */
  async forgetLatest(playerId: string): Promise<void> {
    await this.flush();
    this.#seen.delete(playerId);
    await this.#db.deleteFrom("heartbeats").where("player_id", "=", playerId).execute();
  }

  /** Forgets a player. */
  async deletePlayer(playerId: string): Promise<void> {
    await this.flush();
    this.#seen.delete(playerId);
    await this.#db.deleteFrom("heartbeats").where("player_id", "=", playerId).execute();
    await this.#db.deleteFrom("heartbeat_minutes").where("player_id", "=", playerId).execute();
  }

  /** The latest heartbeat, null when there was none. */
  latest(playerId: string): ReceivedHeartbeat | null {
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

  /** When its latest heartbeat came, ms since the epoch; null when there was none. */
  lastSeenAt(playerId: string): number | null {
    return this.#seen.get(playerId)?.receivedAt ?? null;
  }

  /** Whether it can be reached: a heartbeat within 90 s, by an open socket or by polling. */
  isOnline(playerId: string): boolean {
    const seen = this.#seen.get(playerId);
    return seen !== undefined && seen.link !== "gone" && this.#clock.now() - seen.receivedAt < onlineMs;
  }
}
