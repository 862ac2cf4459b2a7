// Invitations know the token that made them, and what it held.
import { migration } from "./statements.ts";

export const invitationsMigration = migration([
  "ALTER TABLE invitations ADD COLUMN token_id TEXT",
  "ALTER TABLE invitations ADD COLUMN token_expires_at BIGINT",
  "ALTER TABLE invitations ADD COLUMN scopes TEXT NOT NULL DEFAULT '[]'",
  // Of those that are open nobody knows what their token held: they are to be made again.
  "UPDATE invitations SET revoked_at = created_at WHERE accepted_at IS NULL AND revoked_at IS NULL",
  "CREATE INDEX invitations_by_token ON invitations (token_id)",
]);
