// Finds the deliveries that are due.
import type { Db } from "../../store/store.ts";
import type { DeliveryRow, WebhookRow } from "../../store/tables/events.ts";

/** A delivery that is due, with everything that is needed to send it. */
export interface DueDelivery {
  delivery: DeliveryRow;
  webhook: WebhookRow;
  body: string;
}

/**
 * The deliveries that are due at `now`, except those in `sending` (ids by webhook). Of each webhook at most `maxPerWebhook` are sent
 * at the same time, so that a dead endpoint with thousands of deliveries does not block others. A delivery stays pending while it
 * is sent: after a crash it is sent again, with the same id.
 */
export async function dueDeliveries(
  db: Db,
  now: number,
  sending: ReadonlyMap<string, ReadonlySet<string>>,
  maxPerWebhook: number,
): Promise<DueDelivery[]> {
  const webhooks = await db
    .selectFrom("webhooks")
    .selectAll()
    .where("status", "=", "enabled")
    .where((row) =>
      row.exists(
        row
          .selectFrom("webhook_deliveries")
          .select("webhook_deliveries.id")
          .whereRef("webhook_deliveries.webhook_id", "=", "webhooks.id")
          .where("webhook_deliveries.status", "=", "pending")
          .where("webhook_deliveries.next_at", "<=", now),
      ),
    )
    .execute();
  const due: DueDelivery[] = [];
  for (const webhook of webhooks) {
    // A copy: one that ends while the query runs may still be pending in its result.
    const inProgress = new Set(sending.get(webhook.id));
    const free = maxPerWebhook - inProgress.size;
    if (free <= 0) continue;
    const rows = await db
      .selectFrom("webhook_deliveries")
      .innerJoin("webhook_messages", "webhook_messages.event_id", "webhook_deliveries.event_id")
      .selectAll("webhook_deliveries")
      .select("webhook_messages.body")
      .where("webhook_id", "=", webhook.id)
      .where("status", "=", "pending")
      .where("next_at", "<=", now)
      .orderBy("next_at")
      .orderBy("webhook_deliveries.id")
      .limit(maxPerWebhook)
      .execute();
    const waiting = rows.filter(({ id }) => !inProgress.has(id)).slice(0, free);
    due.push(...waiting.map(({ body, ...delivery }) => ({ delivery, webhook, body })));
  }
  return due;
}

/** When the next delivery after `now` is due, ms since the epoch; null when there is none. */
export async function nextDueAt(db: Db, now: number): Promise<number | null> {
  const row = await db
    .selectFrom("webhook_deliveries")
    .innerJoin("webhooks", "webhooks.id", "webhook_deliveries.webhook_id")
    .select((each) => each.fn.min<number | null>("next_at").as("next_at"))
    .where("webhook_deliveries.status", "=", "pending")
    .where("webhooks.status", "=", "enabled")
    .where("next_at", ">", now)
    .executeTakeFirst();
  return row?.next_at ?? null;
}
