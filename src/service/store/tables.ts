// The tables, in the SQL that SQLite and PostgreSQL share: text ids, epoch milliseconds, JSON as text.
import type { Generated } from "kysely";
import type { AssetKind, AssetStatus } from "../../protocol/content/assets.ts";
import type { HeartbeatMinuteRow } from "./telemetry-tables.ts";

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
  orientation: string;
  /** The part of a video wall that it shows: JSON; null: none. */
  wall: string | null;
  public_key: string;
  thumbprint: string;
  /** What the box said of itself when it asked for its code: JSON of a pairing request. */
  reported: string;
  /** The revision of its desired state; moves only when what it should show does. */
  revision: string;
  updated_at: number;
  /** Set when it was deleted. The row stays, so that the device can be told so, signed, for ever. */
  removed_at: number | null;
  /** Set when it has left the bin for good, and its data with it. */
  erased_at: number | null;
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
  background_asset_id: string | null;
  /** JSON; null: a cut. */
  transition: string | null;
  zones: string;
  updated_at: number;
  /** Set while it is in the bin. */
  deleted_at: number | null;
}
export interface ScheduleRow extends Owned {
  name: string;
  layout_id: string;
  /** `team`, `tag`, `player` or `any`. */
  target_type: string;
  /** The tag or the player's id; empty for the team; of `any` the JSON of its targets. */
  target_value: string;
  /** Everything else: JSON, fields in order. */
  timing: string;
  updated_at: number;
  /** Set while it is in the bin. */
  deleted_at: number | null;
  /** The player that it was put in the bin with, and comes back with. */
  deleted_with: string | null;
}
/** A named list of dates. */
export interface CalendarRow extends Owned {
  name: string;
  /** JSON of its days, in order. */
  dates: string;
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
  /** The bytes as they were sent, where they were converted; else null, as the next two. */
  original_sha256: string | null;
  original_bytes: number | null;
  original_mime_type: string | null;
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
/** One thing on some screens for a time, and what was made for it. */
export interface ShowRow extends Owned {
  name: string;
  /** What was asked for: JSON. */
  given: string;
  playlist_id: string;
  layout_id: string;
  schedule_id: string;
  /** By when it is over in every zone, epoch ms; null: open-ended. */
  ends_at: number | null;
  /** Set when what was made went into the bin, by request or because its time was over. */
  cleared_at: number | null;
}
/** Leave to send one file without a token, for a while. */
export interface UploadLinkRow extends Owned {
  token_id: string;
  user_id: string;
  /** Of the secret in its address. */
  hash: string;
  /** The name of the asset that it will become. */
  name: string;
  most_bytes: number;
  expires_at: number;
  /** Null until the file came. */
  asset_id: string | null;
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
  /** enabled, paused, disabled. */
  status: string;
  disabled_reason: string | null;
  last_success_at: number | null;
  /** Since when every attempt has failed. */
  failing_since: number | null;
  last_error: string | null;
  /** When its owner was told that it fails. */
  warned_at: number | null;
  paused_at: number | null;
  paused_reason: string | null;
  /** Since when events may be missing, as too many deliveries waited. */
  backlog_full_since: number | null;
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
  /** The token that made it, which may be gone by now. Null for those of earlier versions. */
  token_id: string | null;
  /** When that token ends; null: never. */
  token_expires_at: number | null;
  /** What that token held of the role's scopes: JSON. */
  scopes: string;
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
  /** The keys of boxes that a player has moved away from: each is told so, signed, whenever it asks. */
  former_keys: { player_id: string; public_key: string; thumbprint: string; replaced_at: number };
  playlists: PlaylistRow;
  layouts: LayoutRow;
  schedules: ScheduleRow;
  calendars: CalendarRow;
  overrides: OverrideRow;
  assets: AssetRow;
  uploads: UploadRow;
  upload_links: UploadLinkRow;
  shows: ShowRow;
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
  player_links: { player_id: string; is_online: number; since: number; error: string | null; problems: string };
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
  heartbeat_minutes: HeartbeatMinuteRow;
}
