// The rows of alerts, their settings, and the mails about them.
import type { AlertCloseReason, AlertKind } from "../../protocol/operator/alerts.ts";
import type { OwnedRow } from "./owned-row.ts";

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
  /** JSON of what an operator has set. */
  rules: string;
  updated_at: number;
}

/** Alerts that were mailed together. Its id is that of its first mail. */
export interface AlertGroupRow extends OwnedRow {
  /** What is wrong, such as “12 screens at Berlin Hbf are offline”. */
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
