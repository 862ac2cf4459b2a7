// Reads and changes the rows of batches: their waves of players, the commands of a wave, and the event of each change.
import type { z } from "zod";
import { CommandRequest } from "../../../protocol/device/command-request.ts";
import type { CommandStatus } from "../../../protocol/device/commands.ts";
import type { CommandWaves } from "../../../protocol/operator/command-batches.ts";
import type { EventType } from "../../../protocol/operator/events.ts";
import type { WriteEvent } from "../../operations/unit-of-work.ts";
import { storeOverride } from "../../schedule/overrides.ts";
import type { CommandBatchRow, CommandRow, PlayerRow } from "../../store/tables/fleet.ts";
import { inChunks } from "../../store/chunks.ts";
import type { Db } from "../../store/store.ts";
import type { Commands } from "../commands/commands.ts";
import type { JournalEntry } from "../devices/device-journal.ts";
import type { WaveCounts } from "./gate.ts";

/** The commands of a wave, their journal entries, and the players whose desired states change. */
export interface BegunWave {
  rows: CommandRow[];
  entries: JournalEntry[];
  affected: PlayerRow[];
}

export function wavesOf({ settings }: Pick<CommandBatchRow, "settings">): CommandWaves {
  return JSON.parse(settings) as CommandWaves;
}

/** The size of each wave but the last. */
export function waveSize({ size, percent = 100 }: CommandWaves, players: number): number {
  return Math.max(1, size ?? Math.ceil((players * percent) / 100));
}

/** Stores a new batch and the waves of its players, in their order. */
export async function insertBatch(db: Db, row: CommandBatchRow, playerIds: readonly string[]): Promise<void> {
  await db.insertInto("command_batches").values(row).execute();
  const size = waveSize(wavesOf(row), playerIds.length);
  const members = playerIds.map((player_id, place) => ({ batch_id: row.id, wave: Math.floor(place / size), player_id }));
  for (const chunk of inChunks(members)) await db.insertInto("command_batch_players").values(chunk).execute();
}

/** Queues the commands of a wave for its players that are not deleted. */
export async function beginWave(db: Db, commands: Commands, batch: CommandBatchRow, wave: number): Promise<BegunWave> {
  const ids = db.selectFrom("command_batch_players").select("player_id").where("batch_id", "=", batch.id).where("wave", "=", wave);
  const rows = db.selectFrom("players").selectAll().where("removed_at", "is", null).where("id", "in", ids);
  const request = requestOf(batch);
  return queueWithOverrides(db, commands, await rows.orderBy("id").execute(), request, { batchId: batch.id, wave });
}

/** Queues one command per player, with the content that it needs there. */
export async function queueWithOverrides(
  db: Db,
  commands: Commands,
  players: readonly PlayerRow[],
  request: z.output<typeof CommandRequest>,
  batch: { batchId: string; wave: number } | null,
): Promise<BegunWave> {
  const { rows, entries } = await commands.queueAll(db, players, request, batch);
  const affected: PlayerRow[] = [];
  for (const [place, player] of players.entries()) {
    const { id, created_at } = rows[place]!;
    if (await storeOverride(db, player, id, request, created_at)) affected.push(player);
  }
  return { rows, entries, affected };
}

/** The commands of a batch, or of one of its waves, by status. */
export async function countCommands(db: Db, batchId: string, wave: number | null): Promise<WaveCounts> {
  let commands = db.selectFrom("commands").where("batch_id", "=", batchId);
  if (wave !== null) commands = commands.where("wave", "=", wave);
  const groups = commands.select((each) => ["status", each.fn.countAll<number>().as("count")]).groupBy("status");
  return Object.fromEntries((await groups.execute()).map(({ status, count }) => [status as CommandStatus, Number(count)]));
}

/** The commands of a batch that no device has got. */
export function queuedCommands(db: Db, batchId: string): Promise<{ id: string }[]> {
  return db.selectFrom("commands").select("id").where("batch_id", "=", batchId).where("status", "=", "queued").execute();
}

/** Stores new values of a batch, in the transaction of the change. */
export async function updateBatch(db: Db, row: CommandBatchRow, fields: Partial<CommandBatchRow>, now: number): Promise<CommandBatchRow> {
  const next = { ...row, ...fields, updated_at: now };
  await db.updateTable("command_batches").set(next).where("id", "=", row.id).execute();
  return next;
}

/** Cancels all batches of a team that have not ended. */
export async function cancelTeamBatches(db: Db, teamId: string, reason: string, now: number): Promise<void> {
  const cancelled = { state: "cancelled" as const, reason, updated_at: now, ended_at: now };
  await db.updateTable("command_batches").set(cancelled).where("team_id", "=", teamId).where("ended_at", "is", null).execute();
}

/** An event of a batch. It concerns no single player: a wave may have thousands, and each command has its own events. */
export function batchEvent(type: Extract<EventType, `batch.${string}`>, row: CommandBatchRow): WriteEvent {
  const { id, team_id: teamId, type: command_type, state, wave, wave_count, reason } = row;
  return { teamId, type, data: { batch_id: id, command_type, state, wave: wave + 1, wave_count, reason }, players: [] };
}

function requestOf({ type, args, ttl_s }: CommandBatchRow): z.output<typeof CommandRequest> {
  return CommandRequest.parse({ type, args: JSON.parse(args) as unknown, ttl_s });
}
