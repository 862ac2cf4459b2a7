// The rows of events and webhooks.
import type { OwnedRow } from "./owned-row.ts";

export interface EventRow extends OwnedRow {
  /** The position in the team's journal: 1, 2, 3 … */
  seq: number;
  kind: string | null;
  type: string;
  /** The affected players: empty, one id, or the digest of a row of event_audiences. */
  audience: string;
  data: string;
}

export interface WebhookRow extends OwnedRow {
  name: string;
  url: string;
  events: string;
  /** JSON of secrets, the newest first. Stored in plain text, since they sign every message. */
  secrets: string;
  /** enabled, paused, disabled. */
  status: string;
  disabled_reason: string | null;
  last_success_at: number | null;
  /** The start of the current series of failures. */
  failing_since: number | null;
  last_error: string | null;
  /** When the owner was warned of the failures. */
  warned_at: number | null;
  paused_at: number | null;
  paused_reason: string | null;
  /** Since when events may be missing, because too many deliveries waited. */
  backlog_full_since: number | null;
  updated_at: number;
}

export interface DeliveryRow extends OwnedRow {
  webhook_id: string;
  event_id: string;
  type: string;
  status: string;
  attempts: number;
  next_at: number | null;
  last_status: number | null;
  last_error: string | null;
  updated_at: number;
}
