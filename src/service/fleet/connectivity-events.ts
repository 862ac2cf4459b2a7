// Which players count as online for the outside, and what is wrong with them: told as events when it changes, not at every flutter of a link.
import { Batch } from "../../base/async/batch.ts";
import type { Clock } from "../../base/clock.ts";
import type { ProblemList } from "../../protocol/device/player-problems.ts";
import type { Heartbeat } from "../../protocol/device/heartbeat.ts";
import type { EventJournal, NewEvent } from "../events/event-journal.ts";
import {
  matchesOpenProblems,
  noOpenProblems,
  openProblemsAfter,
  parseOpenProblems,
  serializeOpenProblems,
  diffProblems,
  type OpenProblems,
  type PlayerProblems,
} from "./player-problems.ts";
import type { Presence } from "./presence.ts";
import type { Db, Store } from "../store/store.ts";
import type { PlayerRow } from "../store/tables.ts";

export interface ConnectivityEventsDependencies {
  store: Store;
  clock: Clock;
  events: EventJournal;
  presence: Presence;
  problems: PlayerProblems;
}

/** What was last told of a player. */
interface Told {
  isOnline: boolean;
  error: string | null;
  problems: OpenProblems;
}

/** What is to be told of one. */
interface News {
  playerId: string;
  now: Pick<Told, "isOnline" | "error">;
}

type Happening = Pick<NewEvent, "type" | "data">;

// A link that comes back within this was never away.
const offlineAfterMs = 120_000;
const sweepMs = 5_000;
const longestError = 500;
// A screen that has just started may still be on its way to its first picture.
const settledMs = 60_000;
const newsAtOnce = 400;
const unknown: Told = { isOnline: false, error: null, problems: noOpenProblems };

export class ConnectivityEvents {
  readonly #parts: ConnectivityEventsDependencies;
  readonly #told: Map<string, Told>;
  // When a whole fleet comes, each on its own would cost the disk a sync.
  readonly #news = new Batch<News>(newsAtOnce, (all) => this.#write(all));
  #online = 0;
  readonly #startedAt: number;

  private constructor(parts: ConnectivityEventsDependencies, told: Map<string, Told>) {
    this.#parts = parts;
    this.#told = told;
    for (const { isOnline } of told.values()) if (isOnline) this.#online += 1;
    this.#startedAt = parts.clock.monotonic();
  }

  static async open(parts: ConnectivityEventsDependencies): Promise<ConnectivityEvents> {
    const rows = await parts.store.db.selectFrom("player_links").selectAll().execute();
    return new ConnectivityEvents(
      parts,
      new Map(
        rows.map((row) => [row.player_id, { isOnline: row.is_online === 1, error: row.error, problems: parseOpenProblems(row.problems) }]),
      ),
    );
  }

  /** Players in service: online, or away for less than two minutes. A restart of ours changes nothing about it. */
  get onlineCount(): number {
    return this.#online;
  }

  /** Takes a heartbeat into account; writes only when there is something new to tell. */
  async recordHeartbeat(player: Pick<PlayerRow, "id" | "created_at">, heartbeat: Heartbeat): Promise<void> {
    const before = this.#told.get(player.id) ?? unknown;
    const now = { isOnline: true, error: errorOf(heartbeat) };
    if (!before.isOnline || before.error !== now.error || !matchesOpenProblems(before.problems, this.#parts.problems.listFor(player))) {
      await this.#news.add({ playerId: player.id, now });
    }
  }

  /** Tells the players that have been away too long, again and again. Rejects with an AbortError when `signal` aborts. */
  async run(signal: AbortSignal): Promise<never> {
    const { clock } = this.#parts;
    for (;;) {
      await clock.wait(sweepMs, signal);
      // After a start of ours every player gets the time to come back before it is called missing.
      if (clock.monotonic() - this.#startedAt < offlineAfterMs) continue;
      const away = [...this.#told].filter(([playerId, { isOnline }]) => isOnline && this.#isAway(playerId));
      await Promise.all(away.map(([playerId, told]) => this.#news.add({ playerId, now: { ...told, isOnline: false } })));
    }
  }

  /**
   * Deletes what is kept of a player, in the transaction that removes it; once that is committed, {@link forget} it too.
   * @returns what is to be told: one that was online is offline with its removal, and what was wrong with it is over.
   */
  async deletePlayer(db: Db, { id, name, team_id: teamId }: PlayerRow): Promise<NewEvent[]> {
    const row = await db.deleteFrom("player_links").where("player_id", "=", id).returning(["is_online", "problems"]).executeTakeFirst();
    if (row === undefined) return [];
    const told: Told = { isOnline: row.is_online === 1, error: null, problems: parseOpenProblems(row.problems) };
    const news = this.#eventsOf({ id, name }, told, unknown, { problems: [], problems_left_out: 0 });
    return news.map((event) => ({ ...event, teamId, players: [id] }));
  }

  /** Forgets a removed player. */
  forget(playerId: string): void {
    this.#keep(playerId, undefined);
  }

  #isAway(playerId: string): boolean {
    const at = this.#parts.presence.lastSeenAt(playerId);
    return at === null || this.#parts.clock.now() - at > offlineAfterMs;
  }

  async #write(all: readonly News[]): Promise<void> {
    const { clock, events, store } = this.#parts;
    const ids = [...new Set(all.map(({ playerId }) => playerId))];
    const since = Math.trunc(clock.now());
    const after = await store.write(async (db) => {
      const rows = db
        .selectFrom("players")
        .select(["id", "team_id", "name", "created_at"])
        .where("removed_at", "is", null)
        .where("id", "in", ids);
      const players = new Map((await rows.execute()).map((row) => [row.id, row]));
      const told = new Map(ids.map((id) => [id, players.has(id) ? (this.#told.get(id) ?? unknown) : undefined]));
      const made: NewEvent[] = [];
      for (const { playerId, now } of all) {
        const before = told.get(playerId);
        // Back meanwhile, it was never away.
        if (before === undefined || (!now.isOnline && !this.#isAway(playerId))) continue;
        const player = players.get(playerId)!;
        // As they are now: what was noted may have waited for its turn. A link that broke meanwhile has time to come back.
        const list = now.isOnline ? withoutOffline(this.#parts.problems.listFor(player)) : this.#parts.problems.listFor(player);
        const after: Told = { ...now, problems: openProblemsAfter(list, before.problems) };
        const news = this.#eventsOf(player, before, after, list);
        made.push(...news.map((event) => ({ ...event, teamId: player.team_id, players: [playerId] })));
        told.set(playerId, after);
      }
      for (const [player_id, now] of told) {
        if (now === undefined) continue;
        const row = { is_online: now.isOnline ? 1 : 0, error: now.error, problems: serializeOpenProblems(now.problems), since };
        await db
          .insertInto("player_links")
          .values({ player_id, ...row })
          .onConflict((conflict) => conflict.column("player_id").doUpdateSet(row))
          .execute();
      }
      await events.append(db, made);
      return told;
    });
    for (const [playerId, now] of after) this.#keep(playerId, now);
  }

  #eventsOf({ id, name }: { id: string; name: string }, before: Told, { isOnline, error }: Told, list: ProblemList): Happening[] {
    const about = { player_id: id, name };
    const changed = problemEvents(about, before.problems, list, new Date(this.#parts.clock.now()).toISOString());
    if (!isOnline) {
      const last_seen_at = this.#lastSeen(id);
      return [...(before.isOnline ? [{ type: "player.offline" as const, data: { ...about, last_seen_at } }] : []), ...changed];
    }
    return [
      ...(before.isOnline ? [] : [{ type: "player.online" as const, data: about }]),
      ...(error === null || error === before.error ? [] : [{ type: "player.error" as const, data: { ...about, detail: error } }]),
      ...changed,
    ];
  }

  #lastSeen(playerId: string): string | null {
    const at = this.#parts.presence.lastSeenAt(playerId);
    return at === null ? null : new Date(at).toISOString();
  }

  /** Undefined: there is no such player any more. */
  #keep(playerId: string, now: Told | undefined): void {
    this.#online += Number(now?.isOnline ?? false) - Number(this.#told.get(playerId)?.isOnline ?? false);
    if (now === undefined) this.#told.delete(playerId);
    else this.#told.set(playerId, now);
  }
}

/** Each problem that opened or is over, then the list as it is now. */
function problemEvents(about: { player_id: string; name: string }, before: OpenProblems, list: ProblemList, ended_at: string): Happening[] {
  if (matchesOpenProblems(before, list)) return [];
  const { opened, closed } = diffProblems(before, list);
  return [
    ...closed.map((problem) => ({ type: "problem.closed" as const, data: { ...about, ...problem, ended_at } })),
    ...opened.map((problem) => ({ type: "problem.opened" as const, data: { ...about, ...problem } })),
    { type: "player.problems", data: { ...about, ...list } },
  ];
}

function withoutOffline({ problems, ...rest }: ProblemList): ProblemList {
  return { problems: problems.filter(({ code }) => code !== "offline"), ...rest };
}

/** What is wrong at a player by its own word, null when nothing is. */
function errorOf({ content, rendering, uptime_ms }: Heartbeat): string | null {
  if (content.is === "failed") return (content.detail ?? "its content failed").slice(0, longestError);
  return rendering || uptime_ms < settledMs ? null : "nothing is being drawn on its screen";
}
