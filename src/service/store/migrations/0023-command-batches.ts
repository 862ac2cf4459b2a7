// The history and the cancellation of commands, and commands for many players in waves.
import { migration, owned } from "./statements.ts";

export const commandBatchesMigration = migration([
  "ALTER TABLE commands ADD COLUMN history TEXT NOT NULL DEFAULT ''",
  "ALTER TABLE commands ADD COLUMN cancel_requested_at BIGINT",
  "ALTER TABLE commands ADD COLUMN batch_id TEXT",
  "ALTER TABLE commands ADD COLUMN wave BIGINT",
  "CREATE INDEX commands_by_batch ON commands (batch_id, wave) WHERE batch_id IS NOT NULL",
  `CREATE TABLE command_batches (${owned}, type TEXT NOT NULL, args TEXT NOT NULL, ttl_s BIGINT NOT NULL, settings TEXT NOT NULL,
    state TEXT NOT NULL, reason TEXT, wave BIGINT NOT NULL, wave_count BIGINT NOT NULL, player_count BIGINT NOT NULL,
    wave_started_at BIGINT NOT NULL, wave_ended_at BIGINT, is_forgiven BIGINT NOT NULL, updated_at BIGINT NOT NULL, ended_at BIGINT)`,
  "CREATE INDEX command_batches_by_age ON command_batches (team_id, created_at, id)",
  "CREATE INDEX command_batches_by_end ON command_batches (ended_at)",
  `CREATE TABLE command_batch_players (batch_id TEXT NOT NULL, wave BIGINT NOT NULL, player_id TEXT NOT NULL,
    PRIMARY KEY (batch_id, player_id))`,
  "CREATE INDEX command_batch_players_by_wave ON command_batch_players (batch_id, wave)",
  "CREATE INDEX command_batch_players_by_player ON command_batch_players (player_id)",
]);
