// The accounts at the provider of single sign-on that sign people in.
import { migration } from "./statements.ts";

export const identitiesMigration = migration([
  `CREATE TABLE identities (id TEXT PRIMARY KEY, issuer TEXT NOT NULL, subject TEXT NOT NULL, user_id TEXT NOT NULL REFERENCES users(id), email TEXT,
    created_at BIGINT NOT NULL, last_used_at BIGINT NOT NULL)`,
  "CREATE UNIQUE INDEX identities_by_subject ON identities (issuer, subject)",
  "CREATE INDEX identities_by_user ON identities (user_id)",
]);
