// Sends events when players go online or offline or their problems change. Ignores short interruptions of the connection.
import { Batch } from "../../../base/async/batch.ts";
import { iso, minuteMs } from "../../../base/time.ts";
import type { Nodes } from "../../nodes/nodes.ts";
import type { Clock } from "../../../base/clock.ts";
import type { ProblemList } from "../../../protocol/device/player-problems.ts";
import type { Heartbeat } from "../../../protocol/device/heartbeat.ts";
import type { EventJournal, NewEvent } from "../../events/event-journal.ts";
import { matchesOpenProblems, openProblemsAfter, parseOpenProblems, serializeOpenProblems } from "../problems/open-problems.ts";
import { errorOf, statusEvents, unreported, type ReportedStatus, type StatusEvent } from "./status-events.ts";
import type { PlayerProblems } from "../problems/problems.ts";
import type { Presence } from "./presence.ts";
import type { Db, Store } from "../../store/store.ts";
import type { PlayerLinkRow, PlayerRow } from "../../store/tables/fleet.ts";

export interface ConnectivityEventsDependencies {
  store: Store;
  nodes: Nodes;
  clock: Clock;
  events: EventJournal;
  presence: Presence;
  problems: PlayerProblems;
}

/** A new status that differs from the reported one. */
interface StatusChange {
  playerId: string;
  status: Pick<ReportedStatus, "isOnline" | "error">;
}

// A player that reconnects within this time was never offline.
const offlineAfterMs = 2 * minuteMs;
const offlineCheckMs = 5_000;
const maxBatch = 400;
// A row is committed at most this long after the time that it carries.
const lateMs = 30_000;

export class ConnectivityEvents {
  readonly #dependencies: ConnectivityEventsDependencies;
  readonly #reported = new Map<string, ReportedStatus>();
  /** When this node learned that a player had come online, monotonic ms. */
  readonly #onlineSince = new Map<string, number>();
  // Batch writes: one fsync per player is too slow when a fleet reconnects.
  readonly #changes = new Batch<StatusChange>(maxBatch, (changes) => this.#write(changes));
  #onlineCount = 0;
  readonly #startedAt: number;

  private constructor(dependencies: ConnectivityEventsDependencies) {
    this.#dependencies = dependencies;
    this.#startedAt = dependencies.clock.monotonic();
  }

  static async open(dependencies: ConnectivityEventsDependencies): Promise<ConnectivityEvents> {
    const links = new ConnectivityEvents(dependencies);
    dependencies.nodes.onMissed(() => links.#readAll());
    await links.#readAll();
    return links;
  }

  async #readAll(): Promise<void> {
    const rows = await this.#dependencies.store.db.selectFrom("player_links").selectAll().execute();
    const stored = new Map(rows.map((row) => [row.player_id, statusOf(row)]));
    for (const playerId of this.#reported.keys()) if (!stored.has(playerId)) this.#setReported(playerId, undefined);
    for (const [playerId, status] of stored) this.#setReported(playerId, status);
  }

  /** How many players are online or were so less than two minutes ago. A restart of the service does not change it. */
  get onlineCount(): number {
    return this.#onlineCount;
  }

  /** True if the last event said that the player is online. */
  isReportedOnline(playerId: string): boolean {
    return this.#reported.get(playerId)?.isOnline ?? false;
  }

  /** Writes events if the heartbeat changes the status of its player. */
  async recordHeartbeat(player: Pick<PlayerRow, "id" | "created_at">, heartbeat: Heartbeat): Promise<void> {
    const before = this.#reported.get(player.id) ?? unreported;
    const status = { isOnline: true, error: errorOf(heartbeat) };
    const { problems } = this.#dependencies;
    if (before.isOnline && before.error === status.error && matchesOpenProblems(before.problems, problems.listFor(player))) return;
    await this.#changes.add({ playerId: player.id, status });
  }

  /** Reports players that have been offline for too long until `signal` aborts; rejects with an AbortError then. */
  async run(signal: AbortSignal): Promise<never> {
    const { clock, nodes } = this.#dependencies;
    for (;;) {
      await clock.wait(offlineCheckMs, signal);
      // After a start of the service, players get time to reconnect.
      if (clock.monotonic() - this.#startedAt < offlineAfterMs) continue;
      const offline = [...this.#reported].filter(([playerId, { isOnline }]) => isOnline && this.#isOffline(playerId));
      // To a node that was paused all players seem offline.
      if (offline.length > 0) await nodes.checkDuty();
      await Promise.all(offline.map(([playerId, { error }]) => this.#changes.add({ playerId, status: { isOnline: false, error } })));
    }
  }

  /** Takes over the reports of other nodes until `signal` aborts; rejects with an AbortError then. */
  async follow(signal: AbortSignal): Promise<never> {
    const { clock, store } = this.#dependencies;
    for (let since = 0; ;) {
      // Rows that were written after the clock was set back have earlier times.
      since = Math.min(since, Math.trunc(clock.now()) - lateMs);
      const rows = await store.db.selectFrom("player_links").selectAll().where("since", ">=", since).execute();
      for (const row of rows) {
        this.#setReported(row.player_id, statusOf(row));
        since = Math.max(since, row.since - lateMs);
      }
      await clock.wait(offlineCheckMs, signal);
    }
  }

  /**
   * Deletes the stored status of a player, in the transaction that deletes the player. Call {@link forget} after the commit.
   * @returns the events that the player is offline and its problems are closed.
   */
  async deletePlayer(db: Db, { id, name, team_id: teamId }: PlayerRow): Promise<NewEvent[]> {
    await this.#dependencies.nodes.announce(db, "players.removed", { playerIds: [id] });
    const row = await db.deleteFrom("player_links").where("player_id", "=", id).returning(["is_online", "problems"]).executeTakeFirst();
    if (row === undefined) return [];
    const before: ReportedStatus = { isOnline: row.is_online === 1, error: null, problems: parseOpenProblems(row.problems) };
    const events = this.#statusEvents({ id, name }, before, unreported, { problems: [], problems_left_out: 0 });
    return events.map((event) => ({ ...event, teamId, players: [id] }));
  }

  /** Drops the status of a deleted player from memory. */
  forget(playerId: string): void {
    this.#setReported(playerId, undefined);
  }

  #isOffline(playerId: string): boolean {
    const { clock, presence } = this.#dependencies;
    // The heartbeat of a player that another node has reported as online may be known here only a moment later.
    const reportedMs = clock.monotonic() - (this.#onlineSince.get(playerId) ?? Number.NEGATIVE_INFINITY);
    return Math.min(presence.silentMs(playerId) ?? Number.POSITIVE_INFINITY, reportedMs) > offlineAfterMs;
  }

  async #write(changes: readonly StatusChange[]): Promise<void> {
    const { clock, events, problems, store } = this.#dependencies;
    const ids = [...new Set(changes.map(({ playerId }) => playerId))];
    const since = Math.trunc(clock.now());
    const written = await store.write(async (db) => {
      const rows = db
        .selectFrom("players")
        .select(["id", "team_id", "name", "created_at"])
        .where("removed_at", "is", null)
        .where("id", "in", ids);
      const players = new Map((await rows.execute()).map((row) => [row.id, row]));
      const known = await this.#reportedIn(db, ids);
      const reported = new Map(ids.map((id) => [id, players.has(id) ? (known.get(id) ?? unreported) : undefined]));
      const newEvents: NewEvent[] = [];
      for (const { playerId, status } of changes) {
        const before = reported.get(playerId);
        // Skip deleted players, and players that have reconnected meanwhile.
        if (before === undefined || (!status.isOnline && !this.#isOffline(playerId))) continue;
        const player = players.get(playerId)!;
        // The batch may have waited, so read the problems now. A player that lost its connection meanwhile has time to reconnect.
        const current = problems.listFor(player);
        const list = status.isOnline ? withoutOffline(current) : current;
        const after: ReportedStatus = { ...status, problems: openProblemsAfter(list, before.problems) };
        const ofPlayer = this.#statusEvents(player, before, after, list);
        newEvents.push(...ofPlayer.map((event) => ({ ...event, teamId: player.team_id, players: [playerId] })));
        reported.set(playerId, after);
      }
      for (const [playerId, status] of reported) if (status !== undefined) await storeStatus(db, playerId, status, since);
      await events.append(db, newEvents);
      return reported;
    });
    for (const [playerId, status] of written) this.#setReported(playerId, status);
  }

  /** The statuses of players by the last event: another node may have reported another one meanwhile. */
  async #reportedIn(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, ReportedStatus>> {
    if (!this.#dependencies.nodes.isShared) return this.#reported;
    const rows = await db.selectFrom("player_links").selectAll().where("player_id", "in", ids).execute();
    return new Map(rows.map((row) => [row.player_id, statusOf(row)]));
  }

  #statusEvents(player: { id: string; name: string }, before: ReportedStatus, after: ReportedStatus, list: ProblemList): StatusEvent[] {
    const { clock, presence } = this.#dependencies;
    const lastSeenAt = presence.lastSeenAt(player.id);
    const times = { now: iso(clock.now()), lastSeenAt: iso(lastSeenAt) };
    return statusEvents(player, before, after, list, times);
  }

  /** @param status undefined: the player was deleted. */
  #setReported(playerId: string, status: ReportedStatus | undefined): void {
    this.#onlineCount += Number(status?.isOnline ?? false) - Number(this.#reported.get(playerId)?.isOnline ?? false);
    if (status?.isOnline !== true) this.#onlineSince.delete(playerId);
    else if (!this.#onlineSince.has(playerId)) this.#onlineSince.set(playerId, this.#dependencies.clock.monotonic());
    if (status === undefined) this.#reported.delete(playerId);
    else this.#reported.set(playerId, status);
  }
}

function statusOf({ is_online, error, problems }: PlayerLinkRow): ReportedStatus {
  return { isOnline: is_online === 1, error, problems: parseOpenProblems(problems) };
}

async function storeStatus(db: Db, playerId: string, { isOnline, error, problems }: ReportedStatus, since: number): Promise<void> {
  const row = { is_online: isOnline ? 1 : 0, error, problems: serializeOpenProblems(problems), since };
  await db
    .insertInto("player_links")
    .values({ player_id: playerId, ...row })
    .onConflict((conflict) => conflict.column("player_id").doUpdateSet(row))
    .execute();
}

function withoutOffline({ problems, ...rest }: ProblemList): ProblemList {
  return { problems: problems.filter(({ code }) => code !== "offline"), ...rest };
}
