// Passwords, and the browsers in which people have signed in.
import { migration } from "./statements.ts";

export const passwordsMigration = migration([
  "CREATE TABLE passwords (user_id TEXT PRIMARY KEY REFERENCES users(id), email TEXT NOT NULL, hash TEXT NOT NULL, changed_at BIGINT NOT NULL)",
  "CREATE UNIQUE INDEX passwords_by_email ON passwords (email)",
  "CREATE TABLE known_browsers (secret_hash TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users(id), used_at BIGINT NOT NULL)",
  "CREATE INDEX known_browsers_by_user ON known_browsers (user_id)",
  "CREATE INDEX known_browsers_by_use ON known_browsers (used_at)",
  "CREATE INDEX sign_in_links_by_user ON sign_in_links (user_id)",
]);
