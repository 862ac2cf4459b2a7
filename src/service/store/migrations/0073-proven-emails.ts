// Emails that people have proven to be theirs. No email of an earlier version counts as proven: nobody checked them.
import { migration } from "./statements.ts";

export const provenEmailsMigration = migration([
  // The address, not a mark beside it: a node of the version before, which changes `email` alone, cannot make a new one proven.
  "ALTER TABLE users ADD COLUMN proven_email TEXT",
  "CREATE UNIQUE INDEX users_by_proven_email ON users (proven_email)",
  "CREATE INDEX users_by_email ON users (email)",
  "DROP INDEX passwords_by_email",
  "CREATE INDEX passwords_by_email ON passwords (email)",
  // The secret that only the invited person got, by mail.
  "ALTER TABLE invitations ADD COLUMN mailed_secret_hash TEXT",
  "CREATE UNIQUE INDEX invitations_by_mailed_secret ON invitations (mailed_secret_hash)",
  `CREATE TABLE email_proofs (user_id TEXT PRIMARY KEY REFERENCES users(id), email TEXT NOT NULL, code_hash TEXT,
    expires_at BIGINT NOT NULL)`,
  // The purpose of the secret that a mail gets when it is sent: the secret itself is never stored.
  "ALTER TABLE mails ADD COLUMN secret_for TEXT",
]);
