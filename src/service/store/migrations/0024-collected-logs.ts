// Logs that were collected from players.
import { migration, owned } from "./statements.ts";

export const collectedLogsMigration = migration([
  `CREATE TABLE collected_logs (${owned}, player_id TEXT NOT NULL, command_id TEXT, size_bytes BIGINT NOT NULL, sha256 TEXT NOT NULL,
    captured_at BIGINT NOT NULL)`,
  "CREATE INDEX collected_logs_by_age ON collected_logs (player_id, created_at, id)",
  "CREATE INDEX collected_logs_by_time ON collected_logs (created_at)",
  "CREATE INDEX collected_logs_by_hash ON collected_logs (sha256)",
]);
