// Describes webhooks in the API description: the request that the service sends and its guarantees.
import { eventTypesText } from "../../protocol/operator/events.ts";
import { WebhookMessage, deliveryGuarantees } from "../../protocol/operator/webhooks.ts";
import type { Json } from "./json.ts";
import type { Schemas } from "./schemas.ts";

const headers = {
  "webhook-id": "The event's id, the same in every attempt: ignore events that you have already received",
  "webhook-timestamp": "The time of this attempt in seconds since the epoch: reject requests older than five minutes",
  "webhook-signature": "`v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`; two signatures separated by a space during a rotation",
};

/** The webhooks section of OpenAPI 3.1. @param schemas collects the message's schema */
export function describeWebhooks(schemas: Schemas): Json {
  const parameters = Object.entries(headers).map(([name, description]) => ({
    name,
    in: "header",
    required: true,
    description,
    schema: { type: "string" },
  }));
  return {
    event: {
      post: {
        operationId: "receiveEvent",
        tags: ["webhooks"],
        summary: "An event, sent to your URL",
        description: `${deliveryGuarantees} Types: ${eventTypesText}.`,
        security: [],
        parameters,
        requestBody: { required: true, content: { "application/json": { schema: schemas.of(WebhookMessage, "output") } } },
        responses: {
          "2XX": { description: "Accepted. Respond within 15 s, and do longer work afterwards" },
          "410": { description: "No further events wanted: the webhook is disabled" },
          default: {
            description: "The delivery is retried: ten attempts over 75 hours. `Retry-After` is honoured; redirects are not followed",
          },
        },
      },
    },
  };
}
