// Records the result of a delivery attempt, schedules the next attempt and updates the health of the webhook.
import { dayMs, hourMs, minuteMs } from "../../../base/time.ts";
import type { NewEvent } from "../event-journal.ts";
import type { Db } from "../../store/store.ts";
import type { DueDelivery } from "./due-deliveries.ts";
import { healthAfterAttempt } from "./health.ts";

/** The result of one attempt. */
export interface DeliveryAttempt {
  /** Ms since the epoch. */
  at: number;
  durationMs: number;
  status: number | null;
  body: string | null;
  error: string | null;
  /** The delay that the receiver asked for, ms; null: none. */
  retryAfterMs: number | null;
}

// Ten attempts over 75 hours (Standard Webhooks 1.0, "Deliverability and reliability").
const delaysMs = [0, 5_000, 5 * minuteMs, 30 * minuteMs, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hourMs)];
const jitter = 0.1;
const maxRetryAfterMs = dayMs;

/** Records an attempt, in a transaction. @returns events about the health of the webhook. */
export async function recordAttempt(
  db: Db,
  now: number,
  { delivery, webhook: webhookAsSent }: DueDelivery,
  attempt: DeliveryAttempt,
): Promise<NewEvent[]> {
  const number = delivery.attempts + 1;
  const webhook = await db.selectFrom("webhooks").selectAll().where("id", "=", webhookAsSent.id).executeTakeFirst();
  // The webhook was deleted meanwhile, with all its deliveries.
  if (webhook === undefined) return [];
  const { attempts } = await db.selectFrom("webhook_deliveries").select("attempts").where("id", "=", delivery.id).executeTakeFirstOrThrow();
  // This node was paused, and another one has made this attempt after the end of the claim.
  if (attempts >= number) return [];
  await db
    .insertInto("webhook_attempts")
    .values({
      delivery_id: delivery.id,
      number,
      at: Math.trunc(attempt.at),
      duration_ms: Math.round(attempt.durationMs),
      status: attempt.status,
      body: attempt.body,
      error: attempt.error,
    })
    .execute();
  const isDelivered = attempt.status !== null && attempt.status >= 200 && attempt.status < 300;
  const isGone = attempt.status === 410;
  const isLast = number >= delaysMs.length;
  await db
    .updateTable("webhook_deliveries")
    .set({
      status: isDelivered ? "delivered" : isGone || isLast ? "failed" : "pending",
      attempts: number,
      next_at: isDelivered || isGone || isLast ? null : now + retryDelayMs(number, attempt.retryAfterMs),
      last_status: attempt.status,
      last_error: attempt.error,
      updated_at: now,
    })
    .where("id", "=", delivery.id)
    .where("status", "=", "pending")
    .execute();
  // An attempt at the webhook's previous URL says nothing about the present one.
  if (webhook.url !== webhookAsSent.url) return [];
  const is = isDelivered ? "delivered" : isGone ? "gone" : "failed";
  const { change, events } = healthAfterAttempt(webhook, { is, number, error: attempt.error, at: attempt.at }, now);
  await db.updateTable("webhooks").set(change).where("id", "=", webhook.id).execute();
  if (change.status !== undefined) await cancelPending(db, now, webhook.id);
  return events;
}

/** @param number of the attempt that failed, from 1. */
function retryDelayMs(number: number, retryAfterMs: number | null): number {
  const delayMs = (delaysMs[number] ?? 0) * (1 + jitter * Math.random());
  return Math.round(Math.max(delayMs, Math.min(retryAfterMs ?? 0, maxRetryAfterMs)));
}

/** Cancels the pending deliveries of a webhook. */
export async function cancelPending(db: Db, now: number, webhookId: string): Promise<void> {
  await db
    .updateTable("webhook_deliveries")
    .set({ status: "cancelled", next_at: null, updated_at: now })
    .where("webhook_id", "=", webhookId)
    .where("status", "=", "pending")
    .execute();
}
