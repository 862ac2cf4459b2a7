// The original files of converted assets.
import { migration } from "./statements.ts";

export const originalsMigration = migration([
  "ALTER TABLE assets ADD COLUMN original_sha256 TEXT",
  "ALTER TABLE assets ADD COLUMN original_bytes BIGINT",
  "ALTER TABLE assets ADD COLUMN original_mime_type TEXT",
  "CREATE INDEX assets_by_original ON assets (original_sha256)",
]);
