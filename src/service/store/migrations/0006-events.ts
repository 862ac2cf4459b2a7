// The event journal and webhooks.
import { migration, owned } from "./statements.ts";

export const eventsMigration = migration([
  `CREATE TABLE events (${owned}, seq BIGINT NOT NULL, kind TEXT, type TEXT NOT NULL, audience TEXT NOT NULL, data TEXT NOT NULL)`,
  "CREATE UNIQUE INDEX events_in_order ON events (team_id, seq)",
  "CREATE INDEX events_by_age ON events (created_at)",
  "CREATE TABLE event_journals (team_id TEXT PRIMARY KEY, last_seq BIGINT NOT NULL, trimmed_seq BIGINT NOT NULL DEFAULT 0)",
  "CREATE TABLE event_audiences (digest TEXT PRIMARY KEY, players TEXT NOT NULL, used_at BIGINT NOT NULL)",
  "CREATE INDEX event_audiences_by_use ON event_audiences (used_at)",
  "CREATE TABLE player_links (player_id TEXT PRIMARY KEY, is_online BIGINT NOT NULL, since BIGINT NOT NULL, error TEXT)",
  `CREATE TABLE webhooks (${owned}, name TEXT NOT NULL, url TEXT NOT NULL, events TEXT NOT NULL, secrets TEXT NOT NULL,
    status TEXT NOT NULL, disabled_reason TEXT, updated_at BIGINT NOT NULL)`,
  "CREATE INDEX webhooks_by_age ON webhooks (team_id, created_at, id)",
  `CREATE TABLE webhook_messages (event_id TEXT PRIMARY KEY, team_id TEXT NOT NULL, type TEXT NOT NULL, body TEXT NOT NULL,
    created_at BIGINT NOT NULL)`,
  `CREATE TABLE webhook_deliveries (${owned}, webhook_id TEXT NOT NULL, event_id TEXT NOT NULL, type TEXT NOT NULL,
    status TEXT NOT NULL, attempts BIGINT NOT NULL, next_at BIGINT, last_status BIGINT, last_error TEXT, updated_at BIGINT NOT NULL)`,
  "CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (webhook_id, created_at, id)",
  "CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, status, next_at)",
  "CREATE INDEX webhook_deliveries_by_event ON webhook_deliveries (event_id)",
  `CREATE TABLE webhook_attempts (delivery_id TEXT NOT NULL, number BIGINT NOT NULL, at BIGINT NOT NULL, duration_ms BIGINT NOT NULL,
    status BIGINT, body TEXT, error TEXT)`,
  "CREATE INDEX webhook_attempts_of ON webhook_attempts (delivery_id, at)",
]);
