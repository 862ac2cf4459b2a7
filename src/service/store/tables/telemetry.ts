// The tables of the telemetry and the play events' databases.
import type { Generated } from "kysely";

/** The heartbeats of a minute or an hour. A measurement is null if no heartbeat had it. */
interface HeartbeatSummary {
  player_id: string;
  beats: number;
  /** The number of heartbeats that reported presented frames. */
  rendering: number;
  cpu_load_max: number;
  memory_bytes_max: number;
  page_memory_bytes_max: number | null;
  temperature_c_max: number | null;
  disk_free_bytes_min: number | null;
  clock_error_ms_max: number | null;
  drift_ms_max: number | null;
  /** Sums. */
  frames_presented: number | null;
  frames_dropped: number | null;
  frames_late: number | null;
  signal_dbm_min: number | null;
  /** The number of minutes in which the processor was slowed down, or the display was off. */
  throttled_minutes: number | null;
  display_off_minutes: number | null;
  /** From the last heartbeat. */
  boot_id: string;
  uptime_ms: number;
  revision: string | null;
}

/** The latest heartbeat of a player. */
export interface HeartbeatRow {
  player_id: string;
  received_at: number;
  body: string;
  /** The node that received it, and how the player is connected there; null on a service of one process, as the next one. */
  node_id: Generated<string | null>;
  link: Generated<"socket" | "poll" | "gone" | null>;
  /** When the row was changed, by the database's clock. */
  changed_at: Generated<number | null>;
}

/** One minute of a player's heartbeats. */
export interface HeartbeatMinuteRow extends HeartbeatSummary {
  /** Minutes since the Unix epoch. */
  minute: number;
}

/** One hour of a player's heartbeats. */
export interface HeartbeatHourRow extends HeartbeatSummary {
  /** Hours since the Unix epoch. */
  hour: number;
  /** Minutes with a heartbeat. */
  minutes: number;
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
  heartbeats: HeartbeatRow;
  heartbeat_minutes: HeartbeatMinuteRow;
  heartbeat_hours: HeartbeatHourRow;
}
