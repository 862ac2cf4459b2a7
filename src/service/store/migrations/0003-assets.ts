// Asset kinds, the bin, thumbnails, imports and resumable uploads.
import { migration, owned } from "./statements.ts";

// Copies the table, since the SQL that both engines share cannot make a column nullable. Existing assets get thumbnails now.
export const assetsMigration = migration([
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
]);
