// Rows of the tables about uploads: resumable ones, and links that allow one.
import type { OwnedRow } from "./owned-row.ts";

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
