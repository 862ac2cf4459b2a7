// The token that created an invitation, and its scopes.
import { migration } from "./statements.ts";

export const invitationsMigration = migration([
  "ALTER TABLE invitations ADD COLUMN token_id TEXT",
  "ALTER TABLE invitations ADD COLUMN token_expires_at BIGINT",
  "ALTER TABLE invitations ADD COLUMN scopes TEXT NOT NULL DEFAULT '[]'",
  // The scopes of the tokens behind open invitations are unknown, so these invitations are revoked.
  "UPDATE invitations SET revoked_at = created_at WHERE accepted_at IS NULL AND revoked_at IS NULL",
  "CREATE INDEX invitations_by_token ON invitations (token_id)",
]);
