// Events, webhooks, alerts and mails.
import type { AlertCloseReason, AlertKind } from "../../../protocol/operator/alerts.ts";
import type { OwnedRow } from "./owned-row.ts";
import type { Generated } from "kysely";

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

export interface AlertRow extends OwnedRow {
  player_id: string;
  player_name: string;
  kind: AlertKind;
  state: "open" | "closed";
  site: string | null;
  /** The public address of its line. */
  address: string | null;
  since: number;
  opened_at: number;
  closed_at: number | null;
  close_reason: AlertCloseReason | null;
  detail: string;
  remedy: string;
  acknowledged_at: number | null;
  acknowledged_by: string | null;
  acknowledged_name: string | null;
  /** The group that was mailed together; null: not mailed yet; empty: it is not mailed. */
  mail_group: string | null;
}

export interface AlertSettingsRow {
  team_id: string;
  /** JSON of the rules that an operator has set. */
  rules: string;
  updated_at: number;
}

/** Alerts that were mailed together. Its id is that of its first mail. */
export interface AlertGroupRow extends OwnedRow {
  /** The problem, such as “12 screens at Berlin Hbf are offline”. */
  title: string;
  mailed_at: number;
  /** When all of its alerts were closed. */
  closed_at: number | null;
}

export interface MailRow extends OwnedRow {
  /** JSON array of addresses. */
  recipients: string;
  subject: string;
  body: string;
  html: string;
  /** The id of the first mail of its group. */
  thread: string | null;
  /** JSON of the secret that it gets when it is sent; null: none. */
  secret_for: string | null;
  status: "pending" | "sent" | "failed";
  attempts: number;
  next_at: number | null;
  last_error: string | null;
  updated_at: number;
}
