// The events of each team, in order: appended in the transaction of the change, kept for a day, read by subscribers and webhooks.
import { createHash } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import { dayMs, iso } from "../../base/time.ts";
import { subscriptionKindOf, type Event, type EventType } from "../../protocol/operator/events.ts";
import type { MakeId } from "../store/ids.ts";
import type { Nodes } from "../nodes/nodes.ts";
import { inChunks } from "../store/chunks.ts";
import type { Db } from "../store/store.ts";
import type { EventRow } from "../store/tables/events.ts";

/** An event before it is stored. */
export interface NewEvent {
  teamId: string;
  type: EventType;
  /** Small: ids, names, or a whole command or screenshot. */
  data: Readonly<Record<string, unknown>>;
  /** The players that it concerns, for subscriptions to single players. */
  players: readonly string[];
}

/** An event with its position in the team's journal. */
export interface StoredEvent {
  seq: number;
  kind: ReturnType<typeof subscriptionKindOf>;
  event: Event;
  /** Identifies the set of players that it concerns, see {@link EventJournal.playersInAudience}; "" for none. */
  audience: string;
}

/** Called in the transaction that appends events. Webhooks create their deliveries there. */
type OnAppended = (db: Db, teamId: string, events: readonly Event[]) => Promise<void>;

const retentionMs = dayMs;
const maxCachedAudiences = 100;
const noTeams: ReadonlySet<string> = new Set();

export class EventJournal {
  /** Identifies this journal. It changes when the database is lost or replaced. */
  readonly epoch: string;
  readonly #clock: Clock;
  readonly #makeId: MakeId;
  readonly #audiences = new Map<string, ReadonlySet<string>>();
  readonly #onAppended: OnAppended[] = [];
  readonly #nodes: Nodes;
  /** The teams to whose events a transaction has appended. */
  readonly #appendedIn = new WeakMap<Db, Set<string>>();

  /** @param epoch the epoch of all journals of the service. */
  constructor(epoch: string, clock: Clock, makeId: MakeId, nodes: Nodes) {
    this.epoch = epoch;
    this.#clock = clock;
    this.#makeId = makeId;
    this.#nodes = nodes;
  }

  onAppended(listener: OnAppended): void {
    this.#onAppended.push(listener);
  }

  /** Appends events, in the transaction of the change. The events of each team are numbered without gaps. */
  async append(db: Db, newEvents: readonly NewEvent[]): Promise<void> {
    for (const [teamId, ofTeam] of Map.groupBy(newEvents, (event) => event.teamId)) {
      const now = Math.trunc(this.#clock.now());
      const firstSeq = await reserveSeqs(db, teamId, ofTeam.length);
      const events: Event[] = [];
      const rows: EventRow[] = [];
      for (const [index, { type, data, players }] of ofTeam.entries()) {
        const event: Event = { id: this.#makeId("evt"), type, created_at: iso(now), data };
        const audience = await storeAudience(db, players, now);
        const details = { id: event.id, team_id: teamId, seq: firstSeq + index, kind: subscriptionKindOf(type), type, audience };
        events.push(event);
        rows.push({ ...details, data: JSON.stringify(data), created_at: now });
      }
      for (const chunk of inChunks(rows)) await db.insertInto("events").values(chunk).execute();
      for (const listener of this.#onAppended) await listener(db, teamId, events);
      this.#appendedIn.set(db, (this.#appendedIn.get(db) ?? new Set()).add(teamId));
      await this.#nodes.announce(db, "events.appended", { teamIds: [teamId] });
    }
  }

  /** The teams to whose events a transaction has appended. */
  teamsAppendedIn(db: Db): ReadonlySet<string> {
    return this.#appendedIn.get(db) ?? noTeams;
  }

  /** The last position of a team's journal, and the last deleted one: a position before `trimmed` cannot be resumed. */
  async positionOf(db: Db, teamId: string): Promise<{ last: number; trimmed: number }> {
    const row = await db.selectFrom("event_journals").selectAll().where("team_id", "=", teamId).executeTakeFirst();
    return { last: row?.last_seq ?? 0, trimmed: row?.trimmed_seq ?? 0 };
  }

  /** At most `limit` events after `seq`, oldest first. */
  async readAfter(db: Db, teamId: string, seq: number, limit: number): Promise<StoredEvent[]> {
    const rows = await db
      .selectFrom("events")
      .selectAll()
      .where("team_id", "=", teamId)
      .where("seq", ">", seq)
      .orderBy("seq")
      .limit(limit)
      .execute();
    return rows.map(storedEvent);
  }

  /** At most `limit` events with `after` < seq <= `upTo`, oldest first. `types` of null means all types. */
  async readBetween(
    db: Db,
    teamId: string,
    { after, upTo, types, limit }: { after: number; upTo: number; types: readonly EventType[] | null; limit: number },
  ): Promise<StoredEvent[]> {
    const all = db.selectFrom("events").selectAll().where("team_id", "=", teamId).where("seq", ">", after).where("seq", "<=", upTo);
    const rows = types === null ? all : all.where("type", "in", types);
    return (await rows.orderBy("seq").limit(limit).execute()).map(storedEvent);
  }

  /** The players in the audience of an event. */
  async playersInAudience(db: Db, audience: string): Promise<ReadonlySet<string>> {
    if (audience === "" || audience.startsWith("plr_")) return new Set(audience === "" ? [] : [audience]);
    const cached = this.#audiences.get(audience);
    if (cached !== undefined) return cached;
    const row = await db.selectFrom("event_audiences").select("players").where("digest", "=", audience).executeTakeFirstOrThrow();
    const players = new Set(JSON.parse(row.players) as string[]);
    this.#audiences.set(audience, players);
    if (this.#audiences.size > maxCachedAudiences) this.#audiences.delete(this.#audiences.keys().next().value!);
    return players;
  }

  /** Deletes events older than a day, and audiences that no event uses any more. */
  async trim(db: Db): Promise<void> {
    const before = Math.trunc(this.#clock.now()) - retentionMs;
    const expired = await db
      .selectFrom("events")
      .select(["team_id", (row) => row.fn.max<number>("seq").as("seq")])
      .where("created_at", "<", before)
      .groupBy("team_id")
      .execute();
    for (const { team_id, seq } of expired) {
      await db.updateTable("event_journals").set({ trimmed_seq: seq }).where("team_id", "=", team_id).execute();
      await db.deleteFrom("events").where("team_id", "=", team_id).where("seq", "<=", seq).execute();
    }
    // Every event updates `used_at` of its audience, so an audience is at least as recent as its events.
    await db.deleteFrom("event_audiences").where("used_at", "<", before).execute();
  }
}

/** Takes the next `count` positions of a team's journal. @returns the first of them. */
async function reserveSeqs(db: Db, teamId: string, count: number): Promise<number> {
  const { last_seq } = await db
    .insertInto("event_journals")
    .values({ team_id: teamId, last_seq: count })
    .onConflict((conflict) => conflict.column("team_id").doUpdateSet((row) => ({ last_seq: row("event_journals.last_seq", "+", count) })))
    .returning("last_seq")
    .executeTakeFirstOrThrow();
  return last_seq - count + 1;
}

/** The audience of a single player is the player's id; a larger set is stored once under its digest. */
async function storeAudience(db: Db, players: readonly string[], now: number): Promise<string> {
  if (players.length <= 1) return players[0] ?? "";
  const sorted = JSON.stringify(players.toSorted());
  const digest = createHash("sha256").update(sorted).digest("base64url");
  await db
    .insertInto("event_audiences")
    .values({ digest, players: sorted, used_at: now })
    .onConflict((conflict) => conflict.column("digest").doUpdateSet({ used_at: now }))
    .execute();
  return digest;
}

export function eventFromRow(row: EventRow): Event {
  return {
    id: row.id,
    type: row.type as EventType,
    created_at: iso(row.created_at),
    data: JSON.parse(row.data) as Record<string, unknown>,
  };
}

function storedEvent(row: EventRow): StoredEvent {
  const event = eventFromRow(row);
  return { seq: row.seq, kind: subscriptionKindOf(event.type), audience: row.audience, event };
}
