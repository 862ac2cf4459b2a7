// Passkeys: the public keys by which people sign in.
import { migration } from "./statements.ts";

export const passkeysMigration = migration([
  "CREATE TABLE passkeys (id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users(id), host TEXT NOT NULL, name TEXT NOT NULL, credential_id TEXT NOT NULL, public_key TEXT NOT NULL, counter BIGINT NOT NULL, transports TEXT NOT NULL, is_synced BIGINT NOT NULL, created_at BIGINT NOT NULL, last_used_at BIGINT)",
  "CREATE UNIQUE INDEX passkeys_by_credential ON passkeys (credential_id)",
  "CREATE INDEX passkeys_by_user ON passkeys (user_id)",
]);
