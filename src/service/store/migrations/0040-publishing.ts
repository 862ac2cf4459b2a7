// Versions of content, and drafts of changes to it.
import { migration, owned } from "./statements.ts";

export const publishingMigration = migration([
  // Which content a transaction has written, as it was before. Filled by triggers, and emptied before each commit.
  // On PostgreSQL each connection has its own, see 0041.
  {
    sqlite: [
      "CREATE TABLE content_writes (kind TEXT NOT NULL, id TEXT NOT NULL, team_id TEXT NOT NULL, before TEXT, PRIMARY KEY (kind, id))",
    ],
    postgres: [],
  },
  // The states of resources, each once for all versions in which it was the same.
  "CREATE TABLE content_images (team_id TEXT NOT NULL, hash TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (team_id, hash))",
  `CREATE TABLE versions (${owned}, number BIGINT NOT NULL, user_id TEXT, note TEXT, draft_id TEXT, proposed_by TEXT,
    restored_from BIGINT, change_count BIGINT NOT NULL)`,
  "CREATE UNIQUE INDEX versions_by_number ON versions (team_id, number)",
  "CREATE INDEX versions_by_age ON versions (created_at)",
  `CREATE TABLE version_changes (version_id TEXT NOT NULL, team_id TEXT NOT NULL, number BIGINT NOT NULL, kind TEXT NOT NULL,
    resource_id TEXT NOT NULL, name TEXT NOT NULL, action TEXT NOT NULL, before_hash TEXT, after_hash TEXT,
    PRIMARY KEY (version_id, kind, resource_id))`,
  "CREATE INDEX version_changes_by_number ON version_changes (team_id, number)",
  "CREATE INDEX version_changes_by_resource ON version_changes (team_id, resource_id, number)",
  "CREATE INDEX version_changes_by_before ON version_changes (team_id, before_hash)",
  "CREATE INDEX version_changes_by_after ON version_changes (team_id, after_hash)",
  // The revision that a version gave to each player.
  "CREATE TABLE version_players (version_id TEXT NOT NULL, player_id TEXT NOT NULL, revision TEXT NOT NULL, PRIMARY KEY (version_id, player_id))",
  `CREATE TABLE drafts (${owned}, name TEXT NOT NULL, note TEXT, state TEXT NOT NULL, user_id TEXT NOT NULL, proposed_at BIGINT,
    proposed_by TEXT, decided_by TEXT, word TEXT, version BIGINT, updated_at BIGINT NOT NULL)`,
  "CREATE INDEX drafts_by_age ON drafts (team_id, created_at, id)",
  // `binned`: the resource in the bin of the draft.
  `CREATE TABLE draft_changes (draft_id TEXT NOT NULL, team_id TEXT NOT NULL, kind TEXT NOT NULL, resource_id TEXT NOT NULL,
    name TEXT NOT NULL, base TEXT, after TEXT, binned TEXT, updated_at BIGINT NOT NULL, PRIMARY KEY (draft_id, kind, resource_id))`,
]);
