// The version that each player should run, and rollouts.
import { migration, owned } from "./statements.ts";

export const rolloutsMigration = migration([
  "ALTER TABLE players ADD COLUMN release TEXT",
  `CREATE TABLE rollouts (${owned}, name TEXT NOT NULL, version TEXT NOT NULL, status TEXT NOT NULL, reason TEXT, settings TEXT NOT NULL,
    ring BIGINT NOT NULL, ring_started_at BIGINT NOT NULL, ring_done_at BIGINT, updated_at BIGINT NOT NULL, ended_at BIGINT)`,
  "CREATE INDEX rollouts_by_age ON rollouts (team_id, created_at, id)",
  "CREATE INDEX rollouts_by_end ON rollouts (ended_at)",
  `CREATE TABLE rollout_players (rollout_id TEXT NOT NULL, player_id TEXT NOT NULL, team_id TEXT NOT NULL, ring BIGINT NOT NULL,
    state TEXT NOT NULL, detail TEXT, is_active BIGINT NOT NULL, is_assigned BIGINT NOT NULL, previous_version TEXT,
    previous_release TEXT, attempt_at TEXT, ignored_attempt_at TEXT, assigned_at BIGINT NOT NULL, changed_at BIGINT NOT NULL,
    PRIMARY KEY (rollout_id, player_id))`,
  // A player is in one rollout in progress.
  "CREATE UNIQUE INDEX rollout_players_active ON rollout_players (player_id) WHERE is_active = 1",
  "CREATE INDEX rollout_players_by_player ON rollout_players (player_id)",
]);
