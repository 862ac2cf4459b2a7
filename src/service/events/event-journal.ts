// What happened in each team, in order: written with the deed, kept for a day, read by subscribers and webhooks.
import { createHash } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import { subscriptionKindOf, type Event, type EventType } from "../../protocol/operator/events.ts";
import type { MakeId } from "../store/ids.ts";
import type { Db } from "../store/store.ts";
import type { EventRow } from "../store/event-tables.ts";
import { inChunks } from "../fleet/targets.ts";

/** An event to be told. */
export interface NewEvent {
  teamId: string;
  type: EventType;
  /** Small: ids, names, or a whole command or screenshot. */
  data: Readonly<Record<string, unknown>>;
  /** The players it concerns, for subscribers of single players. */
  players: readonly string[];
}

/** An event with its place in the team's journal. */
export interface StoredEvent {
  seq: number;
  kind: ReturnType<typeof subscriptionKindOf>;
  event: Event;
  /** Names the set of players concerned, see {@link EventJournal.playersInAudience}; "" is nobody. */
  audience: string;
}

/** Called in the transaction that writes events: webhooks make their deliveries there. */
type OnAppended = (db: Db, teamId: string, events: readonly Event[]) => Promise<void>;

const keptMs = 86_400_000;
const audiencesKept = 100;

export class EventJournal {
  /** Names this journal; another one after the database was lost or replaced. */
  readonly epoch: string;
  readonly #clock: Clock;
  readonly #makeId: MakeId;
  readonly #audiences = new Map<string, ReadonlySet<string>>();
  readonly #onAppended: OnAppended[] = [];
  #moved = new Set<string>();

  /** @param epoch the name of the service's journals. */
  constructor(epoch: string, clock: Clock, makeId: MakeId) {
    this.epoch = epoch;
    this.#clock = clock;
    this.#makeId = makeId;
  }

  /** Has `listener` called in each transaction that writes an event. */
  onAppended(listener: OnAppended): void {
    this.#onAppended.push(listener);
  }

  /** Adds events, in the transaction that makes them true. Each team counts its own, one by one, without a gap. */
  async append(db: Db, events: readonly NewEvent[]): Promise<void> {
    for (const [teamId, its] of Map.groupBy(events, (event) => event.teamId)) {
      const now = Math.trunc(this.#clock.now());
      const { last_seq: last } = await db
        .insertInto("event_journals")
        .values({ team_id: teamId, last_seq: its.length })
        .onConflict((conflict) =>
          conflict.column("team_id").doUpdateSet((row) => ({ last_seq: row("event_journals.last_seq", "+", its.length) })),
        )
        .returning("last_seq")
        .executeTakeFirstOrThrow();
      const made: Event[] = [];
      const rows: EventRow[] = [];
      for (const [place, { type, data, players }] of its.entries()) {
        const event: Event = { id: this.#makeId("evt"), type, created_at: new Date(now).toISOString(), data };
        const audience = await this.#keepAudience(db, players, now);
        const about = { id: event.id, team_id: teamId, seq: last - its.length + place + 1, kind: subscriptionKindOf(type), type, audience };
        made.push(event);
        rows.push({ ...about, data: JSON.stringify(data), created_at: now });
      }
      for (const part of inChunks(rows)) await db.insertInto("events").values(part).execute();
      for (const listener of this.#onAppended) await listener(db, teamId, made);
      this.#moved.add(teamId);
    }
  }

  /** The teams that may have new events since this was asked last. */
  takeTeamsWithNewEvents(): ReadonlySet<string> {
    const moved = this.#moved;
    this.#moved = new Set();
    return moved;
  }

  /** Where a team's journal ends, and what was trimmed: a place before `trimmed` cannot be resumed. */
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
    return rows.map(stored);
  }

  /** At most `limit` events after one place up to another, oldest first; null: of all types. */
  async readBetween(
    db: Db,
    teamId: string,
    { after, upTo, types, limit }: { after: number; upTo: number; types: readonly EventType[] | null; limit: number },
  ): Promise<StoredEvent[]> {
    const all = db.selectFrom("events").selectAll().where("team_id", "=", teamId).where("seq", ">", after).where("seq", "<=", upTo);
    const rows = types === null ? all : all.where("type", "in", types);
    return (await rows.orderBy("seq").limit(limit).execute()).map(stored);
  }

  /** The players that an event's `audience` names. */
  async playersInAudience(db: Db, name: string): Promise<ReadonlySet<string>> {
    if (name === "" || name.startsWith("plr_")) return new Set(name === "" ? [] : [name]);
    const known = this.#audiences.get(name);
    if (known !== undefined) return known;
    const row = await db.selectFrom("event_audiences").select("players").where("digest", "=", name).executeTakeFirstOrThrow();
    const players = new Set(JSON.parse(row.players) as string[]);
    this.#audiences.set(name, players);
    if (this.#audiences.size > audiencesKept) this.#audiences.delete(this.#audiences.keys().next().value!);
    return players;
  }

  /** Drops what is older than a day, and what nothing refers to any more. */
  async trim(db: Db): Promise<void> {
    const before = Math.trunc(this.#clock.now()) - keptMs;
    const trimmed = await db
      .selectFrom("events")
      .select(["team_id", (row) => row.fn.max<number>("seq").as("seq")])
      .where("created_at", "<", before)
      .groupBy("team_id")
      .execute();
    for (const { team_id, seq } of trimmed) {
      await db.updateTable("event_journals").set({ trimmed_seq: seq }).where("team_id", "=", team_id).execute();
      await db.deleteFrom("events").where("team_id", "=", team_id).where("seq", "<=", seq).execute();
    }
    // An audience was stamped when it was last used, so it is older than all events that name it.
    await db.deleteFrom("event_audiences").where("used_at", "<", before).execute();
  }

  /** One player is named as it is; a set is stored once, however many events concern it. */
  async #keepAudience(db: Db, players: readonly string[], now: number): Promise<string> {
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
}

/** The event that a row of the journal holds. */
export function eventFromRow(row: EventRow): Event {
  return {
    id: row.id,
    type: row.type as EventType,
    created_at: new Date(row.created_at).toISOString(),
    data: JSON.parse(row.data) as Record<string, unknown>,
  };
}

function stored(row: EventRow): StoredEvent {
  const event = eventFromRow(row);
  return { seq: row.seq, kind: subscriptionKindOf(event.type), audience: row.audience, event };
}
