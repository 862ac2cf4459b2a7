// Alerts, their settings, and the mails about them.
import { migration, owned } from "./statements.ts";

export const alertsMigration = migration([
  `CREATE TABLE alerts (${owned}, player_id TEXT NOT NULL, player_name TEXT NOT NULL, kind TEXT NOT NULL, state TEXT NOT NULL, site TEXT, address TEXT,
    since BIGINT NOT NULL, opened_at BIGINT NOT NULL, closed_at BIGINT, close_reason TEXT, detail TEXT NOT NULL, remedy TEXT NOT NULL,
    acknowledged_at BIGINT, acknowledged_by TEXT, acknowledged_name TEXT, mail_group TEXT)`,
  "CREATE INDEX alerts_by_age ON alerts (team_id, created_at, id)",
  "CREATE INDEX alerts_by_end ON alerts (closed_at)",
  "CREATE INDEX alerts_by_group ON alerts (mail_group)",
  "CREATE UNIQUE INDEX alerts_open ON alerts (player_id, kind) WHERE state = 'open'",
  "CREATE INDEX alerts_unmailed ON alerts (team_id, opened_at) WHERE mail_group IS NULL",
  "CREATE TABLE alert_settings (team_id TEXT PRIMARY KEY REFERENCES teams(id), rules TEXT NOT NULL, updated_at BIGINT NOT NULL)",
  `CREATE TABLE alert_groups (${owned}, title TEXT NOT NULL, mailed_at BIGINT NOT NULL, closed_at BIGINT)`,
  "CREATE INDEX alert_groups_open ON alert_groups (closed_at)",
  `CREATE TABLE mails (${owned}, recipients TEXT NOT NULL, subject TEXT NOT NULL, body TEXT NOT NULL, html TEXT NOT NULL, thread TEXT,
    status TEXT NOT NULL, attempts BIGINT NOT NULL, next_at BIGINT, last_error TEXT, updated_at BIGINT NOT NULL)`,
  "CREATE INDEX mails_due ON mails (status, next_at)",
  "CREATE INDEX mails_by_team ON mails (team_id, status, updated_at)",
  // The alert engine reads the players that have changed.
  "CREATE INDEX players_by_update ON players (updated_at, id)",
]);
