// The bin for players and schedules, and the keys of replaced devices.
import { migration } from "./statements.ts";

export const binMigration = migration([
  "ALTER TABLE players ADD COLUMN erased_at BIGINT",
  // Earlier versions erased removed players at once, so nothing is left to restore.
  "UPDATE players SET erased_at = removed_at WHERE removed_at IS NOT NULL",
  "CREATE INDEX players_by_removal ON players (removed_at)",
  "ALTER TABLE schedules ADD COLUMN deleted_at BIGINT",
  "ALTER TABLE schedules ADD COLUMN deleted_with TEXT",
  "CREATE INDEX schedules_by_deletion ON schedules (deleted_at)",
  `CREATE TABLE former_keys (player_id TEXT NOT NULL, public_key TEXT NOT NULL, thumbprint TEXT NOT NULL, replaced_at BIGINT NOT NULL,
    PRIMARY KEY (player_id, public_key))`,
]);
