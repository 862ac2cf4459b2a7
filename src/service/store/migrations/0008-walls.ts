// The part of a video wall that a player shows, and the clock drift of its clips.
import { migration } from "./statements.ts";

export const wallsMigration = migration(["ALTER TABLE players ADD COLUMN wall TEXT"]);
export const wallsTelemetryMigration = migration(["ALTER TABLE heartbeat_minutes ADD COLUMN drift_ms_max DOUBLE PRECISION"]);
