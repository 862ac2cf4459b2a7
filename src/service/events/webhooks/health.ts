// The health of a webhook: since when it fails, when an event warns of it and when it is paused. Pure: no clock, no disk.
import { dayMs, hourMs, iso } from "../../../base/time.ts";
import type { EventType } from "../../../protocol/operator/events.ts";
import type { WebhookWarning } from "../../../protocol/operator/webhooks.ts";
import type { NewEvent } from "../event-journal.ts";
import type { WebhookRow } from "../../store/tables/events.ts";
import type { Db } from "../../store/store.ts";

/** An event warns of a webhook after all attempts have failed for this time. */
const warnAfterMs = hourMs;
const pauseAfterDays = 5;
/** A webhook is paused after all attempts have failed for this time. */
const pauseAfterMs = pauseAfterDays * dayMs;
// In a team with few events one short outage could span the five days: a delivery must have failed several times.
const attemptsBeforePause = 3;
/** How many deliveries at most are pending for a webhook that {@link isLongUnreachable}. */
export const maxPending = 10_000;

/** The result of an attempt, as far as it matters for the webhook's health. */
export interface Outcome {
  is: "delivered" | "failed" | "gone";
  /** The number of the attempt in its delivery, from 1. */
  number: number;
  error: string | null;
  /** Ms since the epoch. */
  at: number;
}

/** The health of a new webhook, or of one that was changed or enabled again. */
export const clearedHealth = {
  disabled_reason: null,
  failing_since: null,
  last_error: null,
  warned_at: null,
  paused_at: null,
  paused_reason: null,
  backlog_full_since: null,
} satisfies Partial<WebhookRow>;

/** True if all attempts have failed for at least {@link warnAfterMs}. */
export function isLongUnreachable({ failing_since }: Pick<WebhookRow, "failing_since">, now: number): boolean {
  return failing_since !== null && now - failing_since >= warnAfterMs;
}

/** The changes to a webhook after an attempt, and the events about them. */
export function healthAfterAttempt(
  webhook: WebhookRow,
  outcome: Outcome,
  now: number,
): { change: Partial<WebhookRow>; events: NewEvent[] } {
  if (outcome.is === "delivered") {
    const change = { last_success_at: now, failing_since: null, last_error: null, warned_at: null };
    return { change, events: webhook.warned_at === null ? [] : [healthEvent("webhook.recovered", webhook)] };
  }
  const failingSince = webhook.failing_since ?? Math.trunc(outcome.at);
  const change = { failing_since: failingSince, last_error: outcome.error };
  if (webhook.status !== "enabled") return { change, events: [] };
  const failing = { ...webhook, ...change };
  if (outcome.is === "gone") {
    const reason = "the receiver responded 410 Gone: it wants no more messages";
    return {
      change: { ...change, status: "disabled", disabled_reason: reason, updated_at: now },
      events: [healthEvent("webhook.disabled", failing, { reason })],
    };
  }
  if (outcome.number < attemptsBeforePause || now - failingSince < pauseAfterMs) return { change, events: [] };
  const reason = `all attempts failed for ${pauseAfterDays} days; last error: ${outcome.error ?? "no response"}`;
  return {
    change: { ...change, status: "paused", paused_at: now, paused_reason: reason, updated_at: now },
    events: [healthEvent("webhook.paused", failing, { reason })],
  };
}

/** The event that warns of a failing webhook. */
function warningEvent(webhook: WebhookRow): NewEvent {
  return healthEvent("webhook.failing", webhook);
}

/** The warnings that the API shows for a webhook. */
export function webhookWarnings(webhook: WebhookRow, now: number): WebhookWarning[] {
  const { failing_since, paused_at, backlog_full_since, last_error } = webhook;
  const warnings: WebhookWarning[] = [];
  if (paused_at !== null) {
    const remedy =
      "Repair the receiver, enable the webhook with PATCH, then resend the events of the last 24 hours with POST /webhooks/{id}/replay.";
    warnings.push({ code: "paused", since: iso(paused_at), detail: `The webhook is paused: ${webhook.paused_reason ?? ""}`, remedy });
  } else if (failing_since !== null && isLongUnreachable(webhook, now)) {
    const detail = `All attempts have failed since then; last error: ${last_error ?? "no response"}`;
    const remedy = `Repair the receiver; failed deliveries are retried automatically. After ${pauseAfterDays} days without a success the webhook is paused.`;
    warnings.push({ code: "failing", since: iso(failing_since), detail, remedy });
  }
  if (backlog_full_since !== null) {
    const detail = `${maxPending.toLocaleString("en")} deliveries were pending: events since then may be missing.`;
    const remedy = "Repair the receiver, then resend the events of the last 24 hours with POST /webhooks/{id}/replay.";
    warnings.push({ code: "backlog-full", since: iso(backlog_full_since), detail, remedy });
  }
  return warnings;
}

/** Does not include the URL: it may contain a secret, and not everyone who may read events may read webhooks. */
function healthEvent(
  type: EventType,
  { id, team_id, name, failing_since, last_error }: WebhookRow,
  more: { reason?: string } = {},
): NewEvent {
  const since = iso(failing_since);
  return { teamId: team_id, type, data: { webhook_id: id, name, failing_since: since, last_error, ...more }, players: [] };
}

/** The enabled webhooks that have failed for an hour and have no warning yet. */
export function webhooksToWarn(db: Db, now: number): Promise<WebhookRow[]> {
  return db
    .selectFrom("webhooks")
    .selectAll()
    .where("failing_since", "<=", Math.trunc(now) - warnAfterMs)
    .where("warned_at", "is", null)
    .where("status", "=", "enabled")
    .execute();
}

/** Marks these webhooks as warned, in a transaction. @returns the warning events. */
export async function markWarned(db: Db, now: number): Promise<NewEvent[]> {
  const webhooks = await webhooksToWarn(db, now);
  for (const { id } of webhooks) {
    await db
      .updateTable("webhooks")
      .set({ warned_at: Math.trunc(now) })
      .where("id", "=", id)
      .execute();
  }
  return webhooks.map(warningEvent);
}
