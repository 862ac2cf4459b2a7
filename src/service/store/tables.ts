// The tables of the durable database, with types that SQLite and PostgreSQL share: ids as text, times as epoch ms, JSON as text.
import type { Generated } from "kysely";
import type { AssetKind, AssetStatus } from "../../protocol/content/assets.ts";
import type { AlertGroupRow, AlertRow, AlertSettingsRow, MailRow } from "./alert-tables.ts";
import type { CommandBatchPlayerRow, CommandBatchRow } from "./batch-tables.ts";
import type { EnrolmentKeyRow, EnrolmentRow } from "./enrolment-tables.ts";
import type { EventTables } from "./event-tables.ts";
import type { LimitTables } from "./limit-tables.ts";
import type { LiveTables } from "./live-tables.ts";
import type { PreviewTicketRow, UsedSecretRow } from "./one-time-tables.ts";
import type { OwnedRow } from "./owned-row.ts";
import type { ContentImageRow, ContentWriteRow, DraftChangeRow, DraftRow, VersionChangeRow, VersionRow } from "./publishing-tables.ts";
import type { RolloutPlayerRow, RolloutRow } from "./rollout-tables.ts";
import type { UploadLinkRow, UploadPieceRow, UploadRow } from "./upload-tables.ts";
import type {
  AuditRow,
  EmailProofRow,
  InvitationRow,
  IdentityRow,
  KnownBrowserRow,
  MemberRow,
  PasskeyRow,
  PasswordRow,
  SessionRow,
  SignInLinkRow,
  TeamRow,
  TokenRow,
  UserRow,
} from "./people-tables.ts";

export interface PlayerRow extends OwnedRow {
  name: string;
  layout_id: string | null;
  tags: string;
  timezone: string | null;
  /** JSON object of the variables that conditions of schedules and items use. */
  variables: string;
  orientation: string;
  /** JSON of the part of a video wall that it shows, or null. */
  wall: string | null;
  /** The picture in place of withheld content; null: that of the team. */
  safe_asset_id: string | null;
  /** JSON of the limits of its downloads, or null. */
  downloads: string | null;
  /** JSON of the version that it should run, or null. */
  release: string | null;
  /** JSON of the hours in which its display is on, or null. */
  display_hours: string | null;
  /** JSON array of the commands that it runs by itself. */
  recurring_commands: string;
  /** JSON of its own screenshots and their redaction, or null. */
  screenshots: string | null;
  /** Until when it raises no alerts. */
  maintenance_until: number | null;
  public_key: string;
  thumbprint: string;
  /** JSON of the pairing request, in which the device described itself. */
  reported: string;
  /** The revision of its desired state. Changes only with the state. */
  revision: string;
  updated_at: number;
  /** Set when it was removed. The row is never deleted, so that the service can send the device a signed notice. */
  removed_at: number | null;
  /** Set when it has left the bin and its data is deleted. */
  erased_at: number | null;
}
export interface PlaylistRow extends OwnedRow {
  name: string;
  items: string;
  updated_at: number;
  /** Set while it is in the bin. */
  deleted_at: number | null;
}
export interface LayoutRow extends OwnedRow {
  name: string;
  width: number;
  height: number;
  background_color: string;
  background_asset_id: string | null;
  /** JSON, or null for a cut. */
  transition: string | null;
  zones: string;
  updated_at: number;
  /** Set while it is in the bin. */
  deleted_at: number | null;
}
export interface ScheduleRow extends OwnedRow {
  name: string;
  layout_id: string;
  /** `team`, `tag`, `player` or `any`. */
  target_type: string;
  /** The tag or the player's id; empty for `team`; JSON of the targets for `any`. */
  target_value: string;
  /** Canonical JSON of the other fields. */
  timing: string;
  updated_at: number;
  /** Set while it is in the bin. */
  deleted_at: number | null;
  /** The player with which it was put in the bin, and with which it is restored. */
  deleted_with: string | null;
}
/** What was last reported of a player. */
export interface PlayerLinkRow {
  player_id: string;
  is_online: number;
  since: number;
  error: string | null;
  problems: string;
}
/** A holiday calendar. */
export interface CalendarRow extends OwnedRow {
  name: string;
  /** JSON of its sorted dates. */
  dates: string;
  updated_at: number;
}
/** The content of an override, needed on the player until the override is cleared. */
export interface OverrideRow {
  command_id: string;
  team_id: string;
  player_id: string;
  layout_id: string | null;
  asset_id: string | null;
  created_at: number;
  expires_at: number | null;
  /** The show that it belongs to, an emergency; null: it was set by a command alone. */
  show_id: string | null;
}
export interface AssetRow extends OwnedRow {
  name: string;
  /** JSON array. */
  tags: string;
  status: AssetStatus;
  /** Null until the file has arrived, like mime_type, size_bytes and sha256. */
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
  /** JSON of the error of its import. */
  error: string | null;
  source_url: string | null;
  /** The original of a converted file; else null, like the next two. */
  original_sha256: string | null;
  original_bytes: number | null;
  original_mime_type: string | null;
  thumbnail_sha256: string | null;
  thumbnail_bytes: number | null;
  /** Counts the tries: a file that crashes the process must not do so at every start. */
  thumbnail_tries: number;
  updated_at: number;
  deleted_at: number | null;
}
/** A show: an asset, page or text on some screens for a time, with the resources created for it. */
export interface ShowRow extends OwnedRow {
  name: string;
  /** JSON of the requested content. */
  given: string;
  playlist_id: string;
  layout_id: string;
  schedule_id: string;
  /** Who created it; null: it was created before this was stored. */
  user_id: string | null;
  /** 1: overrides show it too. */
  is_emergency: number;
  /** When it is over in every time zone; null: open-ended. */
  ends_at: number | null;
  /** Set when its resources were put in the bin, on request or after its end. */
  cleared_at: number | null;
}
/** A link by which people without an account read one report. */
export interface ReportLinkRow extends OwnedRow {
  name: string;
  /** The hash of its secret. */
  hash: string;
  hint: string;
  /** JSON of the report that it shows. */
  report: string;
  created_by: string;
  token_id: string;
  expires_at: number;
  revoked_at: number | null;
  opened_count: number;
  last_opened_at: number | null;
}
export interface CommandRow extends OwnedRow {
  player_id: string;
  type: string;
  args: string;
  status: string;
  result: string | null;
  error: string | null;
  /** The signed message for the device. */
  jws: string;
  updated_at: number;
  expires_at: number;
  /** JSON lines of its statuses. Empty: stored by a version that kept only the last one. */
  history: string;
  /** When an operator cancelled it: a device that has not received it must not get it any more. */
  cancel_requested_at: number | null;
  /** The batch and its wave, counted from 0; null: it was sent by itself. */
  batch_id: string | null;
  wave: number | null;
}
export interface ScreenshotRow extends OwnedRow {
  player_id: string;
  command_id: string | null;
  mime_type: string;
  size_bytes: number;
  sha256: string;
  width: number;
  height: number;
  captured_at: number;
}

/** A log that a player sent. Its text is a blob. */
export interface CollectedLogRow extends OwnedRow {
  player_id: string;
  command_id: string | null;
  size_bytes: number;
  sha256: string;
  captured_at: number;
}

/** A problem of a player, as it recorded it. Times in ms since the Unix epoch, from the player's corrected clock. */
export interface ProblemRecordRow {
  player_id: string;
  id: string;
  code: string;
  zone_id: string | null;
  item_id: string | null;
  detail: string;
  remedy: string;
  started_at: number;
  /** Null while it lasts. */
  ended_at: number | null;
  times: number;
  /** By the service's clock. */
  received_at: number;
}

/** All tables of the durable database. */
export interface Tables extends EventTables, LimitTables, LiveTables {
  teams: TeamRow;
  users: UserRow;
  members: MemberRow;
  invitations: InvitationRow;
  tokens: TokenRow;
  sessions: SessionRow;
  sign_in_links: SignInLinkRow;
  passkeys: PasskeyRow;
  passwords: PasswordRow;
  identities: IdentityRow;
  known_browsers: KnownBrowserRow;
  email_proofs: EmailProofRow;
  audit: AuditRow;
  /** The newest entry of each team's audit log. */
  audit_heads: { team_id: string; seq: number; hash: string };
  players: PlayerRow;
  /** An index of the tags of players. */
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
  /** The keys of replaced devices. When such a device connects, the service sends it a signed notice that it was replaced. */
  former_keys: { player_id: string; public_key: string; thumbprint: string; replaced_at: number };
  playlists: PlaylistRow;
  layouts: LayoutRow;
  schedules: ScheduleRow;
  calendars: CalendarRow;
  content_writes: ContentWriteRow;
  content_images: ContentImageRow;
  versions: VersionRow;
  version_changes: VersionChangeRow;
  version_players: { version_id: string; player_id: string; revision: string };
  drafts: DraftRow;
  draft_changes: DraftChangeRow;
  overrides: OverrideRow;
  assets: AssetRow;
  /** Blobs that no row references, and since when. */
  blob_marks: { sha256: string; marked_at: number };
  uploads: UploadRow;
  upload_pieces: UploadPieceRow;
  /** Which request writes an upload, until when (ms), and whether another one wants to. */
  upload_locks: { upload_id: string; holder: string; until: number; is_wanted: number };
  upload_links: UploadLinkRow;
  shows: ShowRow;
  report_links: ReportLinkRow;
  commands: CommandRow;
  command_batches: CommandBatchRow;
  command_batch_players: CommandBatchPlayerRow;
  screenshots: ScreenshotRow;
  collected_logs: CollectedLogRow;
  problem_records: ProblemRecordRow;
  enrolment_keys: EnrolmentKeyRow;
  enrolments: EnrolmentRow;
  rollouts: RolloutRow;
  rollout_players: RolloutPlayerRow;
  alerts: AlertRow;
  alert_settings: AlertSettingsRow;
  alert_groups: AlertGroupRow;
  mails: MailRow;
  /** Messages that a device may have missed. */
  journal: { player_id: string; seq: number; at: number; message: string };
  /** The last and the last trimmed sequence number of each device's journal. */
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
  /** The last reported connection state of each player; `is_online` is 0 or 1. */
  player_links: PlayerLinkRow;
  meta: { key: string; value: string };
  used_secrets: UsedSecretRow;
  preview_tickets: PreviewTicketRow;
}
