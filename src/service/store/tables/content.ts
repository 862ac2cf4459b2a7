// Content and its publishing: playlists, layouts, schedules, calendars, assets, uploads, drafts, versions, shows and reports.
import type { AssetKind, AssetStatus } from "../../../protocol/content/assets.ts";
import type { ContentKind, DraftState } from "../../../protocol/operator/publishing.ts";
import type { OwnedRow } from "./owned-row.ts";

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

/** A holiday calendar. */
export interface CalendarRow extends OwnedRow {
  name: string;
  /** JSON of its sorted dates. */
  dates: string;
  updated_at: number;
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
  /** The user who created it; null: it was created before this was stored. */
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

/** A resource that the open transaction has written, as it was before: JSON of its columns, or null. */
export interface ContentWriteRow {
  kind: ContentKind;
  id: string;
  team_id: string;
  before: string | null;
}

/** A state of a resource, before or after a change: canonical JSON of its columns. */
export interface ContentImageRow {
  team_id: string;
  hash: string;
  body: string;
}

export interface VersionRow extends OwnedRow {
  number: number;
  /** The user who published it; null: the service itself. */
  user_id: string | null;
  note: string | null;
  draft_id: string | null;
  proposed_by: string | null;
  restored_from: number | null;
  change_count: number;
}

/** A change of a resource by a version. The hashes are those of images; null: it did not exist. */
export interface VersionChangeRow {
  version_id: string;
  team_id: string;
  number: number;
  kind: ContentKind;
  resource_id: string;
  name: string;
  action: "created" | "changed" | "deleted";
  before_hash: string | null;
  after_hash: string | null;
}

export interface DraftRow extends OwnedRow {
  name: string;
  note: string | null;
  state: DraftState;
  /** The user who created it. */
  user_id: string;
  proposed_at: number | null;
  proposed_by: string | null;
  decided_by: string | null;
  word: string | null;
  /** The number of the version that it became. */
  version: number | null;
  updated_at: number;
}

/** A change of a draft: images of the resource when the draft first changed it, and as the draft publishes it; null: there is none. */
export interface DraftChangeRow {
  draft_id: string;
  team_id: string;
  kind: ContentKind;
  resource_id: string;
  name: string;
  base: string | null;
  after: string | null;
  /** The resource that the draft has put in the bin, so that it can be restored in the draft; null: nothing. */
  binned: string | null;
  updated_at: number;
}

/** Bytes of an unfinished upload that are in the bucket, behind those of the pieces before. */
export interface UploadPieceRow {
  upload_id: string;
  start: number;
  size_bytes: number;
  sha256: string;
  /** The last part of the object's key. */
  object: string;
}

/** A resumable upload. Until its end its bytes are in a file named by its id, or in pieces in the bucket. */
export interface UploadRow extends OwnedRow {
  name: string;
  /** JSON of the tus metadata from the sender. */
  metadata: string;
  content_type: string | null;
  size_bytes: number | null;
  /** Null until the upload is complete and accepted. */
  asset_id: string | null;
  error: string | null;
  expires_at: number;
}

/** A link that allows one upload without a token, for a limited time. */
export interface UploadLinkRow extends OwnedRow {
  token_id: string;
  user_id: string;
  /** The hash of the secret in its URL. */
  hash: string;
  /** The name of the future asset. */
  name: string;
  most_bytes: number;
  expires_at: number;
  /** Null until the file has arrived. */
  asset_id: string | null;
}
