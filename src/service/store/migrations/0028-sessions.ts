// Browser sessions, which are tokens with more about the browser, and the links that sign people in.
import { migration } from "./statements.ts";

export const sessionsMigration = migration([
  `CREATE TABLE sessions (token_id TEXT PRIMARY KEY REFERENCES tokens(id) ON DELETE CASCADE, method TEXT NOT NULL, address TEXT NOT NULL, user_agent TEXT NOT NULL,
    proved_at BIGINT NOT NULL)`,
  `CREATE TABLE sign_in_links (id TEXT PRIMARY KEY, team_id TEXT NOT NULL REFERENCES teams(id), user_id TEXT NOT NULL REFERENCES users(id),
    secret_hash TEXT NOT NULL, created_by TEXT, created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL, used_at BIGINT)`,
  "CREATE UNIQUE INDEX sign_in_links_by_secret ON sign_in_links (secret_hash)",
]);
