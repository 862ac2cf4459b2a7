// The messages to each device, numbered per player, so that a device that reconnects gets those it missed. Kept until acknowledged, for a
// day at most, and at most a thousand per player.
import { sql } from "kysely";
import type { Clock } from "../../../base/clock.ts";
import { dayMs } from "../../../base/time.ts";
import type { Nodes } from "../../nodes/nodes.ts";
import { isOneOf, numbersByKey, textList } from "../../store/dialect.ts";
import { openEpoch } from "../../store/epoch.ts";
import type { MakeId } from "../../store/ids.ts";
import type { Db } from "../../store/store.ts";
import { inChunks } from "../../store/chunks.ts";

/** A message that a device must not miss. */
export type JournalMessage = { type: "state.changed"; data: { revision: string } } | { type: "command"; data: { command: string } };

export interface JournalEntry {
  playerId: string;
  seq: number;
  message: JournalMessage;
}

/** The messages that a device missed. `resumed: false`: they are no longer stored. */
export interface MissedMessages {
  resumed: boolean;
  entries: JournalEntry[];
  lastSeq: number;
}

const retentionMs = dayMs;
const maxEntries = 1_000;

export class DeviceJournal {
  /** Identifies this journal. It changes when the database is lost or replaced. */
  readonly epoch: string;
  readonly #clock: Clock;
  readonly #nodes: Nodes;

  private constructor(epoch: string, clock: Clock, nodes: Nodes) {
    this.epoch = epoch;
    this.#clock = clock;
    this.#nodes = nodes;
  }

  static async open(db: Db, makeId: MakeId, clock: Clock, nodes: Nodes): Promise<DeviceJournal> {
    return new DeviceJournal(await openEpoch(db, makeId), clock, nodes);
  }

  /** Appends a message, in the transaction of the change. */
  async append(db: Db, playerId: string, message: JournalMessage): Promise<JournalEntry> {
    const [entry] = await this.appendAll(db, [{ playerId, message }]);
    return entry!;
  }

  /** Appends messages, at most one for each player, in the transaction of the change. */
  async appendAll(db: Db, messages: readonly Omit<JournalEntry, "seq">[]): Promise<JournalEntry[]> {
    const entries: JournalEntry[] = [];
    for (const chunk of inChunks(messages)) entries.push(...(await this.#appendChunk(db, chunk)));
    return entries;
  }

  async #appendChunk(db: Db, messages: readonly Omit<JournalEntry, "seq">[]): Promise<JournalEntry[]> {
    const positions = await db
      .insertInto("journals")
      .values(messages.map(({ playerId }) => ({ player_id: playerId, last_seq: 1 })))
      .onConflict((conflict) => conflict.column("player_id").doUpdateSet((row) => ({ last_seq: row("journals.last_seq", "+", 1) })))
      .returning(["player_id", "last_seq", "trimmed_seq"])
      .execute();
    const byPlayer = new Map(positions.map((position) => [position.player_id, position]));
    const entries = messages.map((each): JournalEntry => ({ ...each, seq: byPlayer.get(each.playerId)!.last_seq }));
    const at = Math.trunc(this.#clock.now());
    const rows = entries.map(({ playerId, seq, message }) => ({ player_id: playerId, seq, at, message: JSON.stringify(message) }));
    await db.insertInto("journal").values(rows).execute();
    await this.#nodes.announce(db, "players.changed", { playerIds: entries.map(({ playerId }) => playerId) });
    // Most players have acknowledged all earlier entries, and need no trimming.
    await this.#trim(
      db,
      positions.filter((position) => position.trimmed_seq < position.last_seq - 1),
      at,
    );
    return entries;
  }

  async #trim(db: Db, positions: readonly { player_id: string; trimmed_seq: number }[], at: number): Promise<void> {
    const trimmed = new Map(positions.map((position) => [position.player_id, position.trimmed_seq]));
    if (trimmed.size === 0) return;
    const old = await db
      .selectFrom("journal")
      .innerJoin("journals", "journals.player_id", "journal.player_id")
      .select((row) => ["journal.player_id", row.fn.max<number>("journal.seq").as("seq")])
      .where("journal.player_id", "in", [...trimmed.keys()])
      .where((row) =>
        row.or([row("journal.seq", "<=", row("journals.last_seq", "-", maxEntries)), row("journal.at", "<", at - retentionMs)]),
      )
      .groupBy("journal.player_id")
      .execute();
    for (const { player_id, seq } of old) if (seq > trimmed.get(player_id)!) await this.ack(db, player_id, seq);
  }

  /** The entries after `lastSeq` of the journal `epoch`, oldest first. Of several `state.changed` only the newest is included. */
  async since(db: Db, playerId: string, epoch: string | null, lastSeq: number): Promise<MissedMessages> {
    const position = await db.selectFrom("journals").selectAll().where("player_id", "=", playerId).executeTakeFirst();
    const { last_seq: newest, trimmed_seq: trimmed } = position ?? { last_seq: 0, trimmed_seq: 0 };
    if (epoch !== this.epoch || lastSeq < trimmed || lastSeq > newest) return { resumed: false, entries: [], lastSeq: newest };
    const rows = await db
      .selectFrom("journal")
      .select(["seq", "message"])
      .where("player_id", "=", playerId)
      .where("seq", ">", lastSeq)
      .orderBy("seq")
      .execute();
    const entries = rows.map((row): JournalEntry => ({ playerId, seq: row.seq, message: JSON.parse(row.message) as JournalMessage }));
    // An entry may have been added after the position was read.
    const last = Math.max(newest, entries.at(-1)?.seq ?? 0);
    const newestHint = entries.findLast(({ message }) => message.type === "state.changed");
    const kept = entries.filter((entry) => entry.message.type !== "state.changed" || entry === newestHint);
    return { resumed: true, entries: kept, lastSeq: last };
  }

  /** All entries that these players have not acknowledged, in their order. */
  async unacknowledged(db: Db, playerIds: readonly string[]): Promise<JournalEntry[]> {
    const rows = await db
      .selectFrom("journal")
      .select(["player_id", "seq", "message"])
      .where("player_id", "in", playerIds)
      .orderBy("player_id")
      .orderBy("seq")
      .execute();
    return rows.map((row) => ({ playerId: row.player_id, seq: row.seq, message: JSON.parse(row.message) as JournalMessage }));
  }

  /** Deletes the entries up to `seq`, which the device has handled. A `seq` after the last entry is invalid and ignored. */
  ack(db: Db, playerId: string, seq: number): Promise<void> {
    return this.ackAll(db, [{ playerId, seq }]);
  }

  /** Acknowledges for many players in one transaction: one fsync per player is too slow when a fleet acknowledges at the same time. */
  async ackAll(db: Db, acks: readonly { playerId: string; seq: number }[]): Promise<void> {
    const newest = new Map<string, number>();
    for (const { playerId, seq } of acks) newest.set(playerId, Math.max(seq, newest.get(playerId) ?? 0));
    if (newest.size > 0) await deleteAcknowledged(db, [...newest]);
  }

  /**
   * Deletes the entries of a player whose device is revoked, on whatever node its socket is. The numbers go on: a socket that stays open,
   * because the device is the same again, takes no later entry for one that it has sent.
   */
  async clear(db: Db, playerId: string): Promise<void> {
    await db.deleteFrom("journal").where("player_id", "=", playerId).execute();
    await db
      .updateTable("journals")
      .set((row) => ({ trimmed_seq: row.ref("last_seq") }))
      .where("player_id", "=", playerId)
      .execute();
    await this.#nodes.announce(db, "players.changed", { playerIds: [playerId] });
  }
}

/** Moves the positions of players to their acknowledged entries, and deletes the entries up to there. */
async function deleteAcknowledged(db: Db, acks: readonly (readonly [playerId: string, seq: number])[]): Promise<void> {
  const { rows: moved } = await sql<{ player_id: string }>`update journals set trimmed_seq = acks.number
    from ${numbersByKey(db, acks)} as acks
    where journals.player_id = acks.key and journals.trimmed_seq < acks.number and journals.last_seq >= acks.number
    returning journals.player_id`.execute(db);
  if (moved.length === 0) return;
  const ids = textList(
    db,
    moved.map(({ player_id }) => player_id),
  );
  await sql`delete from journal where ${isOneOf(db, "player_id", ids)}
    and seq <= (select trimmed_seq from journals where journals.player_id = journal.player_id)`.execute(db);
}
