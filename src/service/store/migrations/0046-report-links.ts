// Links by which people without an account read one report.
import { migration, owned } from "./statements.ts";

export const reportLinksMigration = migration([
  `CREATE TABLE report_links (${owned}, name TEXT NOT NULL, hash TEXT NOT NULL UNIQUE, hint TEXT NOT NULL, report TEXT NOT NULL,
    created_by TEXT NOT NULL, token_id TEXT NOT NULL, expires_at BIGINT NOT NULL, revoked_at BIGINT, opened_count BIGINT NOT NULL,
    last_opened_at BIGINT)`,
  // Tokens that may do everything may do this, too.
  `UPDATE tokens SET scopes = REPLACE(scopes, '"play_events:read"', '"play_events:read","report_links:read","report_links:write"')
    WHERE scopes LIKE '%"layouts:write"%' AND scopes LIKE '%"tokens:write"%' AND scopes LIKE '%"teams:write"%'`,
  "CREATE INDEX report_links_by_age ON report_links (team_id, created_at, id)",
]);
