// Frames, signal, throttling and display in the minutes of heartbeats, and a summary of each hour.
import { migration } from "./statements.ts";

/** Of the telemetry database. */
export const heartbeatHoursMigration = migration([
  "ALTER TABLE heartbeat_minutes ADD COLUMN frames_presented BIGINT",
  "ALTER TABLE heartbeat_minutes ADD COLUMN frames_dropped BIGINT",
  "ALTER TABLE heartbeat_minutes ADD COLUMN frames_late BIGINT",
  "ALTER TABLE heartbeat_minutes ADD COLUMN page_memory_bytes_max BIGINT",
  "ALTER TABLE heartbeat_minutes ADD COLUMN signal_dbm_min DOUBLE PRECISION",
  "ALTER TABLE heartbeat_minutes ADD COLUMN throttled_minutes BIGINT",
  "ALTER TABLE heartbeat_minutes ADD COLUMN display_off_minutes BIGINT",
  `CREATE TABLE heartbeat_hours (player_id TEXT NOT NULL, hour BIGINT NOT NULL, minutes BIGINT NOT NULL, beats BIGINT NOT NULL,
    rendering BIGINT NOT NULL, cpu_load_max DOUBLE PRECISION NOT NULL, memory_bytes_max BIGINT NOT NULL, page_memory_bytes_max BIGINT,
    temperature_c_max DOUBLE PRECISION, disk_free_bytes_min BIGINT, clock_error_ms_max DOUBLE PRECISION, drift_ms_max DOUBLE PRECISION,
    frames_presented BIGINT, frames_dropped BIGINT, frames_late BIGINT, signal_dbm_min DOUBLE PRECISION, throttled_minutes BIGINT,
    display_off_minutes BIGINT, boot_id TEXT NOT NULL, uptime_ms BIGINT NOT NULL, revision TEXT, PRIMARY KEY (player_id, hour))`,
  "CREATE INDEX heartbeat_hours_by_age ON heartbeat_hours (hour)",
]);
