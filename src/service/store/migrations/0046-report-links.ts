// Links by which people without an account read one report.
import { migration, owned } from "./statements.ts";

export const reportLinksMigration = migration([
  `CREATE TABLE report_links (${owned}, name TEXT NOT NULL, hash TEXT NOT NULL UNIQUE, hint TEXT NOT NULL, report TEXT NOT NULL,
    created_by TEXT NOT NULL, token_id TEXT NOT NULL, expires_at BIGINT NOT NULL, revoked_at BIGINT, opened_count BIGINT NOT NULL,
    last_opened_at BIGINT)`,
  "CREATE INDEX report_links_by_age ON report_links (team_id, created_at, id)",
]);
