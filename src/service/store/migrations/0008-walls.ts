// Video walls: the part of a wall that a player shows. And how far its clips were from the clock.
import { migration } from "./statements.ts";

export const wallsMigration = migration(["ALTER TABLE players ADD COLUMN wall TEXT"]);
export const wallsTelemetryMigration = migration(["ALTER TABLE heartbeat_minutes ADD COLUMN drift_ms_max DOUBLE PRECISION"]);
