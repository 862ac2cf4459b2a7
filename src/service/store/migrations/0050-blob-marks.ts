// Marks of blobs that no row references, which are deleted after a time.
import { migration } from "./statements.ts";

export const blobMarksMigration = migration([
  "CREATE TABLE blob_marks (sha256 TEXT PRIMARY KEY, marked_at BIGINT NOT NULL)",
  "CREATE INDEX blob_marks_by_age ON blob_marks (marked_at)",
]);
