// The life of a command: queued, delivered, then what the device tells of it; and its end when its time has passed.
import { Batch } from "../../base/async/batch.ts";
import type { Clock } from "../../base/clock.ts";
import { isAbort } from "../../base/fault.ts";
import {
  finalStatuses,
  type Command,
  type CommandRequest,
  type CommandStatus,
  type CommandUpdate,
} from "../../protocol/device/commands.ts";
import type { EventJournal, NewEvent } from "../events/event-journal.ts";
import type { MakeId } from "../store/ids.ts";
import type { JournalEntry, DeviceJournal } from "./devices/device-journal.ts";
import { preparedQuery } from "../store/prepared-query.ts";
import { ProblemError } from "../http/problem.ts";
import type { Signer } from "./devices/signer.ts";
import type { Db, Store } from "../store/store.ts";
import type { CommandRow, PlayerRow } from "../store/tables.ts";
import { inChunks } from "../store/chunks.ts";

const sweepMs = 5_000;
const deliveredAtOnce = 200;
// A heartbeat's answer must fit in a message of the socket; a signed command has about 500 bytes.
const maxInAnswer = 50;
const open = ["queued", "delivered"];
const openCommands = preparedQuery((db: Db, { playerId, now }: { playerId: string; now: number }) =>
  db
    .selectFrom("commands")
    .select(["id", "jws", "status"])
    .where("player_id", "=", playerId)
    .where("status", "in", open)
    .where("expires_at", ">", now)
    .orderBy("created_at")
    .orderBy("id")
    .limit(maxInAnswer),
);
const begun = ["acknowledged", "running"];
// A device that has begun and then says nothing for so long, its command's time being over too, will not say more.
const silenceMs = 3_600_000;
const noAnswer = {
  code: "no-answer",
  detail: "The player began it and never told how it ended: it may have lost its power or its disk. See its heartbeat, then send it again",
};
const order: readonly CommandStatus[] = ["queued", "delivered", "acknowledged", "running"];

export interface CommandsDependencies {
  store: Store;
  clock: Clock;
  makeId: MakeId;
  signer: Signer;
  journal: DeviceJournal;
  events: EventJournal;
}

export class Commands {
  readonly #parts: CommandsDependencies;
  readonly #delivered: Batch<string>;
  /** Who waits for the end of a command. */
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(parts: CommandsDependencies) {
    this.#parts = parts;
    this.#delivered = new Batch(deliveredAtOnce, (all) => this.#noteDelivered(all));
  }

  /** Signs and queues a command; the entry is to be sent once it is committed. */
  async queue(db: Db, player: PlayerRow, request: CommandRequest): Promise<{ row: CommandRow; entry: JournalEntry }> {
    const { rows, entries } = await this.queueAll(db, [player], request);
    return { row: rows[0]!, entry: entries[0]! };
  }

  /** The same for many players: a command for each, in their order. */
  async queueAll(db: Db, players: readonly PlayerRow[], request: CommandRequest): Promise<{ rows: CommandRow[]; entries: JournalEntry[] }> {
    // One instant for all: what they do from then on, they do in step.
    const now = Math.trunc(this.#parts.clock.now());
    const rows = players.map((player) => this.#sign(player, request, now));
    for (const part of inChunks(rows)) await db.insertInto("commands").values(part).execute();
    await this.#parts.events.append(db, rows.map(eventOf));
    const messages = rows.map(({ player_id: playerId, jws }) => ({
      playerId,
      message: { type: "command", data: { command: jws } } as const,
    }));
    return { rows, entries: await this.#parts.journal.appendAll(db, messages) };
  }

  #sign(player: PlayerRow, request: CommandRequest, now: number): CommandRow {
    const { makeId, signer } = this.#parts;
    // Whole seconds are what a JWS holds: both ends of the life are told alike.
    const expiresAt = (Math.ceil(now / 1_000) + request.ttl_s) * 1_000;
    const id = makeId("cmd");
    const jws = signer.signCommand({
      sub: player.thumbprint,
      jti: id,
      iat: Math.trunc(now / 1_000),
      exp: expiresAt / 1_000,
      made_at: now,
      type: request.type,
      args: request.args,
    });
    return {
      id,
      team_id: player.team_id,
      player_id: player.id,
      type: request.type,
      args: JSON.stringify(request.args),
      status: "queued",
      result: null,
      error: null,
      jws,
      created_at: now,
      updated_at: now,
      expires_at: expiresAt,
    };
  }

  /** Signed commands that a player has not acknowledged, oldest first; they count as delivered from here on. */
  async pending(playerId: string): Promise<string[]> {
    const { store, clock } = this.#parts;
    const rows = await openCommands(store.db, { playerId, now: clock.now() });
    const queued = rows.filter((row) => row.status === "queued");
    await Promise.all(queued.map((row) => this.markDelivered(row.jws)));
    return rows.map((row) => row.jws);
  }

  /** Notes that a signed command was sent. */
  markDelivered(jws: string): Promise<void> {
    return this.#delivered.add(jws);
  }

  async #noteDelivered(all: readonly string[]): Promise<void> {
    const { clock, events, store } = this.#parts;
    await store.write(async (db) => {
      const moved = await db
        .updateTable("commands")
        .set({ status: "delivered", updated_at: Math.trunc(clock.now()) })
        .where("jws", "in", all)
        .where("id", "in", all.map(idIn))
        .where("status", "=", "queued")
        .returningAll()
        .execute();
      await events.append(db, moved.map(eventOf));
    });
  }

  /**
   * Takes in what a device tells. It only moves forward: an older or repeated word changes nothing.
   * @throws Refusal 404 when the command is not this player's.
   */
  async update(player: PlayerRow, commandId: string, update: CommandUpdate): Promise<void> {
    await this.#take(player, commandId, update);
    if (finalStatuses.includes(update.status)) this.#wake([commandId]);
  }

  async #take(player: PlayerRow, commandId: string, update: CommandUpdate): Promise<void> {
    await this.#parts.store.write(async (db) => {
      const row = await db
        .selectFrom("commands")
        .selectAll()
        .where("id", "=", commandId)
        .where("player_id", "=", player.id)
        .executeTakeFirst();
      if (row === undefined) throw new ProblemError("not-found", "This player has no such command");
      if (!isForward(row, update.status)) return;
      const result = update.result === null ? null : JSON.stringify(update.result);
      const error = update.error === null ? null : JSON.stringify(update.error);
      const updated_at = Math.trunc(this.#parts.clock.now());
      const change = { status: update.status, result, error, updated_at };
      await db.updateTable("commands").set(change).where("id", "=", row.id).execute();
      await this.#parts.events.append(db, [eventOf({ ...row, ...change })]);
    });
  }

  /** Ends the commands whose time has passed unbegun, and those begun of which nothing was heard for an hour since. */
  async expire(): Promise<void> {
    const { clock, events, store } = this.#parts;
    const now = Math.trunc(clock.now());
    const due = store.db.selectFrom("commands").select("id").where("status", "in", open).where("expires_at", "<=", now).limit(1);
    const silent = store.db
      .selectFrom("commands")
      .select("id")
      .where("status", "in", begun)
      .where("expires_at", "<=", now - silenceMs)
      .where("updated_at", "<=", now - silenceMs)
      .limit(1);
    // Asked first, since there is hardly ever one: a transaction for nothing would hold the others up.
    if ((await due.executeTakeFirst()) === undefined && (await silent.executeTakeFirst()) === undefined) return;
    const over = await store.write(async (db) => {
      const ended = await db
        .updateTable("commands")
        .set({ status: "expired", updated_at: now })
        .where("status", "in", open)
        .where("expires_at", "<=", now)
        .returningAll()
        .execute();
      const unheard = await db
        .updateTable("commands")
        .set({ status: "failed", error: JSON.stringify(noAnswer), updated_at: now })
        .where("status", "in", begun)
        .where("expires_at", "<=", now - silenceMs)
        .where("updated_at", "<=", now - silenceMs)
        .returningAll()
        .execute();
      await events.append(db, [...ended, ...unheard].map(eventOf));
      return [...ended, ...unheard].map(({ id }) => id);
    });
    this.#wake(over);
  }

  /**
   * Resolves when the player has told of a command's end, or it has expired, and after `mostMs` at the latest. How it ended is in
   * its row. One that was cancelled is not heard of before `mostMs`. @throws AbortError when `signal` aborts.
   */
  async waitForEnd(commandId: string, maxMs: number, signal: AbortSignal): Promise<void> {
    const { clock, store } = this.#parts;
    const done = new AbortController();
    const waiting = this.#waiting.get(commandId) ?? new Set();
    const wake = () => done.abort();
    this.#waiting.set(commandId, waiting.add(wake));
    try {
      // It may have ended before anybody waited.
      const row = await store.db.selectFrom("commands").select("status").where("id", "=", commandId).executeTakeFirst();
      if (row === undefined || finalStatuses.includes(row.status as CommandStatus)) return;
      await clock.wait(maxMs, AbortSignal.any([done.signal, signal])).catch((error: unknown) => {
        if (!isAbort(error) || !done.signal.aborted) throw error;
      });
    } finally {
      waiting.delete(wake);
      if (waiting.size === 0) this.#waiting.delete(commandId);
    }
  }

  #wake(commandIds: readonly string[]): void {
    for (const commandId of commandIds) for (const wake of this.#waiting.get(commandId) ?? []) wake();
  }

  /** Calls off what a removed player has not begun. */
  async cancelAll(db: Db, playerId: string): Promise<void> {
    const ended = await db
      .updateTable("commands")
      .set({ status: "cancelled", updated_at: Math.trunc(this.#parts.clock.now()) })
      .where("player_id", "=", playerId)
      .where("status", "in", open)
      .returningAll()
      .execute();
    await this.#parts.events.append(db, ended.map(eventOf));
  }

  /** Ends what has expired, again and again. Rejects with an AbortError when `signal` aborts. */
  async run(signal: AbortSignal): Promise<never> {
    for (;;) {
      await this.#parts.clock.wait(sweepMs, signal);
      await this.expire();
    }
  }
}

/** The command as REST shows it. */
export function showCommand(row: CommandRow): Command {
  return {
    id: row.id,
    player_id: row.player_id,
    type: row.type as Command["type"],
    args: JSON.parse(row.args) as Command["args"],
    status: row.status as CommandStatus,
    result: row.result === null ? null : (JSON.parse(row.result) as Command["result"]),
    error: row.error === null ? null : (JSON.parse(row.error) as Command["error"]),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
    expires_at: new Date(row.expires_at).toISOString(),
  };
}

function eventOf(row: CommandRow): NewEvent {
  const command = showCommand(row);
  return { teamId: row.team_id, type: `command.${command.status}`, data: { ...command }, players: [row.player_id] };
}

function isForward(row: CommandRow, to: CommandStatus): boolean {
  const from = row.status as CommandStatus;
  // It was begun in time or went on, only the word of it was late: what the device did is the truth.
  if (from === "expired") return to !== "expired";
  if (from === "failed" && row.error === JSON.stringify(noAnswer)) return finalStatuses.includes(to);
  if (finalStatuses.includes(from)) return false;
  return finalStatuses.includes(to) || order.indexOf(to) > order.indexOf(from);
}

/** The id that a command of our own making carries. */
function idIn(jws: string): string {
  const payload = JSON.parse(Buffer.from(jws.split(".")[1]!, "base64url").toString()) as { jti: string };
  return payload.jti;
}
