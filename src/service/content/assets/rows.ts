// Converts assets between database rows and API resources.
import { iso } from "../../../base/time.ts";
import type { Asset, AssetKind } from "../../../protocol/content/assets.ts";
import type { MediaInfo } from "../../media/job-protocol.ts";
import type { AssetRow } from "../../store/tables/content.ts";

/** The row of an asset that has its file. */
export type StoredAssetRow = AssetRow & { kind: AssetKind; mime_type: string; size_bytes: number; sha256: string };

/** A received and examined file. */
export interface StoredFile {
  sha256: string;
  sizeBytes: number;
}

/** The received and total bytes of a running import; null when there is none. */
export type ProgressOf = (assetId: string) => Asset["progress"];

/** True if an asset has its file. */
export function isStored(row: AssetRow): row is StoredAssetRow {
  return row.sha256 !== null;
}

/** The row of a new asset that has no file yet. */
export function newAssetRow(identity: Pick<AssetRow, "id" | "team_id" | "name" | "created_at">): AssetRow {
  return {
    ...identity,
    tags: "[]",
    status: "importing",
    kind: null,
    mime_type: null,
    size_bytes: null,
    sha256: null,
    width: null,
    height: null,
    duration_ms: null,
    page_count: null,
    codec: null,
    warnings: "[]",
    error: null,
    source_url: null,
    original_sha256: null,
    original_bytes: null,
    original_mime_type: null,
    thumbnail_sha256: null,
    thumbnail_bytes: null,
    thumbnail_tries: 0,
    updated_at: identity.created_at,
    deleted_at: null,
  };
}

/** The properties of a file, and the converted file if screens cannot show the original. */
export interface ExaminationResult {
  media: MediaInfo;
  converted: StoredFile | null;
}

/** The columns to set when an asset gets its file. Images and videos stay `processing` until they have a thumbnail. */
export function fileColumns(sent: StoredFile, { media, converted }: ExaminationResult): Partial<AssetRow> {
  const file = converted ?? sent;
  const original = { original_sha256: sent.sha256, original_bytes: sent.sizeBytes, original_mime_type: media.convertedFrom };
  const hasThumbnail = media.kind === "image" || media.kind === "video";
  return {
    status: hasThumbnail ? "processing" : "ready",
    kind: media.kind,
    mime_type: media.mimeType,
    size_bytes: file.sizeBytes,
    sha256: file.sha256,
    width: media.width,
    height: media.height,
    duration_ms: media.durationMs,
    page_count: media.pageCount,
    codec: media.codec,
    warnings: JSON.stringify(media.warnings),
    ...(converted === null ? {} : original),
  };
}

/** An asset as an API resource. */
export function showAsset(row: AssetRow, progressOf: ProgressOf): Asset {
  const path = `/api/v1/assets/${row.id}`;
  return {
    id: row.id,
    name: row.name,
    tags: tagsOf(row),
    status: row.status,
    kind: row.kind,
    mime_type: row.mime_type,
    size_bytes: row.size_bytes,
    sha256: row.sha256,
    width: row.width,
    height: row.height,
    duration_ms: row.duration_ms,
    page_count: row.page_count,
    codec: row.codec,
    warnings: JSON.parse(row.warnings) as Asset["warnings"],
    error: row.error === null ? null : (JSON.parse(row.error) as Asset["error"]),
    progress: row.status === "importing" ? (progressOf(row.id) ?? { received_bytes: 0, total_bytes: null }) : null,
    source_url: row.source_url === null ? null : withoutQuery(row.source_url),
    url: isStored(row) ? `${path}/content` : null,
    original: originalOf(row, path),
    thumbnail_url: row.thumbnail_sha256 === null ? null : `${path}/thumbnail`,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
    deleted_at: iso(row.deleted_at),
  };
}

function originalOf({ original_sha256, original_bytes, original_mime_type }: AssetRow, path: string): Asset["original"] {
  if (original_sha256 === null || original_bytes === null || original_mime_type === null) return null;
  return { mime_type: original_mime_type, size_bytes: original_bytes, sha256: original_sha256, url: `${path}/original` };
}

/** The fields that operators set. The ETag covers only these, so that a finished thumbnail does not fail an If-Match. */
export function assetVersion({ id, name, tags, deleted_at }: Asset): unknown {
  return { id, name, tags, deleted_at };
}

export function tagsOf(row: Pick<AssetRow, "tags">): string[] {
  return JSON.parse(row.tags) as string[];
}

/** A URL without its query, which may hold a signature or a key. */
export function withoutQuery(address: string): string {
  const { origin, pathname } = new URL(address);
  return origin + pathname;
}
