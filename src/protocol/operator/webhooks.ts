// The API schemas of webhooks and their deliveries (Standard Webhooks 1.0).
import { z } from "zod";
import { EventType } from "./events.ts";
import { id, Name, Timestamp } from "../common.ts";

const WebhookUrl = z
  .url({ protocol: /^https?$/, message: "must be an https:// URL" })
  .max(2_000)
  .describe("A public https URL. Private addresses and `http://` are only allowed if the service's --allow-address names them");
const Events = z
  .array(z.union([z.literal("*"), EventType]))
  .min(1)
  .max(100)
  .describe("The types to send; `*` for all");

/** The delivery guarantees of webhooks, for all descriptions that mention them. */
export const deliveryGuarantees =
  "Each event is sent at least once: ignore events whose `webhook-id` you have already received. The order is not guaranteed: sort by `timestamp`, or read `GET /events`, which is in order.";

/** A problem of a webhook. */
const WebhookWarning = z.object({
  code: z
    .enum(["failing", "paused", "backlog-full"])
    .describe(
      "`failing`: no delivery has succeeded for an hour; `paused`: none for five days; `backlog-full`: too many deliveries are pending, so events may be missing",
    ),
  since: Timestamp,
  detail: z.string().describe("What is wrong"),
  remedy: z.string().describe("What to do"),
});
export type WebhookWarning = z.infer<typeof WebhookWarning>;

/** A URL that events are sent to. */
export const Webhook = z
  .object({
    id: id("whk"),
    name: Name,
    url: z.string(),
    events: Events,
    status: z
      .enum(["enabled", "paused", "disabled"])
      .describe("`paused`: no delivery succeeded for five days; nothing is sent until it is enabled again with PATCH"),
    disabled_reason: z.string().nullable().describe("Why it was disabled automatically: it responded with 410"),
    last_success_at: Timestamp.nullable(),
    failing_since: Timestamp.nullable().describe("Since when every attempt has failed; null if the last attempt succeeded"),
    paused_at: Timestamp.nullable(),
    paused_reason: z.string().nullable(),
    warnings: z.array(WebhookWarning).describe("What is wrong with it. After an hour, the event `webhook.failing` reports it too"),
    secrets: z
      .array(z.object({ hint: z.string().describe("Its last four characters"), expires_at: Timestamp.nullable() }))
      .describe("The signing secrets: one, or two during a rotation"),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: "Webhook" });
export type Webhook = z.infer<typeof Webhook>;

/** A webhook with its new secret, which is shown only once. */
export const WebhookWithSecret = Webhook.extend({
  secret: z.string().describe("`whsec_` and base64. Store it: it is not shown again"),
}).meta({ id: "WebhookWithSecret" });
export type WebhookWithSecret = z.infer<typeof WebhookWithSecret>;

export const NewWebhook = z.strictObject({ name: Name, url: WebhookUrl, events: Events.default(["*"]) }).meta({ id: "NewWebhook" });
export const WebhookChange = z
  .strictObject({
    name: Name.optional(),
    url: WebhookUrl.optional(),
    events: Events.optional(),
    status: z.enum(["enabled", "disabled"]).optional(),
  })
  .meta({ id: "WebhookChange" });

/** The body of a delivery. */
export const WebhookMessage = z
  .object({
    id: id("evt"),
    type: EventType,
    timestamp: Timestamp.describe("The time of the event"),
    data: z.record(z.string(), z.unknown()).describe("The resource; if it is larger than 20 kB, only its ids and `truncated`"),
  })
  .meta({ id: "WebhookMessage" });

/** The status of a delivery. `failed`: ten attempts over 75 hours failed. */
export const DeliveryStatus = z.enum(["pending", "delivered", "failed", "cancelled"]).meta({ id: "DeliveryStatus" });

/** The delivery of one event to one webhook. */
export const Delivery = z
  .object({
    id: id("dlv"),
    webhook_id: id("whk"),
    event_id: id("evt").describe("The `webhook-id` header: the same in every attempt, so that a repeat can be recognized"),
    type: EventType,
    status: DeliveryStatus,
    attempts: z.int().min(0),
    next_attempt_at: Timestamp.nullable(),
    last_response_status: z.int().nullable(),
    last_error: z.string().nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: "Delivery" });
export type Delivery = z.infer<typeof Delivery>;

/** A delivery with its body and all attempts. */
export const DeliveryDetail = Delivery.extend({
  body: z.string().describe("The exact body of the request"),
  log: z.array(
    z.object({
      attempt: z.int().min(1),
      at: Timestamp,
      duration_ms: z.int().min(0),
      response_status: z.int().nullable(),
      response_body: z.string().nullable().describe("The beginning of the response"),
      error: z.string().nullable(),
    }),
  ),
}).meta({ id: "DeliveryDetail" });
export type DeliveryDetail = z.infer<typeof DeliveryDetail>;
