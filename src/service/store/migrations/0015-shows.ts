// Shows, and upload links.
import { migration, owned } from "./statements.ts";

export const showsMigration = migration([
  `CREATE TABLE shows (${owned}, name TEXT NOT NULL, given TEXT NOT NULL, playlist_id TEXT NOT NULL, layout_id TEXT NOT NULL,
    schedule_id TEXT NOT NULL, ends_at BIGINT, cleared_at BIGINT)`,
  "CREATE INDEX shows_by_age ON shows (team_id, created_at, id)",
  "CREATE INDEX shows_by_end ON shows (ends_at)",
  `CREATE TABLE upload_links (${owned}, token_id TEXT NOT NULL, user_id TEXT NOT NULL, hash TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
    most_bytes BIGINT NOT NULL, expires_at BIGINT NOT NULL, asset_id TEXT)`,
  "CREATE INDEX upload_links_by_end ON upload_links (expires_at)",
]);
