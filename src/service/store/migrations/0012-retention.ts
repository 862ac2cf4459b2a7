// Indexes that find expired rows without a full table scan.
import { migration } from "./statements.ts";

export const retentionMigration = migration([
  "CREATE INDEX commands_by_end ON commands (updated_at)",
  "CREATE INDEX screenshots_by_time ON screenshots (created_at)",
  "CREATE INDEX idempotency_by_age ON idempotency (created_at)",
  "CREATE INDEX device_tokens_by_end ON device_tokens (expires_at)",
]);
