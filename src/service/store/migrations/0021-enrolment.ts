// Enrolment keys, and which machine was enrolled as which player.
import { migration, owned } from "./statements.ts";

export const enrolmentMigration = migration([
  `CREATE TABLE enrolment_keys (${owned}, name TEXT NOT NULL, hash TEXT NOT NULL UNIQUE, hint TEXT NOT NULL, tags TEXT NOT NULL,
    layout_id TEXT, name_pattern TEXT NOT NULL, max_count BIGINT NOT NULL, used_count BIGINT NOT NULL, returned_count BIGINT NOT NULL,
    replace_by_serial BIGINT NOT NULL, created_by TEXT NOT NULL, token_id TEXT NOT NULL, updated_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL, revoked_at BIGINT, last_used_at BIGINT, refused_count BIGINT NOT NULL, last_refusal TEXT)`,
  "CREATE INDEX enrolment_keys_by_age ON enrolment_keys (team_id, created_at, id)",
  `CREATE TABLE enrolments (player_id TEXT PRIMARY KEY, key_id TEXT NOT NULL REFERENCES enrolment_keys(id), serial TEXT, mac TEXT,
    enrolled_at BIGINT NOT NULL)`,
  "CREATE INDEX enrolments_by_serial ON enrolments (key_id, serial)",
  "CREATE INDEX enrolments_by_mac ON enrolments (key_id, mac)",
  "CREATE INDEX players_by_public_key ON players (public_key)",
]);
