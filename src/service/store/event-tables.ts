// The rows of events and webhooks.
import type { Generated } from "kysely";
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

/** The tables of events and of webhooks. */
export interface EventTables {
  events: EventRow;
  /** The last and the last trimmed sequence number of each team's events. */
  event_journals: { team_id: string; last_seq: number; trimmed_seq: Generated<number> };
  event_audiences: { digest: string; players: string; used_at: number };
  webhooks: WebhookRow;
  webhook_messages: { event_id: string; team_id: string; type: string; body: string; created_at: number };
  webhook_deliveries: DeliveryRow;
  webhook_attempts: {
    delivery_id: string;
    number: number;
    at: number;
    duration_ms: number;
    status: number | null;
    body: string | null;
    error: string | null;
  };
}
