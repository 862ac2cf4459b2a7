// Opening hours of the display, recurring commands, screenshots at an interval, and maintenance of players.
import { migration } from "./statements.ts";

export const deviceControlMigration = migration([
  "ALTER TABLE players ADD COLUMN display_hours TEXT",
  "ALTER TABLE players ADD COLUMN recurring_commands TEXT NOT NULL DEFAULT '[]'",
  "ALTER TABLE players ADD COLUMN screenshots TEXT",
  "ALTER TABLE players ADD COLUMN maintenance_until BIGINT",
]);
