// Uploads that go on at any node: the pieces that are in the bucket, and who writes.
import { migration } from "./statements.ts";

export const uploadPiecesMigration = migration([
  `CREATE TABLE upload_pieces (upload_id TEXT NOT NULL, start BIGINT NOT NULL, size_bytes BIGINT NOT NULL, sha256 TEXT NOT NULL,
    object TEXT NOT NULL, PRIMARY KEY (upload_id, start))`,
  "CREATE TABLE upload_locks (upload_id TEXT PRIMARY KEY, holder TEXT NOT NULL, until BIGINT NOT NULL, is_wanted BIGINT NOT NULL)",
]);
