// Shows a batch of commands with its progress as the API does.
import { iso } from "../../../base/time.ts";
import type { CommandBatch, CommandBatchProgress } from "../../../protocol/operator/command-batches.ts";
import type { CommandBatchRow } from "../../store/tables/fleet.ts";
import type { Db } from "../../store/store.ts";
import { countCommands, wavesOf } from "./batch-rows.ts";

const none: CommandBatchProgress = {
  waiting: 0,
  queued: 0,
  delivered: 0,
  acknowledged: 0,
  running: 0,
  succeeded: 0,
  failed: 0,
  rejected: 0,
  expired: 0,
  cancelled: 0,
};

export async function showBatch(db: Db, row: CommandBatchRow): Promise<CommandBatch> {
  const waves = wavesOf(row);
  const later = db.selectFrom("command_batch_players").where("batch_id", "=", row.id).where("wave", ">", row.wave);
  const waiting = await later.select((each) => each.fn.countAll<number>().as("count")).executeTakeFirstOrThrow();
  const isPaused = row.state === "running" && row.wave_ended_at !== null;
  return {
    id: row.id,
    team_id: row.team_id,
    type: row.type as CommandBatch["type"],
    args: JSON.parse(row.args) as CommandBatch["args"],
    ttl_s: row.ttl_s,
    waves,
    state: row.state,
    reason: row.reason,
    wave: row.wave + 1,
    wave_count: row.wave_count,
    wave_started_at: iso(row.wave_started_at),
    next_wave_at: isPaused ? iso(row.wave_ended_at! + waves.pause_between_s * 1_000) : null,
    players: row.player_count,
    progress: { ...none, ...(await countCommands(db, row.id, null)), waiting: Number(waiting.count) },
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
    ended_at: iso(row.ended_at),
  };
}
