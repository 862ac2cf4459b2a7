// The tables, in the SQL that SQLite and PostgreSQL share: text ids, epoch milliseconds, JSON as text.
import { sql, type Generated, type Kysely } from "kysely";
import type { Migration } from "kysely/migration";

interface Owned {
  id: string;
  team_id: string;
  created_at: number;
}

export interface PlayerRow extends Owned {
  name: string;
  layout_id: string | null;
  tags: string;
  timezone: string | null;
  /** What conditions of schedules ask for: JSON object. */
  variables: string;
  public_key: string;
  thumbprint: string;
  /** What the box said of itself when it asked for its code: JSON of a pairing request. */
  reported: string;
  /** The revision of its desired state; moves only when what it should show does. */
  revision: string;
  updated_at: number;
  /** Set when it was removed. The row stays, so that the device can be told so, signed, for ever. */
  removed_at: number | null;
}
export interface PlaylistRow extends Owned {
  name: string;
  items: string;
  updated_at: number;
}
export interface LayoutRow extends Owned {
  name: string;
  width: number;
  height: number;
  background_color: string;
  zones: string;
  updated_at: number;
}
export interface ScheduleRow extends Owned {
  name: string;
  layout_id: string;
  /** `team`, `tag` or `player`. */
  target_type: string;
  /** The tag or the player's id; empty for the team. */
  target_value: string;
  /** Everything else: JSON, fields in order. */
  timing: string;
  updated_at: number;
}
/** What an override command needs on the player: kept there until the override is cleared. */
export interface OverrideRow {
  command_id: string;
  team_id: string;
  player_id: string;
  layout_id: string | null;
  asset_id: string | null;
  created_at: number;
  expires_at: number | null;
}
export interface AssetRow extends Owned {
  name: string;
  mime_type: string;
  size_bytes: number;
  sha256: string;
  width: number | null;
  height: number | null;
  duration_ms: number | null;
  codec: string | null;
}
export interface CommandRow extends Owned {
  player_id: string;
  type: string;
  args: string;
  status: string;
  result: string | null;
  error: string | null;
  /** What the device gets, signed. */
  jws: string;
  updated_at: number;
  expires_at: number;
}
export interface ScreenshotRow extends Owned {
  player_id: string;
  command_id: string | null;
  mime_type: string;
  size_bytes: number;
  sha256: string;
  width: number;
  height: number;
  captured_at: number;
}

export interface EventRow extends Owned {
  /** Place in the team's journal: 1, 2, 3 … */
  seq: number;
  kind: string | null;
  type: string;
  /** The players it concerns: none, one id, or the digest of a row of event_audiences. */
  audience: string;
  data: string;
}

export interface WebhookRow extends Owned {
  name: string;
  url: string;
  events: string;
  /** JSON of secrets, the newest first. Kept as they are, since every message is signed with them. */
  secrets: string;
  status: string;
  disabled_reason: string | null;
  updated_at: number;
}
export interface DeliveryRow extends Owned {
  webhook_id: string;
  event_id: string;
  type: string;
  status: string;
  attempts: number;
  next_at: number | null;
  last_status: number | null;
  last_error: string | null;
  updated_at: number;
}

/** All tables of the durable database. */
export interface Tables {
  teams: { id: string; name: string; created_at: number };
  tokens: {
    id: string;
    team_id: string;
    name: string;
    hash: string;
    scopes: string;
    created_at: number;
    expires_at: number | null;
    revoked_at: number | null;
  };
  players: PlayerRow;
  pairing_requests: {
    id: string;
    device_code_hash: string;
    user_code: string;
    public_key: string;
    reported: string;
    created_at: number;
    expires_at: number;
    player_id: string | null;
  };
  device_tokens: { hash: string; player_id: string; expires_at: number };
  playlists: PlaylistRow;
  layouts: LayoutRow;
  schedules: ScheduleRow;
  overrides: OverrideRow;
  assets: AssetRow;
  commands: CommandRow;
  screenshots: ScreenshotRow;
  /** Messages a device may have missed. */
  journal: { player_id: string; seq: number; at: number; message: string };
  /** How far each device's journal goes, and up to where it was trimmed. */
  journals: { player_id: string; last_seq: number; trimmed_seq: Generated<number> };
  idempotency: {
    token_id: string;
    key: string;
    request_hash: string;
    status: number;
    headers: string;
    body: string;
    created_at: number;
  };
  events: EventRow;
  /** How far each team's journal of events goes, and up to where it was trimmed. */
  event_journals: { team_id: string; last_seq: number; trimmed_seq: Generated<number> };
  event_audiences: { digest: string; players: string; used_at: number };
  /** What was last told of each player's link; `is_online` is 0 or 1. */
  player_links: { player_id: string; is_online: number; since: number; error: string | null };
  webhooks: WebhookRow;
  webhook_messages: { event_id: string; team_id: string; type: string; body: string; created_at: number };
  webhook_deliveries: DeliveryRow;
  webhook_attempts: {
    delivery_id: string;
    number: number;
    at: number;
    duration_ms: number;
    status: number | null;
    body: string | null;
    error: string | null;
  };
  meta: { key: string; value: string };
}

/** The telemetry's table: what may be lost in a power cut. */
export interface TelemetryTables {
  heartbeats: { player_id: string; received_at: number; body: string };
}

/** Steps that bring an older durable database up to date, by name in order. A published step never changes. */
export const migrations: Record<string, Migration> = {
  "0001-first": {
    async up(db: Kysely<unknown>) {
      for (const statement of firstTables) await sql.raw(statement).execute(db);
    },
  },
  "0004-schedules": {
    async up(db: Kysely<unknown>) {
      for (const statement of scheduleTables) await sql.raw(statement).execute(db);
    },
  },
  "0006-events": {
    async up(db: Kysely<unknown>) {
      for (const statement of eventTables) await sql.raw(statement).execute(db);
    },
  },
};

/** The same for the telemetry. */
export const telemetryMigrations: Record<string, Migration> = {
  "0001-first": {
    async up(db: Kysely<unknown>) {
      await sql.raw("CREATE TABLE heartbeats (player_id TEXT PRIMARY KEY, received_at BIGINT NOT NULL, body TEXT NOT NULL)").execute(db);
    },
  },
};

const owned = "id TEXT PRIMARY KEY, team_id TEXT NOT NULL REFERENCES teams(id), created_at BIGINT NOT NULL";

const firstTables = [
  "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
  "CREATE TABLE teams (id TEXT PRIMARY KEY, name TEXT NOT NULL, created_at BIGINT NOT NULL)",
  `CREATE TABLE tokens (${owned}, name TEXT NOT NULL, hash TEXT NOT NULL UNIQUE, scopes TEXT NOT NULL,
    expires_at BIGINT, revoked_at BIGINT)`,
  `CREATE TABLE players (${owned}, name TEXT NOT NULL, layout_id TEXT, tags TEXT NOT NULL, timezone TEXT,
    public_key TEXT NOT NULL, thumbprint TEXT NOT NULL, reported TEXT NOT NULL, revision TEXT NOT NULL,
    updated_at BIGINT NOT NULL, removed_at BIGINT)`,
  "CREATE INDEX players_by_age ON players (team_id, created_at, id)",
  "CREATE INDEX players_by_layout ON players (layout_id)",
  `CREATE TABLE pairing_requests (id TEXT PRIMARY KEY, device_code_hash TEXT NOT NULL UNIQUE, user_code TEXT NOT NULL UNIQUE,
    public_key TEXT NOT NULL, reported TEXT NOT NULL, created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL, player_id TEXT)`,
  "CREATE TABLE device_tokens (hash TEXT PRIMARY KEY, player_id TEXT NOT NULL, expires_at BIGINT NOT NULL)",
  `CREATE TABLE playlists (${owned}, name TEXT NOT NULL, items TEXT NOT NULL, updated_at BIGINT NOT NULL)`,
  "CREATE INDEX playlists_by_age ON playlists (team_id, created_at, id)",
  `CREATE TABLE layouts (${owned}, name TEXT NOT NULL, width BIGINT NOT NULL, height BIGINT NOT NULL,
    background_color TEXT NOT NULL, zones TEXT NOT NULL, updated_at BIGINT NOT NULL)`,
  "CREATE INDEX layouts_by_age ON layouts (team_id, created_at, id)",
  `CREATE TABLE assets (${owned}, name TEXT NOT NULL, mime_type TEXT NOT NULL, size_bytes BIGINT NOT NULL,
    sha256 TEXT NOT NULL, width BIGINT, height BIGINT, duration_ms BIGINT, codec TEXT)`,
  "CREATE INDEX assets_by_age ON assets (team_id, created_at, id)",
  "CREATE INDEX assets_by_hash ON assets (sha256)",
  `CREATE TABLE commands (${owned}, player_id TEXT NOT NULL, type TEXT NOT NULL, args TEXT NOT NULL, status TEXT NOT NULL,
    result TEXT, error TEXT, jws TEXT NOT NULL, updated_at BIGINT NOT NULL, expires_at BIGINT NOT NULL)`,
  "CREATE INDEX commands_by_age ON commands (player_id, created_at, id)",
  "CREATE INDEX commands_by_status ON commands (status, expires_at)",
  `CREATE TABLE screenshots (${owned}, player_id TEXT NOT NULL, command_id TEXT, mime_type TEXT NOT NULL,
    size_bytes BIGINT NOT NULL, sha256 TEXT NOT NULL, width BIGINT NOT NULL, height BIGINT NOT NULL, captured_at BIGINT NOT NULL)`,
  "CREATE INDEX screenshots_by_age ON screenshots (player_id, created_at, id)",
  "CREATE INDEX screenshots_by_hash ON screenshots (sha256)",
  `CREATE TABLE journal (player_id TEXT NOT NULL, seq BIGINT NOT NULL, at BIGINT NOT NULL, message TEXT NOT NULL,
    PRIMARY KEY (player_id, seq))`,
  "CREATE TABLE journals (player_id TEXT PRIMARY KEY, last_seq BIGINT NOT NULL, trimmed_seq BIGINT NOT NULL DEFAULT 0)",
  `CREATE TABLE idempotency (token_id TEXT NOT NULL, key TEXT NOT NULL, request_hash TEXT NOT NULL, status BIGINT NOT NULL,
    headers TEXT NOT NULL, body TEXT NOT NULL, created_at BIGINT NOT NULL, PRIMARY KEY (token_id, key))`,
];

const scheduleTables = [
  `CREATE TABLE schedules (${owned}, name TEXT NOT NULL, layout_id TEXT NOT NULL, target_type TEXT NOT NULL,
    target_value TEXT NOT NULL, timing TEXT NOT NULL, updated_at BIGINT NOT NULL)`,
  "CREATE INDEX schedules_by_age ON schedules (team_id, created_at, id)",
  "CREATE INDEX schedules_by_layout ON schedules (layout_id)",
  "CREATE INDEX schedules_by_target ON schedules (team_id, target_type, target_value)",
  `CREATE TABLE overrides (command_id TEXT PRIMARY KEY, team_id TEXT NOT NULL, player_id TEXT NOT NULL, layout_id TEXT,
    asset_id TEXT, created_at BIGINT NOT NULL, expires_at BIGINT)`,
  "CREATE INDEX overrides_by_player ON overrides (player_id)",
  "CREATE INDEX overrides_by_layout ON overrides (layout_id)",
  "ALTER TABLE players ADD COLUMN variables TEXT NOT NULL DEFAULT '{}'",
  // Whoever may change layouts may say when they play.
  `UPDATE tokens SET scopes = REPLACE(scopes, '"layouts:write"', '"layouts:write","schedules:read","schedules:write"')`,
];

const eventTables = [
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
];
