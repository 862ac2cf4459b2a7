// The tables, in the SQL that SQLite and PostgreSQL share: text ids, epoch milliseconds, JSON as text.
import { sql, type Generated, type Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import type { AssetKind, AssetStatus } from "../protocol/assets.ts";
import { recordsMigration, recordsTelemetryMigration, type MinuteRow } from "./records-tables.ts";

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
  /** Set while it is in the bin. */
  deleted_at: number | null;
}
export interface LayoutRow extends Owned {
  name: string;
  width: number;
  height: number;
  background_color: string;
  zones: string;
  updated_at: number;
  /** Set while it is in the bin. */
  deleted_at: number | null;
}
export interface AssetRow extends Owned {
  name: string;
  /** JSON of the texts. */
  tags: string;
  status: AssetStatus;
  /** Null, as mime_type, size_bytes and sha256, until its bytes are there. */
  kind: AssetKind | null;
  mime_type: string | null;
  size_bytes: number | null;
  sha256: string | null;
  width: number | null;
  height: number | null;
  duration_ms: number | null;
  page_count: number | null;
  codec: string | null;
  /** JSON of its warnings. */
  warnings: string;
  /** JSON of what went wrong with its import. */
  error: string | null;
  source_url: string | null;
  thumbnail_sha256: string | null;
  thumbnail_bytes: number | null;
  /** How often its thumbnail was begun: one that ends the process must not do so at every start. */
  thumbnail_tries: number;
  updated_at: number;
  deleted_at: number | null;
}
/** A resumable upload; its bytes so far are a file of its id. */
export interface UploadRow extends Owned {
  name: string;
  /** What the sender said of it: JSON of tus metadata. */
  metadata: string;
  content_type: string | null;
  size_bytes: number | null;
  /** Null until the file became an asset. */
  asset_id: string | null;
  error: string | null;
  expires_at: number;
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
export interface TeamRow {
  id: string;
  name: string;
  created_at: number;
  updated_at: number;
  /** Set when it was deleted. The row stays, for its audit log and for devices that were its own. */
  deleted_at: number | null;
}
export interface UserRow {
  id: string;
  name: string;
  email: string | null;
  created_at: number;
  updated_at: number;
}
export interface MemberRow {
  team_id: string;
  user_id: string;
  role: string;
  created_at: number;
}
export interface InvitationRow extends Owned {
  email: string;
  name: string;
  role: string;
  secret_hash: string;
  created_by: string;
  expires_at: number;
  accepted_at: number | null;
  revoked_at: number | null;
}
export interface TokenRow extends Owned {
  name: string;
  hash: string;
  scopes: string;
  expires_at: number | null;
  revoked_at: number | null;
  /** Null only in a database of an earlier version, until the service has started once. */
  user_id: string | null;
  hint: string;
  last_used_at: number | null;
  created_by: string | null;
}
export interface AuditRow extends Owned {
  seq: number;
  user_id: string;
  token_id: string;
  action: string;
  resource_type: string;
  resource_id: string | null;
  before_digest: string | null;
  after_digest: string | null;
  address: string;
  request_id: string;
  hash: string;
}

/** All tables of the durable database. */
export interface Tables {
  teams: TeamRow;
  users: UserRow;
  members: MemberRow;
  invitations: InvitationRow;
  tokens: TokenRow;
  audit: AuditRow;
  /** The newest entry of each team's audit log. */
  audit_heads: { team_id: string; seq: number; hash: string };
  players: PlayerRow;
  /** The tags of players once more, to find players by. */
  player_tags: { player_id: string; team_id: string; tag: string };
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
  uploads: UploadRow;
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
  heartbeat_minutes: MinuteRow;
}

/** Steps that bring an older durable database up to date, by name in order. A published step never changes. */
export const migrations: Record<string, Migration> = {
  "0001-first": {
    async up(db: Kysely<unknown>) {
      for (const statement of firstTables) await sql.raw(statement).execute(db);
    },
  },
  "0003-assets": {
    async up(db: Kysely<unknown>) {
      for (const statement of assetTables) await sql.raw(statement).execute(db);
    },
  },
  "0006-events": {
    async up(db: Kysely<unknown>) {
      for (const statement of eventTables) await sql.raw(statement).execute(db);
    },
  },
  "0002-people": {
    async up(db: Kysely<unknown>) {
      for (const statement of peopleTables) await sql.raw(statement).execute(db);
    },
  },
  "0005-records": recordsMigration,
};

/** The same for the telemetry. */
export const telemetryMigrations: Record<string, Migration> = {
  "0001-first": {
    async up(db: Kysely<unknown>) {
      await sql.raw("CREATE TABLE heartbeats (player_id TEXT PRIMARY KEY, received_at BIGINT NOT NULL, body TEXT NOT NULL)").execute(db);
    },
  },
  "0005-records": recordsTelemetryMigration,
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

const peopleTables = [
  "ALTER TABLE teams ADD COLUMN updated_at BIGINT NOT NULL DEFAULT 0",
  "ALTER TABLE teams ADD COLUMN deleted_at BIGINT",
  "UPDATE teams SET updated_at = created_at",
  "CREATE TABLE users (id TEXT PRIMARY KEY, name TEXT NOT NULL, email TEXT, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL)",
  `CREATE TABLE members (team_id TEXT NOT NULL REFERENCES teams(id), user_id TEXT NOT NULL REFERENCES users(id), role TEXT NOT NULL,
    created_at BIGINT NOT NULL, PRIMARY KEY (team_id, user_id))`,
  "CREATE INDEX members_by_age ON members (team_id, created_at, user_id)",
  "CREATE INDEX members_by_user ON members (user_id, created_at, team_id)",
  `CREATE TABLE invitations (${owned}, email TEXT NOT NULL, name TEXT NOT NULL, role TEXT NOT NULL, secret_hash TEXT NOT NULL UNIQUE,
    created_by TEXT NOT NULL, expires_at BIGINT NOT NULL, accepted_at BIGINT, revoked_at BIGINT)`,
  "CREATE INDEX invitations_by_age ON invitations (team_id, created_at, id)",
  "ALTER TABLE tokens ADD COLUMN user_id TEXT",
  "ALTER TABLE tokens ADD COLUMN hint TEXT NOT NULL DEFAULT ''",
  "ALTER TABLE tokens ADD COLUMN last_used_at BIGINT",
  "ALTER TABLE tokens ADD COLUMN created_by TEXT",
  "CREATE INDEX tokens_by_age ON tokens (team_id, created_at, id)",
  `CREATE TABLE audit (${owned}, seq BIGINT NOT NULL, user_id TEXT NOT NULL, token_id TEXT NOT NULL, action TEXT NOT NULL,
    resource_type TEXT NOT NULL, resource_id TEXT, before_digest TEXT, after_digest TEXT, address TEXT NOT NULL,
    request_id TEXT NOT NULL, hash TEXT NOT NULL, UNIQUE (team_id, seq))`,
  "CREATE INDEX audit_by_age ON audit (team_id, created_at, id)",
  "CREATE INDEX audit_by_resource ON audit (team_id, resource_id, created_at, id)",
  "CREATE INDEX audit_by_user ON audit (team_id, user_id, created_at, id)",
  "CREATE INDEX audit_by_action ON audit (team_id, action, created_at, id)",
  "CREATE TABLE audit_heads (team_id TEXT PRIMARY KEY, seq BIGINT NOT NULL, hash TEXT NOT NULL)",
  // What was kept of answers is from now on sealed; a day's worth of repeats is the price.
  "DELETE FROM idempotency",
];

// Made anew, since neither engine's common SQL lets a column become nullable. Earlier files get their thumbnails now.
const assetTables = [
  `CREATE TABLE assets_next (${owned}, name TEXT NOT NULL, tags TEXT NOT NULL, status TEXT NOT NULL, kind TEXT, mime_type TEXT,
    size_bytes BIGINT, sha256 TEXT, width BIGINT, height BIGINT, duration_ms BIGINT, page_count BIGINT, codec TEXT,
    warnings TEXT NOT NULL, error TEXT, source_url TEXT, thumbnail_sha256 TEXT, thumbnail_bytes BIGINT,
    thumbnail_tries BIGINT NOT NULL, updated_at BIGINT NOT NULL, deleted_at BIGINT)`,
  `INSERT INTO assets_next (id, team_id, created_at, name, tags, status, kind, mime_type, size_bytes, sha256, width, height,
    duration_ms, codec, warnings, thumbnail_tries, updated_at)
    SELECT id, team_id, created_at, name, '[]', 'processing', CASE WHEN mime_type LIKE 'video/%' THEN 'video' ELSE 'image' END,
    mime_type, size_bytes, sha256, width, height, duration_ms, codec, '[]', 0, created_at FROM assets`,
  "DROP TABLE assets",
  "ALTER TABLE assets_next RENAME TO assets",
  "CREATE INDEX assets_by_age ON assets (team_id, created_at, id)",
  "CREATE INDEX assets_by_hash ON assets (sha256)",
  "CREATE INDEX assets_by_thumbnail ON assets (thumbnail_sha256)",
  "CREATE INDEX assets_by_status ON assets (status)",
  "CREATE INDEX assets_by_deletion ON assets (deleted_at)",
  `CREATE TABLE uploads (${owned}, name TEXT NOT NULL, metadata TEXT NOT NULL, content_type TEXT, size_bytes BIGINT,
    asset_id TEXT, error TEXT, expires_at BIGINT NOT NULL)`,
  "CREATE INDEX uploads_by_expiry ON uploads (expires_at)",
];
