// Queues signed commands for devices and tracks them until they end.
import { Batch } from "../../../base/async/batch.ts";
import { KeyedListeners } from "../../../base/async/listeners.ts";
import { Signal } from "../../../base/async/signal.ts";
import type { Clock } from "../../../base/clock.ts";
import { isAbort } from "../../../base/fault.ts";
import type { DeviceCommand } from "../../../protocol/device/command-request.ts";
import { finalStatuses, type CommandStatus, type CommandUpdate } from "../../../protocol/device/commands.ts";
import type { EventJournal } from "../../events/event-journal.ts";
import type { MakeId } from "../../store/ids.ts";
import type { DeviceJournal, JournalEntry } from "../devices/device-journal.ts";
import { inChunks } from "../../store/chunks.ts";
import type { Nodes } from "../../nodes/nodes.ts";
import { ProblemError } from "../../http/problem.ts";
import type { Signer } from "../devices/signer.ts";
import type { Db, Store } from "../../store/store.ts";
import type { CommandRow, PlayerRow } from "../../store/tables/fleet.ts";
import { commandIdIn, createCommand, type CommandWave } from "./signing.ts";
import { historyLine, withLine } from "./history.ts";
import { expireCommands, hasExpiredCommands } from "./expiry.ts";
import { openCommands } from "./open-commands.ts";
import { canChangeTo, commandEvent, isEndOfCommand, openStatuses } from "./status.ts";

const expiryCheckMs = 5_000;
const maxDeliveredBatch = 200;

export interface CommandsDependencies {
  store: Store;
  clock: Clock;
  makeId: MakeId;
  nodes: Nodes;
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
  /** Notified when commands of batches have ended. */
  readonly batchWake = new Signal();

  constructor(dependencies: CommandsDependencies) {
    this.#dependencies = dependencies;
    this.#delivered = new Batch(maxDeliveredBatch, (all) => this.#storeDelivered(all));
    const { events, nodes } = dependencies;
    // Every status is stored together with its event.
    events.onAppended(async (db, _teamId, appended) => {
      const ended = appended.filter(isEndOfCommand).map(({ data }) => data as { id: string; batch_id: string | null });
      if (ended.length === 0) return;
      const commandIds = ended.map(({ id }) => id);
      await nodes.announce(db, "commands.ended", { commandIds, hasBatches: ended.some(({ batch_id }) => batch_id !== null) });
    });
    nodes.onAnnounced("commands.ended", ({ commandIds, hasBatches }) => {
      for (const id of commandIds) this.#ended.notify(id);
      if (hasBatches) this.batchWake.notify();
    });
    nodes.onMissed(() => this.#findEnded());
  }

  /** Signs and queues a command. Send the journal entry after the commit. */
  async queue(db: Db, player: PlayerRow, request: DeviceCommand): Promise<{ row: CommandRow; entry: JournalEntry }> {
    const { rows, entries } = await this.queueAll(db, [player], request);
    return { row: rows[0]!, entry: entries[0]! };
  }

  /**
   * Signs and queues one command per player. The rows have the order of the players.
   * @param request the same for all, or one for each.
   */
  async queueAll(
    db: Db,
    players: readonly PlayerRow[],
    request: DeviceCommand | ((player: PlayerRow) => DeviceCommand),
    batch: CommandWave | null = null,
  ): Promise<{ rows: CommandRow[]; entries: JournalEntry[] }> {
    // All commands get the same time, so that the players stay synchronized.
    const now = Math.trunc(this.#dependencies.clock.now());
    const requestOf = typeof request === "function" ? request : () => request;
    const rows = await Promise.all(players.map((player) => createCommand(this.#dependencies, player, requestOf(player), now, batch)));
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
    const rows = await openCommands(store.db, { playerId, now: Math.trunc(clock.now()) });
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
      const now = Math.trunc(clock.now());
      const delivered = await db
        .updateTable("commands")
        .set({ status: "delivered", updated_at: now, history: withLine(historyLine("delivered", now)) })
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
    const row = await this.#storeUpdate(player, commandId, update);
    if (row !== null && finalStatuses.includes(update.status)) this.markEnded([row]);
  }

  /** Wakes whoever waits for the end of these commands. Call it after the commit. */
  markEnded(rows: readonly Pick<CommandRow, "id" | "batch_id">[]): void {
    for (const { id } of rows) this.#ended.notify(id);
    if (rows.some(({ batch_id }) => batch_id !== null)) this.batchWake.notify();
  }

  /** @returns the changed row; null if the report changes nothing. */
  async #storeUpdate(player: PlayerRow, commandId: string, update: CommandUpdate): Promise<CommandRow | null> {
    const { clock, events, store } = this.#dependencies;
    return store.write(async (db) => {
      const row = await db
        .selectFrom("commands")
        .selectAll()
        .where("id", "=", commandId)
        .where("player_id", "=", player.id)
        .executeTakeFirst();
      if (row === undefined) throw new ProblemError("not-found", "This screen has no such command");
      if (!canChangeTo(row, update.status)) return null;
      const now = Math.trunc(clock.now());
      const change = {
        status: update.status,
        result: update.result === null ? null : JSON.stringify(update.result),
        error: update.error === null ? null : JSON.stringify(update.error),
        updated_at: now,
        history: row.history + historyLine(update.status, now, update.error?.detail ?? null),
      };
      await db.updateTable("commands").set(change).where("id", "=", row.id).execute();
      const changed = { ...row, ...change };
      await events.append(db, [commandEvent(changed)]);
      return changed;
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
    this.markEnded(expired);
  }

  /**
   * Resolves when the player has reported the end of a command or it has expired, but after `maxMs` at the latest; the result is in
   * the command's row. @throws AbortError when `signal` aborts.
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

  /** Wakes whoever waits for commands that have ended meanwhile. */
  async #findEnded(): Promise<void> {
    for (const ids of inChunks([...this.#ended.keys()])) {
      const ended = this.#dependencies.store.db.selectFrom("commands").select("id").where("id", "in", ids);
      for (const { id } of await ended.where("status", "in", finalStatuses).execute()) this.#ended.notify(id);
    }
    this.batchWake.notify();
  }

  /** Cancels the commands that a deleted player has not started. */
  async cancelAll(db: Db, playerId: string): Promise<void> {
    const now = Math.trunc(this.#dependencies.clock.now());
    const history = withLine(historyLine("cancelled", now, "The screen was deleted, or got another device"));
    const cancelled = await db
      .updateTable("commands")
      .set({ status: "cancelled", updated_at: now, history })
      .where("player_id", "=", playerId)
      .where("status", "in", openStatuses)
      .returningAll()
      .execute();
    await this.#dependencies.events.append(db, cancelled.map(commandEvent));
  }

  /** The messages without commands that were cancelled meanwhile. */
  async withoutCancelled(entries: readonly JournalEntry[]): Promise<JournalEntry[]> {
    const idOf = ({ message }: JournalEntry): string | null => (message.type === "command" ? commandIdIn(message.data.command) : null);
    const ids = entries.flatMap((entry) => idOf(entry) ?? []);
    const cancelled = new Set<string | null>();
    for (const chunk of inChunks(ids)) {
      const rows = this.#dependencies.store.db.selectFrom("commands").select("id").where("id", "in", chunk);
      for (const { id } of await rows.where("cancel_requested_at", "is not", null).execute()) cancelled.add(id);
    }
    return entries.filter((entry) => !cancelled.has(idOf(entry)));
  }

  /** Calls {@link expire} regularly until `signal` aborts; rejects with an AbortError then. */
  async run(signal: AbortSignal): Promise<never> {
    for (;;) {
      await this.#dependencies.clock.wait(expiryCheckMs, signal);
      await this.expire();
    }
  }
}
