// What each device may have missed: messages numbered per player, kept until acknowledged, a day or a thousand.
import type { Clock } from "../../../base/clock.ts";
import type { MakeId } from "../../store/ids.ts";
import type { Db } from "../../store/store.ts";
import { inChunks } from "../../store/chunks.ts";

/** A message with a place in a device's journal. */
export type JournalMessage = { type: "state.changed"; data: { revision: string } } | { type: "command"; data: { command: string } };
export interface JournalEntry {
  playerId: string;
  seq: number;
  message: JournalMessage;
}

/** What a device missed; `resumed: false` when that is no longer known. */
export interface MissedMessages {
  resumed: boolean;
  entries: JournalEntry[];
  lastSeq: number;
}

const keptMs = 86_400_000;
const keptEntries = 1_000;

export class DeviceJournal {
  /** Names this journal; another one after the database was lost or replaced. */
  readonly epoch: string;
  readonly #clock: Clock;

  private constructor(epoch: string, clock: Clock) {
    this.epoch = epoch;
    this.#clock = clock;
  }

  static async open(db: Db, makeId: MakeId, clock: Clock): Promise<DeviceJournal> {
    const fresh = { key: "journal-epoch", value: makeId("evt") };
    await db
      .insertInto("meta")
      .values(fresh)
      .onConflict((conflict) => conflict.column("key").doNothing())
      .execute();
    const { value } = await db.selectFrom("meta").select("value").where("key", "=", fresh.key).executeTakeFirstOrThrow();
    return new DeviceJournal(value, clock);
  }

  /** Adds a message, in the transaction that makes it true. */
  async append(db: Db, playerId: string, message: JournalMessage): Promise<JournalEntry> {
    const [entry] = await this.appendAll(db, [{ playerId, message }]);
    return entry!;
  }

  /** Adds one message for each of many players, in the transaction that makes them true. */
  async appendAll(db: Db, messages: readonly Omit<JournalEntry, "seq">[]): Promise<JournalEntry[]> {
    const entries: JournalEntry[] = [];
    for (const part of inChunks(messages)) entries.push(...(await this.#appendPart(db, part)));
    return entries;
  }

  async #appendPart(db: Db, messages: readonly Omit<JournalEntry, "seq">[]): Promise<JournalEntry[]> {
    const places = await db
      .insertInto("journals")
      .values(messages.map(({ playerId }) => ({ player_id: playerId, last_seq: 1 })))
      .onConflict((conflict) => conflict.column("player_id").doUpdateSet((row) => ({ last_seq: row("journals.last_seq", "+", 1) })))
      .returning(["player_id", "last_seq", "trimmed_seq"])
      .execute();
    const byPlayer = new Map(places.map((place) => [place.player_id, place]));
    const entries = messages.map((each): JournalEntry => ({ ...each, seq: byPlayer.get(each.playerId)!.last_seq }));
    const at = Math.trunc(this.#clock.now());
    const rows = entries.map(({ playerId, seq, message }) => ({ player_id: playerId, seq, at, message: JSON.stringify(message) }));
    await db.insertInto("journal").values(rows).execute();
    // Who has acknowledged all that came before, as most have, has nothing to be trimmed.
    await this.#trim(
      db,
      places.filter((place) => place.trimmed_seq < place.last_seq - 1),
      at,
    );
    return entries;
  }

  async #trim(db: Db, places: readonly { player_id: string; trimmed_seq: number }[], at: number): Promise<void> {
    const trimmed = new Map(places.map((place) => [place.player_id, place.trimmed_seq]));
    if (trimmed.size === 0) return;
    const old = await db
      .selectFrom("journal")
      .innerJoin("journals", "journals.player_id", "journal.player_id")
      .select((row) => ["journal.player_id", row.fn.max<number>("journal.seq").as("seq")])
      .where("journal.player_id", "in", [...trimmed.keys()])
      .where((row) => row.or([row("journal.seq", "<=", row("journals.last_seq", "-", keptEntries)), row("journal.at", "<", at - keptMs)]))
      .groupBy("journal.player_id")
      .execute();
    for (const { player_id, seq } of old) if (seq > trimmed.get(player_id)!) await this.ack(db, player_id, seq);
  }

  /** What came after `lastSeq` of the journal `epoch`, oldest first. Of several hints only the newest still matters. */
  async since(db: Db, playerId: string, epoch: string | null, lastSeq: number): Promise<MissedMessages> {
    const place = await db.selectFrom("journals").selectAll().where("player_id", "=", playerId).executeTakeFirst();
    const { last_seq: newest, trimmed_seq: trimmed } = place ?? { last_seq: 0, trimmed_seq: 0 };
    if (epoch !== this.epoch || lastSeq < trimmed || lastSeq > newest) return { resumed: false, entries: [], lastSeq: newest };
    const rows = await db
      .selectFrom("journal")
      .select(["seq", "message"])
      .where("player_id", "=", playerId)
      .where("seq", ">", lastSeq)
      .orderBy("seq")
      .execute();
    const entries = rows.map((row): JournalEntry => ({ playerId, seq: row.seq, message: JSON.parse(row.message) as JournalMessage }));
    const newestHint = entries.findLast(({ message }) => message.type === "state.changed");
    const kept = entries.filter((entry) => entry.message.type !== "state.changed" || entry === newestHint);
    return { resumed: true, entries: kept, lastSeq: newest };
  }

  /** Drops everything up to `seq`: the device has handled it. One beyond the newest is a lie and changes nothing. */
  async ack(db: Db, playerId: string, seq: number): Promise<void> {
    const { numUpdatedRows } = await db
      .updateTable("journals")
      .set({ trimmed_seq: seq })
      .where("player_id", "=", playerId)
      .where("trimmed_seq", "<", seq)
      .where("last_seq", ">=", seq)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return;
    await db.deleteFrom("journal").where("player_id", "=", playerId).where("seq", "<=", seq).execute();
  }

  /** The same for many players, in one transaction: when all acknowledge at once, each on its own would cost the disk two syncs. */
  async ackAll(db: Db, acks: readonly { playerId: string; seq: number }[]): Promise<void> {
    for (const { playerId, seq } of acks) await this.ack(db, playerId, seq);
  }

  /** Forgets a player's journal. */
  async deletePlayer(db: Db, playerId: string): Promise<void> {
    await db.deleteFrom("journal").where("player_id", "=", playerId).execute();
    await db.deleteFrom("journals").where("player_id", "=", playerId).execute();
  }
}
