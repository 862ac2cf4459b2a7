// The latest heartbeat of each player and whether it is online, in memory.
import type { Selectable } from "kysely";
import type { z } from "zod";
import { KeyedListeners } from "../../../base/async/listeners.ts";
import type { Clock } from "../../../base/clock.ts";
import { isAbort } from "../../../base/fault.ts";
import type { Log } from "../../../base/log.ts";
import { Capabilities } from "../../../protocol/device/capabilities.ts";
import { Heartbeat } from "../../../protocol/device/heartbeat.ts";
import { Telemetry } from "../../../protocol/device/telemetry.ts";
import { ForgottenPlayers } from "./forgotten-players.ts";
import { type FleetFigures, HeartbeatFigures } from "../heartbeats/figures.ts";
import { isFuture, monotonicOf } from "../heartbeats/times.ts";
import { HeartbeatWriter } from "../heartbeats/writer.ts";
import type { Nodes } from "../../nodes/nodes.ts";
import type { PlayerLink, StoredHeartbeat } from "./rows.ts";
import { inChunks } from "../../store/chunks.ts";
import type { Db, TelemetryDb } from "../../store/store.ts";
import type { HeartbeatRow } from "../../store/tables/telemetry.ts";

const onlineMs = 90_000;

/** The part of a heartbeat that a screen's state in the roster depends on. */
const Glance = Heartbeat.pick({ content: true, why: true, problems: true, problems_left_out: true, timezone: true }).extend({
  telemetry: Telemetry.pick({ display: true }).optional(),
});
export type Glance = z.infer<typeof Glance>;

export interface ReceivedHeartbeat {
  /** Ms since the epoch. */
  receivedAt: number;
  heartbeat: Heartbeat;
}

/** A heartbeat in memory, as an object or as JSON. */
export interface KeptHeartbeat {
  heartbeat: Heartbeat | string;
}

type LatestHeartbeat = KeptHeartbeat & {
  receivedAt: number;
  /** The same in this process's monotonic time, by which its age is reckoned: wall clocks are set while a service runs. */
  receivedMonotonic: number;
  /** JSON once it is stored, until it is read: JSON takes less memory, and few of ten thousand heartbeats are read. */
  heartbeat: Heartbeat | string;
  link: PlayerLink;
  /** The node that it is connected to; null: this one. */
  nodeId: string | null;
};

export class Presence {
  readonly #db: TelemetryDb;
  readonly #clock: Clock;
  readonly #nodes: Nodes;
  readonly #latest: Map<string, LatestHeartbeat>;
  readonly #figures = new HeartbeatFigures();
  readonly #forgotten = new ForgottenPlayers();
  /** Called with the id of a player that sent a heartbeat. */
  readonly #listeners = new KeyedListeners<void>();
  readonly #writer: HeartbeatWriter;

  private constructor(db: TelemetryDb, clock: Clock, nodes: Nodes, latest: Map<string, LatestHeartbeat>) {
    this.#db = db;
    this.#nodes = nodes;
    this.#clock = clock;
    this.#latest = latest;
    this.#writer = new HeartbeatWriter(db, clock, nodes, {
      onStored: (playerId, heartbeat, body) => {
        const kept = latest.get(playerId);
        if (kept?.heartbeat === heartbeat) kept.heartbeat = body;
      },
      isGone: (playerId) => latest.get(playerId)?.link === "gone",
    });
  }

  static async open(db: TelemetryDb, clock: Clock, nodes: Nodes): Promise<Presence> {
    const latest = new Map<string, LatestHeartbeat>();
    for (let after: string | undefined = ""; after !== undefined;) {
      const page = db.selectFrom("heartbeats").selectAll().where("player_id", ">", after).orderBy("player_id").limit(1_000);
      const rows: Selectable<HeartbeatRow>[] = await page.execute();
      for (const row of rows) {
        const link = nodes.isShared ? (row.link ?? "gone") : "gone";
        const receivedAt = row.received_at;
        const times = { receivedAt, receivedMonotonic: monotonicOf(clock, receivedAt) };
        latest.set(row.player_id, { ...times, heartbeat: row.body, link, nodeId: row.node_id });
      }
      after = rows.at(-1)?.player_id;
    }
    return new Presence(db, clock, nodes, latest);
  }

  /** Records a heartbeat in memory. {@link run} stores it. @returns it as it is kept, for the next one to add to. */
  recordHeartbeat(playerId: string, heartbeat: Heartbeat, link: "socket" | "poll"): KeptHeartbeat {
    const receivedAt = Math.trunc(this.#clock.now());
    const kept: LatestHeartbeat = { receivedAt, receivedMonotonic: this.#clock.monotonic(), heartbeat, link, nodeId: null };
    this.#latest.set(playerId, kept);
    this.#figures.record(playerId, heartbeat);
    this.#writer.add({ playerId, receivedAt, heartbeat, link });
    this.#listeners.notify(playerId);
    return kept;
  }

  /**
   * Resolves to true when a player's latest or next heartbeat fulfils `isTrue`, to false after `maxMs`.
   * @throws AbortError when `signal` aborts.
   */
  async waitForHeartbeat(
    playerId: string,
    isTrue: (heartbeat: Heartbeat) => boolean,
    maxMs: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    const done = new AbortController();
    const check = () => {
      const latest = this.latest(playerId);
      if (latest !== null && isTrue(latest.heartbeat)) done.abort();
    };
    this.#listeners.add(playerId, check, done.signal);
    check();
    try {
      await this.#clock.wait(maxMs, AbortSignal.any([done.signal, signal]));
      return false;
    } catch (error) {
      if (!isAbort(error) || !done.signal.aborted) throw error;
      return true;
    } finally {
      done.abort();
    }
  }

  /** Stores heartbeats every second until `signal` aborts; rejects with an AbortError then. Call {@link flush} afterwards. */
  run(log: Log, signal: AbortSignal): Promise<never> {
    return this.#writer.run(log, signal);
  }

  /** Stores all heartbeats received so far. Call it before reading the history. Heartbeats that cannot be stored stay in memory. */
  flush(): Promise<void> {
    return this.#writer.flush();
  }

  /**
   * Takes over a heartbeat that another node has received and stores itself.
   * @returns true if it is newer than the one in memory
   */
  recordRemote({ playerId, receivedAt, link, body }: StoredHeartbeat, nodeId: string): boolean {
    const known = this.#latest.get(playerId);
    const isOlder = known !== undefined && known.receivedAt > receivedAt && !isFuture(this.#clock, known.receivedAt);
    if (isOlder || this.#willReplace(playerId, receivedAt) || this.#forgotten.has(playerId, receivedAt)) return false;
    this.#figures.forget(playerId);
    const times = { receivedAt, receivedMonotonic: monotonicOf(this.#clock, receivedAt) };
    this.#latest.set(playerId, { ...times, heartbeat: body, link, nodeId });
    if (known?.receivedAt === receivedAt) return false;
    this.#listeners.notify(playerId);
    return true;
  }

  /** Takes over that a player is connected otherwise to another node. @returns false if a newer heartbeat has to be read first */
  recordRemoteLink(playerId: string, receivedAt: number, link: PlayerLink, nodeId: string): boolean {
    const known = this.#latest.get(playerId);
    if (this.#forgotten.has(playerId, receivedAt) || this.#willReplace(playerId, receivedAt)) return true;
    if (known === undefined || known.receivedAt < receivedAt) return false;
    if (known.receivedAt > receivedAt && isFuture(this.#clock, known.receivedAt)) return false;
    if (known.receivedAt === receivedAt) this.#latest.set(playerId, { ...known, link, nodeId });
    return true;
  }

  /** True if a stored heartbeat, whose time is of a clock that was ahead, is about to be replaced by one that this node has received. */
  #willReplace(playerId: string, receivedAt: number): boolean {
    return isFuture(this.#clock, receivedAt) && this.#writer.has(playerId);
  }

  /** Records that a player's socket has closed. */
  socketClosed(playerId: string): void {
    const latest = this.#latest.get(playerId);
    if (latest?.link !== "socket" || latest.nodeId !== null) return;
    this.#latest.set(playerId, { ...latest, link: "gone" });
    this.#writer.addClosed(playerId);
  }

  /** Records that a player was deleted: it counts as offline at once, even if it polled. */
  markRemoved(playerId: string): void {
    const latest = this.#latest.get(playerId);
    if (latest !== undefined) this.#latest.set(playerId, { ...latest, link: "gone" });
  }

  /** Tells other nodes of players that are erased or get other devices, in the transaction that does it. Forget them after the commit. */
  async announceForgotten(db: Db, playerIds: readonly string[]): Promise<void> {
    if (playerIds.length === 0) return;
    await this.#nodes.announce(db, "players.forgotten", { playerIds, until: Math.trunc(this.#clock.now()) });
  }

  /** Forgets heartbeats of players until an instant, here and in the database: another node has erased them or exchanged their devices. */
  async forgetUntil(playerIds: readonly string[], until: number): Promise<void> {
    // Heartbeats that are not written yet would come back.
    await this.flush();
    this.#forgotten.add(playerIds, until);
    for (const playerId of playerIds) if (this.#forgotten.has(playerId, this.lastSeenAt(playerId))) this.#drop(playerId);
    for (const ids of inChunks(playerIds)) {
      await this.#db.deleteFrom("heartbeats").where("player_id", "in", ids).where("received_at", "<=", until).execute();
    }
  }

  /** Deletes the latest heartbeat of a player, but not its history: the player has another device now. */
  async forgetLatest(playerId: string): Promise<void> {
    await this.flush();
    this.#drop(playerId);
    await this.#db.deleteFrom("heartbeats").where("player_id", "=", playerId).execute();
  }

  /** The players that have a latest heartbeat. */
  playerIds(): Iterable<string> {
    return this.#latest.keys();
  }

  /** Drops latest heartbeats that other nodes had received and that are stored no more. */
  dropRemote(playerIds: readonly string[]): void {
    for (const playerId of playerIds) if (this.#latest.get(playerId)?.nodeId != null) this.#drop(playerId);
  }

  #drop(playerId: string): void {
    this.#latest.delete(playerId);
    this.#figures.forget(playerId);
  }

  /** Deletes the heartbeats of a player with their history. */
  async deletePlayer(playerId: string): Promise<void> {
    await this.forgetLatest(playerId);
    for (const table of ["heartbeat_minutes", "heartbeat_hours"] as const)
      await this.#db.deleteFrom(table).where("player_id", "=", playerId).execute();
  }

  /** The latest heartbeat of a player; null if there is none. */
  latest(playerId: string): ReceivedHeartbeat | null {
    const latest = this.#latest.get(playerId);
    if (latest === undefined) return null;
    if (typeof latest.heartbeat !== "string") return { receivedAt: latest.receivedAt, heartbeat: latest.heartbeat };
    const heartbeat = Heartbeat.safeParse(JSON.parse(latest.heartbeat));
    if (heartbeat.success) {
      latest.heartbeat = heartbeat.data;
      return { receivedAt: latest.receivedAt, heartbeat: heartbeat.data };
    }
    // A heartbeat that an older version stored may be invalid now. Drop it: the next one arrives within 30 s.
    this.#latest.delete(playerId);
    return null;
  }

  /** Sums over the players whose heartbeats this node receives: each player counts at one node. */
  get figures(): FleetFigures {
    return this.#figures.read((playerId) => this.#latest.get(playerId)?.nodeId === null && this.isOnline(playerId));
  }

  /** The capabilities in a player's latest heartbeat; null if it names none. For thousands of players: keeps nothing parsed. */
  capabilities(playerId: string): Capabilities | null {
    const heartbeat = this.#latest.get(playerId)?.heartbeat;
    if (typeof heartbeat !== "string") return heartbeat?.capabilities ?? null;
    if (!heartbeat.includes('"capabilities":{')) return null;
    return Capabilities.safeParse((JSON.parse(heartbeat) as { capabilities: unknown }).capabilities).data ?? null;
  }

  /** The state in a player's latest heartbeat; null: there is none. For thousands of players: keeps nothing parsed. */
  glance(playerId: string): Glance | null {
    const latest = this.#latest.get(playerId);
    if (latest === undefined) return null;
    const heartbeat: unknown = typeof latest.heartbeat === "string" ? JSON.parse(latest.heartbeat) : latest.heartbeat;
    return Glance.safeParse(heartbeat).data ?? null;
  }

  /** When the latest heartbeat of a player arrived, ms since the epoch; null if there is none. */
  lastSeenAt(playerId: string): number | null {
    return this.#latest.get(playerId)?.receivedAt ?? null;
  }

  /** For how long a player has sent no heartbeat, ms; null: there is none. */
  silentMs(playerId: string): number | null {
    const latest = this.#latest.get(playerId);
    return latest === undefined ? null : this.#clock.monotonic() - latest.receivedMonotonic;
  }

  /** True if a player can be reached: it has an open socket or polls, and sent a heartbeat in the last 90 s. */
  isOnline(playerId: string): boolean {
    const latest = this.#latest.get(playerId);
    if (latest === undefined || latest.link === "gone" || this.#clock.monotonic() - latest.receivedMonotonic >= onlineMs) return false;
    // The sockets of a node that has died are closed, too.
    return latest.link === "poll" || latest.nodeId === null || this.#nodes.liveNodeIds.has(latest.nodeId);
  }
}
