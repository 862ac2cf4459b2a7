// Schedules and overrides.
import { migration, owned } from "./statements.ts";

export const schedulesMigration = migration([
  `CREATE TABLE schedules (${owned}, name TEXT NOT NULL, layout_id TEXT NOT NULL, target_type TEXT NOT NULL,
    target_value TEXT NOT NULL, timing TEXT NOT NULL, updated_at BIGINT NOT NULL)`,
  "CREATE INDEX schedules_by_age ON schedules (team_id, created_at, id)",
  "CREATE INDEX schedules_by_layout ON schedules (layout_id)",
  "CREATE INDEX schedules_by_target ON schedules (team_id, target_type, target_value)",
  `CREATE TABLE overrides (command_id TEXT PRIMARY KEY, team_id TEXT NOT NULL, player_id TEXT NOT NULL, layout_id TEXT,
    asset_id TEXT, created_at BIGINT NOT NULL, expires_at BIGINT)`,
  "CREATE INDEX overrides_by_player ON overrides (player_id)",
  "CREATE INDEX overrides_by_layout ON overrides (layout_id)",
  "ALTER TABLE players ADD COLUMN variables TEXT NOT NULL DEFAULT '{}'",
  // Tokens that may change layouts may also change schedules.
  `UPDATE tokens SET scopes = REPLACE(scopes, '"layouts:write"', '"layouts:write","schedules:read","schedules:write"')`,
]);
