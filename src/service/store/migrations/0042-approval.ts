// Approval of contributors' changes, and the scopes of drafts and versions.
import { migration } from "./statements.ts";

const reading = `"drafts:read","versions:read"`;
const writing = `"drafts:read","drafts:write","versions:read","versions:write"`;

export const approvalMigration = migration([
  "ALTER TABLE teams ADD COLUMN approval TEXT NOT NULL DEFAULT 'none'",
  // Tokens that may change schedules may also publish them in drafts; a published change still needs the scope of its kind.
  ...["tokens", "invitations"].flatMap((table) => [
    `UPDATE ${table} SET scopes = REPLACE(scopes, '"schedules:read"', '"schedules:read",${reading}')
      WHERE scopes LIKE '%"schedules:read"%' AND scopes NOT LIKE '%"schedules:write"%'`,
    `UPDATE ${table} SET scopes = REPLACE(scopes, '"schedules:write"', '"schedules:write",${writing}')
      WHERE scopes LIKE '%"schedules:write"%'`,
  ]),
]);
