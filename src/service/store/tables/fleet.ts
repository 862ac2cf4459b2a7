// Players, the messages to them, and the data that they send.
import type { CommandBatchState } from "../../../protocol/operator/command-batches.ts";
import type { RolloutPlayerState, RolloutStatus } from "../../../protocol/operator/rollouts.ts";
import type { OwnedRow } from "./owned-row.ts";

export interface PlayerRow extends OwnedRow {
  name: string;
  layout_id: string | null;
  tags: string;
  timezone: string | null;
  /** JSON object of the variables that conditions of schedules and items use. */
  variables: string;
  orientation: string;
  /** JSON of the part of a video wall that it shows, or null. */
  wall: string | null;
  /** The picture in place of withheld content; null: that of the team. */
  safe_asset_id: string | null;
  /** JSON of the limits of its downloads, or null. */
  downloads: string | null;
  /** JSON of the version that it should run, or null. */
  release: string | null;
  /** JSON of the hours in which its display is on, or null. */
  display_hours: string | null;
  /** JSON array of the commands that it runs by itself. */
  recurring_commands: string;
  /** JSON of its own screenshots and their redaction, or null. */
  screenshots: string | null;
  /** Until when it raises no alerts. */
  maintenance_until: number | null;
  public_key: string;
  thumbprint: string;
  /** JSON of the pairing request, in which the device described itself. */
  reported: string;
  /** The revision of its desired state. Changes only with the state. */
  revision: string;
  updated_at: number;
  /** Set when it was removed. The row is never deleted, so that the service can send the device a signed notice. */
  removed_at: number | null;
  /** Set when it has left the bin and its data is deleted. */
  erased_at: number | null;
}

/** The last reported status of a player. */
export interface PlayerLinkRow {
  player_id: string;
  is_online: number;
  since: number;
  error: string | null;
  problems: string;
}

/** The content of an override, needed on the player until the override is cleared. */
export interface OverrideRow {
  command_id: string;
  team_id: string;
  player_id: string;
  layout_id: string | null;
  asset_id: string | null;
  created_at: number;
  expires_at: number | null;
  /** The show that it belongs to, an emergency; null: it was set by a command alone. */
  show_id: string | null;
}

export interface CommandRow extends OwnedRow {
  player_id: string;
  type: string;
  args: string;
  status: string;
  result: string | null;
  error: string | null;
  /** The signed message for the device. */
  jws: string;
  updated_at: number;
  expires_at: number;
  /** JSON lines of its statuses. Empty: stored by a version that kept only the last one. */
  history: string;
  /** When an operator cancelled it: a device that has not received it must not get it any more. */
  cancel_requested_at: number | null;
  /** The batch and its wave, counted from 0; null: it was sent by itself. */
  batch_id: string | null;
  wave: number | null;
}

export interface ScreenshotRow extends OwnedRow {
  player_id: string;
  command_id: string | null;
  mime_type: string;
  size_bytes: number;
  sha256: string;
  width: number;
  height: number;
  captured_at: number;
}

/** A log that a player sent. Its text is a blob. */
export interface CollectedLogRow extends OwnedRow {
  player_id: string;
  command_id: string | null;
  size_bytes: number;
  sha256: string;
  captured_at: number;
}

/** A problem of a player, as it recorded it. Times in ms since the Unix epoch, from the player's corrected clock. */
export interface ProblemRecordRow {
  player_id: string;
  id: string;
  code: string;
  zone_id: string | null;
  item_id: string | null;
  detail: string;
  remedy: string;
  started_at: number;
  /** Null while it lasts. */
  ended_at: number | null;
  times: number;
  /** By the service's clock. */
  received_at: number;
}

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

/** A key by which devices become players. Counts and booleans are numbers. */
export interface EnrolmentKeyRow extends OwnedRow {
  name: string;
  /** The hash of the key. */
  hash: string;
  /** The key's last four characters. */
  hint: string;
  /** JSON array, for its players. */
  tags: string;
  layout_id: string | null;
  name_pattern: string;
  max_count: number;
  /** How many players it has created. */
  used_count: number;
  /** How often a machine took its player again. */
  returned_count: number;
  /** 0 or 1. */
  replace_by_serial: number;
  /** The user and the token that created it: enrolments are audited in their name. */
  created_by: string;
  token_id: string;
  updated_at: number;
  expires_at: number;
  revoked_at: number | null;
  last_used_at: number | null;
  refused_count: number;
  /** JSON of an EnrolmentRefusal. */
  last_refusal: string | null;
}

/** The machine that was enrolled as a player. */
export interface EnrolmentRow {
  player_id: string;
  key_id: string;
  /** Null: unknown, or a placeholder. */
  serial: string | null;
  mac: string | null;
  enrolled_at: number;
}

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

/** The picture that the viewers of a stream at one node ask for. */
interface LiveViewersRow {
  stream_id: string;
  /** Of the viewers. */
  node_id: string;
  player_id: string;
  /** The command that started the stream; empty: it is not stored yet. */
  command_id: string;
  fps: number;
  width: number;
  quality: number;
  /** By the database's clock. The node writes it again and again. */
  until: number;
}

/** The newest frame of a stream. */
interface LiveFrameRow {
  stream_id: string;
  /** The node that received it. */
  node_id: string;
  /** Counts the frames. */
  number: number;
  frame: Buffer;
}

export interface LiveTables {
  live_viewers: LiveViewersRow;
  live_frames: LiveFrameRow;
}
