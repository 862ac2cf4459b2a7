// The creators of shows, and the overrides of emergencies.
import { migration } from "./statements.ts";

export const showEmergenciesMigration = migration([
  "ALTER TABLE shows ADD COLUMN user_id TEXT",
  "ALTER TABLE shows ADD COLUMN is_emergency BIGINT NOT NULL DEFAULT 0",
  "ALTER TABLE overrides ADD COLUMN show_id TEXT",
  "CREATE INDEX overrides_by_show ON overrides (show_id) WHERE show_id IS NOT NULL",
]);
