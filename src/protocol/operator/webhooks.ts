// Webhooks: where a team has its events sent, and what became of each. Standard Webhooks 1.0 on the wire.
import { z } from "zod";
import { EventType } from "./events.ts";
import { id, Name, Timestamp } from "../common.ts";

const WebhookUrl = z
  .url({ protocol: /^https?$/, message: "must be an https:// address" })
  .max(2_000)
  .describe("Public and https; other addresses, and `http://`, only where --allow-address of the service names them");
const Events = z
  .array(z.union([z.literal("*"), EventType]))
  .min(1)
  .max(100)
  .describe("The types to send; `*` for all");

/** What webhooks promise, in words for every description that speaks of it. */
export const webhookPromise =
  "Each event is sent at least once: drop what comes again under the same `webhook-id`. Its order is not promised: sort by `timestamp`, or read `GET /events`, which is in order.";

/** What is wrong with a webhook. */
const WebhookWarning = z.object({
  code: z
    .enum(["failing", "paused", "backlog-full"])
    .describe("`failing`: nothing arrived for an hour; `paused`: for five days; `backlog-full`: too many wait, events may be missing"),
  since: Timestamp,
  detail: z.string().describe("What is wrong, in words"),
  remedy: z.string().describe("What to do about it"),
});
export type WebhookWarning = z.infer<typeof WebhookWarning>;

/** A place that events are sent to. */
export const Webhook = z.object({
  id: id("whk"),
  name: Name,
  url: z.string(),
  events: Events,
  status: z
    .enum(["enabled", "paused", "disabled"])
    .describe("`paused`: nothing arrived for five days; nothing is sent until it is enabled again by PATCH"),
  disabled_reason: z.string().nullable().describe("Why it was disabled by itself: it answered 410"),
  last_success_at: Timestamp.nullable(),
  failing_since: Timestamp.nullable().describe("Since when every attempt has failed; null while the last one was good"),
  paused_at: Timestamp.nullable(),
  paused_reason: z.string().nullable(),
  warnings: z.array(WebhookWarning).describe("What is wrong with it; the event `webhook.failing` tells it after an hour"),
  secrets: z
    .array(z.object({ hint: z.string().describe("Its last four characters"), expires_at: Timestamp.nullable() }))
    .describe("What it is signed with: one, or two during a rotation"),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Webhook = z.infer<typeof Webhook>;

/** A webhook with its new secret, shown this once. */
export const WebhookWithSecret = Webhook.extend({
  secret: z.string().describe("`whsec_` and base64: keep it, it is not shown again"),
});
export type WebhookWithSecret = z.infer<typeof WebhookWithSecret>;

export const NewWebhook = z.strictObject({ name: Name, url: WebhookUrl, events: Events.default(["*"]) });
export const WebhookChange = z.strictObject({
  name: Name.optional(),
  url: WebhookUrl.optional(),
  events: Events.optional(),
  status: z.enum(["enabled", "disabled"]).optional(),
});

/** The body of what is sent. */
export const WebhookMessage = z.object({
  id: id("evt"),
  type: EventType,
  timestamp: Timestamp.describe("When it happened"),
  data: z.record(z.string(), z.unknown()).describe("What it happened to; above 20 kB only the ids, and `truncated`"),
});

/** How a delivery stands. `failed`: ten attempts over 75 hours came to nothing. */
export const DeliveryStatus = z.enum(["pending", "delivered", "failed", "cancelled"]);

/** One event on its way to one webhook. */
export const Delivery = z.object({
  id: id("dlv"),
  webhook_id: id("whk"),
  event_id: id("evt").describe("The `webhook-id` header: the same at every attempt, so that a repeat can be told"),
  type: EventType,
  status: DeliveryStatus,
  attempts: z.int().min(0),
  next_attempt_at: Timestamp.nullable(),
  last_response_status: z.int().nullable(),
  last_error: z.string().nullable(),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Delivery = z.infer<typeof Delivery>;

/** A delivery with what was sent and each attempt. */
export const DeliveryDetail = Delivery.extend({
  body: z.string().describe("What is sent, byte for byte"),
  log: z.array(
    z.object({
      attempt: z.int().min(1),
      at: Timestamp,
      duration_ms: z.int().min(0),
      response_status: z.int().nullable(),
      response_body: z.string().nullable().describe("Its beginning"),
      error: z.string().nullable(),
    }),
  ),
});
export type DeliveryDetail = z.infer<typeof DeliveryDetail>;
