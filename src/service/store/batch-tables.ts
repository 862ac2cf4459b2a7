// The rows of commands in waves.
import type { CommandBatchState } from "../../protocol/operator/command-batches.ts";
import type { OwnedRow } from "./owned-row.ts";

export interface CommandBatchRow extends OwnedRow {
  type: string;
  args: string;
  ttl_s: number;
  /** JSON of its waves, as requested. */
  settings: string;
  state: CommandBatchState;
  reason: string | null;
  /** The current wave, counted from 0. */
  wave: number;
  wave_count: number;
  /** The players of all waves. */
  player_count: number;
  wave_started_at: number;
  /** When the commands of the current wave had ended; null: they have not. */
  wave_ended_at: number | null;
  /** 1 once an operator has resumed it after the current wave had failed. */
  is_forgiven: number;
  updated_at: number;
  ended_at: number | null;
}

/** A player of a wave, whether the wave has begun or not. */
export interface CommandBatchPlayerRow {
  batch_id: string;
  /** Counted from 0. */
  wave: number;
  player_id: string;
}
