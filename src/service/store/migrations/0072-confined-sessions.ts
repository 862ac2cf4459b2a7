// Links that a team makes sign in to that team only. Sessions by links of earlier versions reached every team of their person: they end,
// since nobody can tell who made their links. Unused ones, valid for an hour at most, were all made by users and are confined.
import { migration } from "./statements.ts";

export const confinedSessionsMigration = migration([
  "ALTER TABLE sessions ADD COLUMN link_by TEXT",
  // The start of the service marks the token in its data folder.
  "ALTER TABLE tokens ADD COLUMN is_machine BIGINT NOT NULL DEFAULT 0",
  "ALTER TABLE audit ADD COLUMN issuer TEXT",
  `UPDATE tokens SET revoked_at = COALESCE(last_used_at, created_at)
    WHERE revoked_at IS NULL AND id IN (SELECT token_id FROM sessions WHERE method = 'link')`,
]);
