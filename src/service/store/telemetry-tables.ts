// The tables of the telemetry and the play events' databases.

/** One minute of a player's heartbeats. */
export interface HeartbeatMinuteRow {
  player_id: string;
  /** Minutes since the Unix epoch. */
  minute: number;
  beats: number;
  /** The number of heartbeats that reported presented frames. */
  rendering: number;
  cpu_load_max: number;
  memory_bytes_max: number;
  temperature_c_max: number | null;
  disk_free_bytes_min: number | null;
  clock_error_ms_max: number | null;
  drift_ms_max: number | null;
  /** From the last heartbeat of the minute. */
  boot_id: string;
  uptime_ms: number;
  revision: string | null;
}

/** A play event. Times in ms since the Unix epoch, from the player's corrected clock. */
export interface PlayEventRow {
  player_id: string;
  id: string;
  team_id: string;
  layout_id: string;
  schedule_id: string | null;
  override_id: string | null;
  /** Null: an older player did not report it. */
  layer: string | null;
  zone_id: string;
  item_id: string;
  asset_id: string | null;
  result: string;
  started_at: number;
  duration_ms: number;
  received_at: number;
  /** JSON of the fields that no query filters by. */
  details: string;
}

/** The tables of the play events' database. */
export interface PlayEventTables {
  play_events: PlayEventRow;
}

/** The tables of the telemetry database, whose last second a power cut may lose. */
export interface TelemetryTables {
  heartbeats: { player_id: string; received_at: number; body: string };
  heartbeat_minutes: HeartbeatMinuteRow;
}
