// Users, members, invitations, token metadata and the audit log.
import { migration, owned } from "./statements.ts";

export const peopleMigration = migration([
  "ALTER TABLE teams ADD COLUMN updated_at BIGINT NOT NULL DEFAULT 0",
  "ALTER TABLE teams ADD COLUMN deleted_at BIGINT",
  "UPDATE teams SET updated_at = created_at",
  "CREATE TABLE users (id TEXT PRIMARY KEY, name TEXT NOT NULL, email TEXT, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL)",
  `CREATE TABLE members (team_id TEXT NOT NULL REFERENCES teams(id), user_id TEXT NOT NULL REFERENCES users(id), role TEXT NOT NULL,
    created_at BIGINT NOT NULL, PRIMARY KEY (team_id, user_id))`,
  "CREATE INDEX members_by_age ON members (team_id, created_at, user_id)",
  "CREATE INDEX members_by_user ON members (user_id, created_at, team_id)",
  `CREATE TABLE invitations (${owned}, email TEXT NOT NULL, name TEXT NOT NULL, role TEXT NOT NULL, secret_hash TEXT NOT NULL UNIQUE,
    created_by TEXT NOT NULL, expires_at BIGINT NOT NULL, accepted_at BIGINT, revoked_at BIGINT)`,
  "CREATE INDEX invitations_by_age ON invitations (team_id, created_at, id)",
  "ALTER TABLE tokens ADD COLUMN user_id TEXT",
  "ALTER TABLE tokens ADD COLUMN hint TEXT NOT NULL DEFAULT ''",
  "ALTER TABLE tokens ADD COLUMN last_used_at BIGINT",
  "ALTER TABLE tokens ADD COLUMN created_by TEXT",
  "CREATE INDEX tokens_by_age ON tokens (team_id, created_at, id)",
  `CREATE TABLE audit (${owned}, seq BIGINT NOT NULL, user_id TEXT NOT NULL, token_id TEXT NOT NULL, action TEXT NOT NULL,
    resource_type TEXT NOT NULL, resource_id TEXT, before_digest TEXT, after_digest TEXT, address TEXT NOT NULL,
    request_id TEXT NOT NULL, hash TEXT NOT NULL, UNIQUE (team_id, seq))`,
  "CREATE INDEX audit_by_age ON audit (team_id, created_at, id)",
  "CREATE INDEX audit_by_resource ON audit (team_id, resource_id, created_at, id)",
  "CREATE INDEX audit_by_user ON audit (team_id, user_id, created_at, id)",
  "CREATE INDEX audit_by_action ON audit (team_id, action, created_at, id)",
  "CREATE TABLE audit_heads (team_id TEXT PRIMARY KEY, seq BIGINT NOT NULL, hash TEXT NOT NULL)",
  // Stored responses are encrypted from now on. The cost: requests of the last day can no longer be repeated.
  "DELETE FROM idempotency",
]);
