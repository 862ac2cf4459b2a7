// Backgrounds and transitions of layouts, orientation of players.
import { migration } from "./statements.ts";

export const looksMigration = migration([
  "ALTER TABLE layouts ADD COLUMN background_asset_id TEXT",
  "ALTER TABLE layouts ADD COLUMN transition TEXT",
  "ALTER TABLE players ADD COLUMN orientation TEXT NOT NULL DEFAULT 'landscape'",
]);
