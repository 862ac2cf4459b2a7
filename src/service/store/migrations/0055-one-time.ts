// The facts that several nodes share about secrets that are valid once or for minutes. A service on SQLite keeps them in memory.
import { migration } from "./statements.ts";

export const oneTimeMigration = migration([
  "CREATE TABLE used_secrets (digest TEXT PRIMARY KEY, until BIGINT NOT NULL)",
  "CREATE INDEX used_secrets_by_end ON used_secrets (until)",
  `CREATE TABLE preview_tickets (id TEXT PRIMARY KEY, secret_hash TEXT NOT NULL UNIQUE, team_id TEXT NOT NULL, token_id TEXT NOT NULL,
    subject TEXT NOT NULL, has_captures BIGINT NOT NULL, files TEXT NOT NULL, feeds TEXT NOT NULL, expires_at BIGINT NOT NULL)`,
  "CREATE INDEX preview_tickets_by_token ON preview_tickets (token_id, id)",
]);
