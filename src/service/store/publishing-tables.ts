// The rows of versions of content, and of drafts of changes to it.
import type { ContentKind, DraftState } from "../../protocol/operator/publishing.ts";
import type { OwnedRow } from "./owned-row.ts";

/** A resource that the open transaction has written, as it was before: JSON of its columns, or null. */
export interface ContentWriteRow {
  kind: ContentKind;
  id: string;
  team_id: string;
  before: string | null;
}

/** What a resource was like: canonical JSON of its columns. */
export interface ContentImageRow {
  team_id: string;
  hash: string;
  body: string;
}

export interface VersionRow extends OwnedRow {
  number: number;
  /** Who published it; null: the service itself. */
  user_id: string | null;
  note: string | null;
  draft_id: string | null;
  proposed_by: string | null;
  restored_from: number | null;
  change_count: number;
}

/** What a version changed. The hashes are those of images; null: it did not exist. */
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
  /** Who created it. */
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
  /** What the draft has put in the bin, so that it can be restored in the draft; null: nothing. */
  binned: string | null;
  updated_at: number;
}
