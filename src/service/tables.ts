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
  orientation: string;
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
  background_asset_id: string | null;
  /** JSON; null: a cut. */
  transition: string | null;
  zones: string;
  updated_at: number;
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
  "0002-looks": {
    async up(db: Kysely<unknown>) {
      await sql.raw("ALTER TABLE layouts ADD COLUMN background_asset_id TEXT").execute(db);
      await sql.raw("ALTER TABLE layouts ADD COLUMN transition TEXT").execute(db);
      await sql.raw("ALTER TABLE players ADD COLUMN orientation TEXT NOT NULL DEFAULT 'landscape'").execute(db);
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
