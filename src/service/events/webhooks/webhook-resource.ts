// Finds a webhook and shows it as the API does.
import { iso } from "../../../base/time.ts";
import type { Webhook } from "../../../protocol/operator/webhooks.ts";
import { found } from "../../http/problem.ts";
import type { WebhookRow } from "../../store/tables/events.ts";
import type { Db } from "../../store/store.ts";
import { findTeamRow } from "../../store/tables/team-rows.ts";
import { webhookWarnings } from "./health.ts";
import { validSecrets } from "./secrets.ts";

/** A webhook of the team. @throws ProblemError 404. */
export async function findWebhook(db: Db, teamId: string, webhookId: string): Promise<WebhookRow> {
  return found(await findTeamRow(db, "webhooks", teamId, webhookId), "webhook");
}

/** The webhook in its API form: with its warnings at `now`, and hints instead of its secrets. */
export function showWebhook(row: WebhookRow, now: number): Webhook {
  return {
    id: row.id,
    name: row.name,
    url: row.url,
    events: JSON.parse(row.events) as Webhook["events"],
    status: row.status as Webhook["status"],
    disabled_reason: row.disabled_reason,
    last_success_at: iso(row.last_success_at),
    failing_since: iso(row.failing_since),
    paused_at: iso(row.paused_at),
    paused_reason: row.paused_reason,
    warnings: webhookWarnings(row, now),
    secrets: validSecrets(row, now).map(({ secret, expires_at }) => ({
      hint: secret.slice(-4),
      expires_at: iso(expires_at),
    })),
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  };
}
