// Queues signed commands for devices and tracks them until they end.
import { Batch } from "../../base/async/batch.ts";
import { KeyedListeners } from "../../base/async/listeners.ts";
import type { Clock } from "../../base/clock.ts";
import { isAbort } from "../../base/fault.ts";
import type { DeviceCommand } from "../../protocol/device/command-request.ts";
import { finalStatuses, type CommandStatus, type CommandUpdate } from "../../protocol/device/commands.ts";
import type { EventJournal } from "../events/event-journal.ts";
import type { MakeId } from "../store/ids.ts";
import type { DeviceJournal, JournalEntry } from "./devices/device-journal.ts";
import { inChunks } from "../store/chunks.ts";
import { preparedQuery } from "../store/prepared-query.ts";
import { ProblemError } from "../http/problem.ts";
import type { Signer } from "./devices/signer.ts";
import type { Db, Store } from "../store/store.ts";
import type { CommandRow, PlayerRow } from "../store/tables.ts";
import { commandIdIn, createCommand } from "./command-signing.ts";
import { expireCommands, hasExpiredCommands } from "./command-expiry.ts";
import { canChangeTo, commandEvent, openStatuses } from "./command-status.ts";

const expiryCheckMs = 5_000;
const maxDeliveredBatch = 200;
// The response to a heartbeat must fit into one message of the socket; a signed command has about 500 bytes.
const maxInResponse = 50;
const openCommands = preparedQuery((db: Db, { playerId, now }: { playerId: string; now: number }) =>
  db
    .selectFrom("commands")
    .select(["id", "jws", "status"])
    .where("player_id", "=", playerId)
    .where("status", "in", openStatuses)
    .where("expires_at", ">", now)
    .orderBy("created_at")
    .orderBy("id")
    .limit(maxInResponse),
);

export interface CommandsDependencies {
  store: Store;
  clock: Clock;
  makeId: MakeId;
  signer: Signer;
  journal: DeviceJournal;
  events: EventJournal;
}

export class Commands {
  readonly #dependencies: CommandsDependencies;
  /** Signed commands that were sent. */
  readonly #delivered: Batch<string>;
  /** Called with the id of a command that has ended. */
  readonly #ended = new KeyedListeners<void>();

  constructor(dependencies: CommandsDependencies) {
    this.#dependencies = dependencies;
    this.#delivered = new Batch(maxDeliveredBatch, (all) => this.#storeDelivered(all));
  }

  /** Signs and queues a command. Send the journal entry after the commit. */
  async queue(db: Db, player: PlayerRow, request: DeviceCommand): Promise<{ row: CommandRow; entry: JournalEntry }> {
    const { rows, entries } = await this.queueAll(db, [player], request);
    return { row: rows[0]!, entry: entries[0]! };
  }

  /** Signs and queues one command per player. The rows have the order of the players. */
  async queueAll(db: Db, players: readonly PlayerRow[], request: DeviceCommand): Promise<{ rows: CommandRow[]; entries: JournalEntry[] }> {
    // All commands get the same time, so that the players stay synchronized.
    const now = Math.trunc(this.#dependencies.clock.now());
    const rows = players.map((player) => createCommand(this.#dependencies, player, request, now));
    for (const chunk of inChunks(rows)) await db.insertInto("commands").values(chunk).execute();
    await this.#dependencies.events.append(db, rows.map(commandEvent));
    const messages = rows.map(({ player_id: playerId, jws }) => ({
      playerId,
      message: { type: "command", data: { command: jws } } as const,
    }));
    return { rows, entries: await this.#dependencies.journal.appendAll(db, messages) };
  }

  /** The signed commands that a player has not acknowledged, oldest first. Marks them as delivered. */
  async pending(playerId: string): Promise<string[]> {
    const { store, clock } = this.#dependencies;
    const rows = await openCommands(store.db, { playerId, now: clock.now() });
    const queued = rows.filter((row) => row.status === "queued");
    await Promise.all(queued.map((row) => this.markDelivered(row.jws)));
    return rows.map((row) => row.jws);
  }

  markDelivered(jws: string): Promise<void> {
    return this.#delivered.add(jws);
  }

  async #storeDelivered(all: readonly string[]): Promise<void> {
    const { clock, events, store } = this.#dependencies;
    await store.write(async (db) => {
      const delivered = await db
        .updateTable("commands")
        .set({ status: "delivered", updated_at: Math.trunc(clock.now()) })
        .where("jws", "in", all)
        .where("id", "in", all.map(commandIdIn))
        .where("status", "=", "queued")
        .returningAll()
        .execute();
      await events.append(db, delivered.map(commandEvent));
    });
  }

  /**
   * Stores a status that a device reports. A repeated or older status changes nothing.
   * @throws ProblemError 404 when the command is not this player's.
   */
  async update(player: PlayerRow, commandId: string, update: CommandUpdate): Promise<void> {
    await this.#storeUpdate(player, commandId, update);
    if (finalStatuses.includes(update.status)) this.#ended.notify(commandId);
  }

  async #storeUpdate(player: PlayerRow, commandId: string, update: CommandUpdate): Promise<void> {
    const { clock, events, store } = this.#dependencies;
    await store.write(async (db) => {
      const row = await db
        .selectFrom("commands")
        .selectAll()
        .where("id", "=", commandId)
        .where("player_id", "=", player.id)
        .executeTakeFirst();
      if (row === undefined) throw new ProblemError("not-found", "This player has no such command");
      if (!canChangeTo(row, update.status)) return;
      const change = {
        status: update.status,
        result: update.result === null ? null : JSON.stringify(update.result),
        error: update.error === null ? null : JSON.stringify(update.error),
        updated_at: Math.trunc(clock.now()),
      };
      await db.updateTable("commands").set(change).where("id", "=", row.id).execute();
      await events.append(db, [commandEvent({ ...row, ...change })]);
    });
  }

  /** Ends commands that were not started in time or whose device stopped reporting an hour ago. */
  async expire(): Promise<void> {
    const { clock, events, store } = this.#dependencies;
    const now = Math.trunc(clock.now());
    if (!(await hasExpiredCommands(store.db, now))) return;
    const expired = await store.write(async (db) => {
      const rows = await expireCommands(db, now);
      await events.append(db, rows.map(commandEvent));
      return rows;
    });
    for (const { id } of expired) this.#ended.notify(id);
  }

  /**
   * Resolves when the player has reported the end of a command or it has expired, but after `maxMs` at the latest; the result is in
   * the command's row. A cancelled command is not noticed earlier. @throws AbortError when `signal` aborts.
   */
  async waitForEnd(commandId: string, maxMs: number, signal: AbortSignal): Promise<void> {
    const { clock, store } = this.#dependencies;
    const done = new AbortController();
    this.#ended.add(commandId, () => done.abort(), done.signal);
    try {
      // The command may have ended before the listener was added.
      const row = await store.db.selectFrom("commands").select("status").where("id", "=", commandId).executeTakeFirst();
      if (row === undefined || finalStatuses.includes(row.status as CommandStatus)) return;
      await clock.wait(maxMs, AbortSignal.any([done.signal, signal])).catch((error: unknown) => {
        if (!isAbort(error) || !done.signal.aborted) throw error;
      });
    } finally {
      done.abort();
    }
  }

  /** Cancels the commands that a deleted player has not started. */
  async cancelAll(db: Db, playerId: string): Promise<void> {
    const cancelled = await db
      .updateTable("commands")
      .set({ status: "cancelled", updated_at: Math.trunc(this.#dependencies.clock.now()) })
      .where("player_id", "=", playerId)
      .where("status", "in", openStatuses)
      .returningAll()
      .execute();
    await this.#dependencies.events.append(db, cancelled.map(commandEvent));
  }

  /** Calls {@link expire} regularly until `signal` aborts; rejects with an AbortError then. */
  async run(signal: AbortSignal): Promise<never> {
    for (;;) {
      await this.#dependencies.clock.wait(expiryCheckMs, signal);
      await this.expire();
    }
  }
}
