// The rows of rollouts.
import type { RolloutPlayerState, RolloutStatus } from "../../protocol/operator/rollouts.ts";
import type { OwnedRow } from "./owned-row.ts";

export interface RolloutRow extends OwnedRow {
  name: string;
  version: string;
  status: RolloutStatus;
  reason: string | null;
  /** JSON of its rings and limits. */
  settings: string;
  /** The current ring, counted from 0. */
  ring: number;
  ring_started_at: number;
  /** When the players of the current ring had finished; null: they have not. */
  ring_done_at: number | null;
  updated_at: number;
  ended_at: number | null;
}

/** A player that a rollout has reached. */
export interface RolloutPlayerRow {
  rollout_id: string;
  player_id: string;
  team_id: string;
  /** Counted from 0. */
  ring: number;
  /** As the heartbeats of the player report it; `offline` only once the rollout has ended. */
  state: RolloutPlayerState;
  detail: string | null;
  /** 1 while the rollout decides the player's version; a player has one such row at most. */
  is_active: number;
  /** 1 while the player's release is that of the rollout; 0 after a halt, for those that had not begun. */
  is_assigned: number;
  /** The version that it ran when it was assigned; null: not known. */
  previous_version: string | null;
  /** JSON of its release before, or null. */
  previous_release: string | null;
  /** When the attempt of its latest state began, as the player reports it. */
  attempt_at: string | null;
  /** An attempt from before the assignment, which does not count. */
  ignored_attempt_at: string | null;
  assigned_at: number;
  changed_at: number;
}
