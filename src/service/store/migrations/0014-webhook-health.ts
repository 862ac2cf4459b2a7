// The health of webhooks: last success, start of the failures, warnings and pauses.
import { migration } from "./statements.ts";

export const webhookHealthMigration = migration([
  "ALTER TABLE webhooks ADD COLUMN last_success_at BIGINT",
  "ALTER TABLE webhooks ADD COLUMN failing_since BIGINT",
  "ALTER TABLE webhooks ADD COLUMN last_error TEXT",
  "ALTER TABLE webhooks ADD COLUMN warned_at BIGINT",
  "ALTER TABLE webhooks ADD COLUMN paused_at BIGINT",
  "ALTER TABLE webhooks ADD COLUMN paused_reason TEXT",
  "ALTER TABLE webhooks ADD COLUMN backlog_full_since BIGINT",
]);
