// The tables of the durable database, with types that SQLite and PostgreSQL share: ids as text, times as epoch ms, JSON as text.
import type { Generated } from "kysely";
import type {
  AssetRow,
  CalendarRow,
  ContentImageRow,
  ContentWriteRow,
  DraftChangeRow,
  DraftRow,
  LayoutRow,
  PlaylistRow,
  ReportLinkRow,
  ScheduleRow,
  ShowRow,
  UploadLinkRow,
  UploadPieceRow,
  UploadRow,
  VersionChangeRow,
  VersionRow,
} from "./content.ts";
import type { AlertGroupRow, AlertRow, AlertSettingsRow, EventTables, MailRow } from "./events.ts";
import type {
  CollectedLogRow,
  CommandBatchPlayerRow,
  CommandBatchRow,
  CommandRow,
  EnrolmentKeyRow,
  EnrolmentRow,
  LiveTables,
  OverrideRow,
  PlayerLinkRow,
  PlayerRow,
  ProblemRecordRow,
  RolloutPlayerRow,
  RolloutRow,
  ScreenshotRow,
} from "./fleet.ts";
import type {
  AuditRow,
  EmailProofRow,
  IdentityRow,
  InvitationRow,
  KnownBrowserRow,
  LimitTables,
  MemberRow,
  PasskeyRow,
  PasswordRow,
  PreviewTicketRow,
  SessionRow,
  SignInLinkRow,
  TeamRow,
  TokenRow,
  UsedSecretRow,
  UserRow,
} from "./people.ts";

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
