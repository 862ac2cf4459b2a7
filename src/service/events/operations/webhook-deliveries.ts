// The delivery log of a webhook, and operations that send a test event or send deliveries again.
import { z } from "zod";
import { Signal } from "../../../base/async/signal.ts";
import type { Clock } from "../../../base/clock.ts";
import { isAbort } from "../../../base/fault.ts";
import { iso } from "../../../base/time.ts";
import { id, Timestamp } from "../../../protocol/common.ts";
import type { Event } from "../../../protocol/operator/events.ts";
import { page, PageQuery } from "../../../protocol/operator/resources.ts";
import { Delivery, DeliveryDetail, DeliveryStatus } from "../../../protocol/operator/webhooks.ts";
import type { Deliveries } from "../webhooks/deliveries.ts";
import { findWebhook } from "../webhooks/webhook-resource.ts";
import { pageOf } from "../../http/paging.ts";
import { found, invalidField, ProblemError } from "../../http/problem.ts";
import type { Nodes } from "../../nodes/nodes.ts";
import type { OperatorContext } from "../../operations/context.ts";
import { operationsWith, type Operation } from "../../operations/operation.ts";
import type { DeliveryRow } from "../../store/tables/events.ts";
import type { MakeId } from "../../store/ids.ts";
import type { Store } from "../../store/store.ts";
import { selectTeamRows } from "../../store/tables/team-rows.ts";
import { attemptsOf, findDelivery, readMessage } from "../webhooks/store.ts";

interface WebhookDeliveryDependencies {
  clock: Clock;
  closing: AbortSignal;
  deliveries: Deliveries;
  makeId: MakeId;
  nodes: Nodes;
  store: Store;
}

const ofWebhook = z.strictObject({ id: id("whk") });
const oneDelivery = z.strictObject({ id: id("whk"), delivery_id: id("dlv") });

const longestWaitSeconds = 30;
const lookAgainMs = 1_000;

const DeliveryQuery = z.strictObject({
  wait_seconds: z.coerce
    .number()
    .int()
    .min(0)
    .max(longestWaitSeconds)
    .default(0)
    .describe("If the delivery has not been attempted yet, wait this long for the result"),
});

const operation = operationsWith<WebhookDeliveryDependencies>();

export const webhookDeliveryOperations: readonly Operation<WebhookDeliveryDependencies>[] = [
  operation({
    name: "testWebhook",
    tag: "webhooks",
    method: "POST",
    path: "/webhooks/{id}/test",
    summary: "Send a test event",
    description:
      "Sends a `webhook.test` event to this webhook only, regardless of the event types it has selected. The delivery shows the result. Like any event, it may arrive twice, with the same `webhook-id`.",
    agent: "Use it after creating or changing a webhook; then check the result with list_webhook_deliveries.",
    caller: "operator",
    scope: "webhooks:write",
    params: ofWebhook,
    status: 202,
    output: Delivery,
    errors: ["not-found", "invalid"],
    async run({ clock, deliveries, makeId }, { teamId }, { params: { id: webhookId } }, unitOfWork) {
      return unitOfWork.write(async (db) => {
        const row = await findWebhook(db, teamId, webhookId);
        if (row.status !== "enabled") throw invalidField("/status", `the webhook is ${row.status}: enable it first`);
        const event: Event = {
          id: makeId("evt"),
          type: "webhook.test",
          created_at: iso(clock.now()),
          data: { webhook_id: row.id, name: row.name },
        };
        return { result: showDelivery(await deliveries.add(db, teamId, row.id, event)) };
      });
    },
  }),
  operation({
    name: "listWebhookDeliveries",
    tag: "webhooks",
    method: "GET",
    path: "/webhooks/{id}/deliveries",
    summary: "List the deliveries of a webhook",
    description: "Newest first. Kept for 30 days.",
    caller: "operator",
    scope: "webhooks:read",
    params: ofWebhook,
    query: PageQuery.extend({ status: DeliveryStatus.optional() }),
    status: 200,
    output: page(Delivery),
    errors: ["not-found", "invalid"],
    async run(dependencies, context, { params, query: { status, ...query } }) {
      await findWebhook(dependencies.store.db, context.teamId, params.id);
      const rows = selectTeamRows(dependencies.store.db, "webhook_deliveries", context.teamId, { webhook_id: params.id, status });
      return pageOf(rows, query, showDelivery);
    },
  }),
  operation({
    name: "getWebhookDelivery",
    tag: "webhooks",
    method: "GET",
    path: "/webhooks/{id}/deliveries/{delivery_id}",
    summary: "Read a delivery and its attempts",
    description:
      "With the body of the request and the beginning of each response. After a test or a replay, `wait_seconds` delays the response until the result of the first attempt is known.",
    caller: "operator",
    scope: "webhooks:read",
    params: oneDelivery,
    query: DeliveryQuery,
    status: 200,
    output: DeliveryDetail,
    errors: ["not-found", "invalid"],
    async run(dependencies, context, { params, query }) {
      const row = await findAttempted(dependencies, context, params, query.wait_seconds);
      const { db } = dependencies.store;
      const message = await readMessage(db, row);
      const attempts = await attemptsOf(db, row.id);
      const log = attempts.map(({ number, at, duration_ms, status, body, error }) => ({
        attempt: number,
        at: iso(at),
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
    description: "With the same `webhook-id`, so that the receiver can recognize an event that it already has.",
    caller: "operator",
    scope: "webhooks:write",
    params: oneDelivery,
    status: 202,
    output: Delivery,
    errors: ["not-found", "conflict"],
    async run(dependencies, context, { params }, unitOfWork) {
      found(await find(dependencies, context, params.id, params.delivery_id), "delivery");
      const write = async (db: typeof dependencies.store.db) => {
        const count = await dependencies.deliveries.replay(db, params.id, { id: params.delivery_id });
        if (count === 0) throw new ProblemError("conflict", "The delivery is still pending");
        return { result: undefined };
      };
      return unitOfWork.write(write, async (db) =>
        showDelivery(found(await find(dependencies, context, params.id, params.delivery_id, db), "delivery")),
      );
    },
  }),
  operation({
    name: "replayFailedWebhookDeliveries",
    tag: "webhooks",
    method: "POST",
    path: "/webhooks/{id}/replay",
    summary: "Send failed deliveries again",
    description:
      "Use it after the receiver was repaired. Sends all deliveries since an instant that failed or were cancelled, and the events of the last 24 hours for which there is no delivery because the webhook was paused, disabled or had too many pending deliveries. Each keeps its own `webhook-id`; the order is not guaranteed.",
    caller: "operator",
    scope: "webhooks:write",
    params: ofWebhook,
    body: z.strictObject({ since: Timestamp }),
    example: { since: "2026-11-20T00:00:00Z" },
    status: 202,
    output: z.object({ count: z.int().min(0) }),
    errors: ["not-found", "invalid"],
    async run(dependencies, context, { params, body }, unitOfWork) {
      const { deliveries } = dependencies;
      return unitOfWork.write(async (db) => {
        const webhook = await findWebhook(db, context.teamId, params.id);
        const since = Date.parse(body.since);
        const failed = await deliveries.replay(db, webhook.id, { failedSince: since });
        return { result: { count: failed + (await deliveries.addMissed(db, webhook, since)) } };
      });
    },
  }),
];

/** The delivery in its API form. */
function showDelivery(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    webhook_id: row.webhook_id,
    event_id: row.event_id,
    type: row.type as Delivery["type"],
    status: row.status as Delivery["status"],
    attempts: row.attempts,
    next_attempt_at: iso(row.next_at),
    last_response_status: row.last_status,
    last_error: row.last_error,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  };
}

/** Reads a delivery. While no attempt was made since it was created or replayed, waits for one until the time is over. */
async function findAttempted(
  dependencies: WebhookDeliveryDependencies,
  context: OperatorContext,
  { id: webhookId, delivery_id }: z.infer<typeof oneDelivery>,
  waitSeconds: number,
): Promise<DeliveryRow> {
  const { clock, closing, deliveries, nodes } = dependencies;
  const until = clock.monotonic() + waitSeconds * 1_000;
  const finished = new AbortController();
  const attempted = new Signal();
  // Registered before the first read, so that no attempt in between is missed.
  deliveries.notifyOnAttempts(delivery_id, attempted, finished.signal);
  try {
    for (;;) {
      const row = found(await find(dependencies, context, webhookId, delivery_id), "delivery");
      const leftMs = until - clock.monotonic();
      if (row.status !== "pending" || row.attempts > 0 || leftMs <= 0) return row;
      try {
        // Another node may make the attempt.
        await attempted.wait(clock, nodes.isShared ? Math.min(leftMs, lookAgainMs) : leftMs, context.signal);
      } catch (error) {
        if (!isAbort(error)) throw error;
        if (closing.aborted) return row;
        throw new ProblemError("unauthorized", "The token ended while the request was waiting");
      }
    }
  } finally {
    finished.abort();
  }
}

async function find(
  { store }: WebhookDeliveryDependencies,
  { teamId }: OperatorContext,
  webhookId: string,
  deliveryId: string,
  db = store.db,
) {
  return findDelivery(db, teamId, webhookId, deliveryId);
}
