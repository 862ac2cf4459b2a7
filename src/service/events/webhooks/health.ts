// How a webhook fares: since when nothing arrives, when its owner is warned and when it is paused. Pure: no clock, no disk.
import type { EventType } from "../../../protocol/operator/events.ts";
import type { WebhookWarning } from "../../../protocol/operator/webhooks.ts";
import type { NewEvent } from "../event-journal.ts";
import type { WebhookRow } from "../../store/event-tables.ts";

const hour = 3_600_000;
/** The owner is warned once every attempt has failed for so long, ms. */
export const warnAfterMs = hour;
const pauseAfterDays = 5;
/** A webhook is paused once every attempt has failed for so long, ms. */
const pauseAfterMs = pauseAfterDays * 24 * hour;
// The first attempts of an event may fail by a short break alone, in a team where little happens.
const attemptsBeforePause = 3;
/** So many deliveries wait for a webhook that {@link isLongUnreachable}, and no more. */
export const maxPending = 10_000;

/** What came of an attempt, as far as it counts for the webhook. */
export interface Outcome {
  is: "delivered" | "failed" | "gone";
  /** Which attempt of its delivery it was. */
  number: number;
  error: string | null;
  /** ms since the epoch. */
  at: number;
}

/** What is as it was at the beginning, once somebody has mended or changed a webhook. */
export const clearedHealth = {
  disabled_reason: null,
  failing_since: null,
  last_error: null,
  warned_at: null,
  paused_at: null,
  paused_reason: null,
  backlog_full_since: null,
} satisfies Partial<WebhookRow>;

/** Whether nothing arrived for so long that its owner is warned. */
export function isLongUnreachable({ failing_since }: Pick<WebhookRow, "failing_since">, now: number): boolean {
  return failing_since !== null && now - failing_since >= warnAfterMs;
}

/** How a webhook stands after an attempt, and what is to be told of it. */
export function healthAfterAttempt(
  webhook: WebhookRow,
  outcome: Outcome,
  now: number,
): { change: Partial<WebhookRow>; events: NewEvent[] } {
  if (outcome.is === "delivered") {
    const change = { last_success_at: now, failing_since: null, last_error: null, warned_at: null };
    return { change, events: webhook.warned_at === null ? [] : [eventOf("webhook.recovered", webhook)] };
  }
  const failingSince = webhook.failing_since ?? Math.trunc(outcome.at);
  const change = { failing_since: failingSince, last_error: outcome.error };
  if (webhook.status !== "enabled") return { change, events: [] };
  const failing = { ...webhook, ...change };
  if (outcome.is === "gone") {
    const reason = "it answered 410 Gone: the receiver wants no more";
    return {
      change: { ...change, status: "disabled", disabled_reason: reason, updated_at: now },
      events: [eventOf("webhook.disabled", failing, { reason })],
    };
  }
  if (outcome.number < attemptsBeforePause || now - failingSince < pauseAfterMs) return { change, events: [] };
  const reason = `nothing arrived for ${pauseAfterDays} days; the last attempt: ${outcome.error ?? "no answer"}`;
  return {
    change: { ...change, status: "paused", paused_at: now, paused_reason: reason, updated_at: now },
    events: [eventOf("webhook.paused", failing, { reason })],
  };
}

/** The event that warns of a webhook which has failed for {@link warnAfterMs}. */
export function warningEvent(webhook: WebhookRow): NewEvent {
  return eventOf("webhook.failing", webhook);
}

/** What is wrong with a webhook, for whoever reads it. */
export function webhookWarnings(webhook: WebhookRow, now: number): WebhookWarning[] {
  const { failing_since, paused_at, backlog_full_since, last_error } = webhook;
  const warnings: WebhookWarning[] = [];
  if (paused_at !== null) {
    const remedy =
      "Mend the receiver, enable the webhook by PATCH, then send what it missed within 24 hours by POST /webhooks/{id}/replay.";
    warnings.push({ code: "paused", since: iso(paused_at), detail: `It is paused: ${webhook.paused_reason ?? ""}`, remedy });
  } else if (failing_since !== null && isLongUnreachable(webhook, now)) {
    const detail = `Nothing arrived since then; the last attempt: ${last_error ?? "no answer"}`;
    const remedy = `Mend the receiver: what failed is tried again by itself. After ${pauseAfterDays} days without a success it is paused.`;
    warnings.push({ code: "failing", since: iso(failing_since), detail, remedy });
  }
  if (backlog_full_since !== null) {
    const detail = `${maxPending.toLocaleString("en")} deliveries were waiting: events since then may be missing.`;
    const remedy = "Mend the receiver, then send what it missed within 24 hours by POST /webhooks/{id}/replay.";
    warnings.push({ code: "backlog-full", since: iso(backlog_full_since), detail, remedy });
  }
  return warnings;
}

/** Without the address: it may hold a secret, and whoever may read events may not read webhooks. */
function eventOf(type: EventType, { id, team_id, name, failing_since, last_error }: WebhookRow, more: { reason?: string } = {}): NewEvent {
  const since = failing_since === null ? null : iso(failing_since);
  return { teamId: team_id, type, data: { webhook_id: id, name, failing_since: since, last_error, ...more }, players: [] };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
