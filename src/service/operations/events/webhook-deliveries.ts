// The delivery log of a webhook: what was sent, what came of it, and sending it again.
import { z } from "zod";
import { page, PageQuery } from "../../../protocol/operator/resources.ts";
import { Delivery, DeliveryDetail, DeliveryStatus } from "../../../protocol/operator/webhooks.ts";
import { id, Timestamp } from "../../../protocol/common.ts";
import { pageOf } from "../../http/paging.ts";
import { ProblemError } from "../../http/problem.ts";
import type { DeliveryRow, WebhookRow } from "../../store/event-tables.ts";
import { change, found, operation, type Operation, type OperatorContext } from "../operation.ts";

const ofWebhook = z.strictObject({ id: id("whk") });
const oneDelivery = z.strictObject({ id: id("whk"), delivery_id: id("dlv") });

export const webhookDeliveryOperations: readonly Operation[] = [
  operation({
    name: "listWebhookDeliveries",
    tag: "webhooks",
    method: "GET",
    path: "/webhooks/{id}/deliveries",
    summary: "List what was sent to a webhook",
    description: "Newest first. Kept for 30 days.",
    caller: "operator",
    scope: "webhooks:read",
    params: ofWebhook,
    query: PageQuery.extend({ status: DeliveryStatus.optional() }),
    status: 200,
    output: page(Delivery),
    errors: ["not-found", "invalid"],
    async run(context, { params, query: { status, ...query } }) {
      await demandWebhook(context, params.id);
      const all = context.parts.store.db.selectFrom("webhook_deliveries").selectAll().where("webhook_id", "=", params.id);
      return pageOf(status === undefined ? all : all.where("status", "=", status), query, showDelivery);
    },
  }),
  operation({
    name: "getWebhookDelivery",
    tag: "webhooks",
    method: "GET",
    path: "/webhooks/{id}/deliveries/{delivery_id}",
    summary: "Read a delivery and its attempts",
    description: "With the body that is sent and the beginning of each answer.",
    caller: "operator",
    scope: "webhooks:read",
    params: oneDelivery,
    status: 200,
    output: DeliveryDetail,
    errors: ["not-found"],
    async run(context, { params }) {
      const row = found(await find(context, params.id, params.delivery_id), "delivery");
      const { db } = context.parts.store;
      const message = await db.selectFrom("webhook_messages").select("body").where("event_id", "=", row.event_id).executeTakeFirstOrThrow();
      const attempts = await db.selectFrom("webhook_attempts").selectAll().where("delivery_id", "=", row.id).orderBy("at").execute();
      const log = attempts.map(({ number, at, duration_ms, status, body, error }) => ({
        attempt: number,
        at: new Date(at).toISOString(),
        duration_ms,
        response_status: status,
        response_body: body,
        error,
      }));
      return { ...showDelivery(row), body: message.body, log };
    },
  }),
  operation({
    name: "replayWebhookDelivery",
    tag: "webhooks",
    method: "POST",
    path: "/webhooks/{id}/deliveries/{delivery_id}/replay",
    summary: "Send a delivery again",
    description: "Under the same `webhook-id`, so that a receiver that has it already can tell.",
    caller: "operator",
    scope: "webhooks:write",
    params: oneDelivery,
    status: 202,
    output: Delivery,
    errors: ["not-found", "conflict"],
    async run(context, { params }) {
      found(await find(context, params.id, params.delivery_id), "delivery");
      const write = async (db: typeof context.parts.store.db) => {
        const count = await context.parts.deliveries.replay(db, params.id, { id: params.delivery_id });
        if (count === 0) throw new ProblemError("conflict", "The delivery is still on its way");
        return { result: undefined };
      };
      return change(context, write, async (db) => showDelivery(found(await find(context, params.id, params.delivery_id, db), "delivery")));
    },
  }),
  operation({
    name: "replayFailedWebhookDeliveries",
    tag: "webhooks",
    method: "POST",
    path: "/webhooks/{id}/replay",
    summary: "Send everything that failed again",
    description:
      "After the receiver was repaired: all deliveries since an instant that failed or were called off, and the events of the last 24 hours that were not kept for it while it was paused or disabled, or while too many waited. Each under its own `webhook-id`, in no promised order.",
    caller: "operator",
    scope: "webhooks:write",
    params: ofWebhook,
    body: z.strictObject({ since: Timestamp }),
    example: { since: "2026-11-20T00:00:00Z" },
    status: 202,
    output: z.object({ count: z.int().min(0) }),
    errors: ["not-found", "invalid"],
    async run(context, { params, body }) {
      const { deliveries } = context.parts;
      return change(context, async (db) => {
        const webhook = await demandWebhook(context, params.id, db);
        const since = Date.parse(body.since);
        const failed = await deliveries.replay(db, webhook.id, { failedSince: since });
        return { result: { count: failed + (await deliveries.addMissed(db, webhook, since)) } };
      });
    },
  }),
];

/** The delivery as REST shows it. */
export function showDelivery(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    webhook_id: row.webhook_id,
    event_id: row.event_id,
    type: row.type as Delivery["type"],
    status: row.status as Delivery["status"],
    attempts: row.attempts,
    next_attempt_at: row.next_at === null ? null : new Date(row.next_at).toISOString(),
    last_response_status: row.last_status,
    last_error: row.last_error,
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  };
}

async function demandWebhook({ parts, teamId }: OperatorContext, webhookId: string, db = parts.store.db): Promise<WebhookRow> {
  const rows = db.selectFrom("webhooks").selectAll().where("team_id", "=", teamId);
  return found(await rows.where("id", "=", webhookId).executeTakeFirst(), "webhook");
}

async function find({ parts, teamId }: OperatorContext, webhookId: string, deliveryId: string, db = parts.store.db) {
  return db
    .selectFrom("webhook_deliveries")
    .selectAll()
    .where("team_id", "=", teamId)
    .where("webhook_id", "=", webhookId)
    .where("id", "=", deliveryId)
    .executeTakeFirst();
}
