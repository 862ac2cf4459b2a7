// The webhooks section of the description: the request that the service sends, and what it promises.
import { eventTypesText } from "../../protocol/operator/events.ts";
import { WebhookMessage, webhookPromise } from "../../protocol/operator/webhooks.ts";
import type { Json } from "./json.ts";
import type { Schemas } from "./schemas.ts";

const headers = {
  "webhook-id": "The event's id, the same at every attempt: drop what you have already",
  "webhook-timestamp": "Seconds since the epoch, of this attempt: refuse what is older than five minutes",
  "webhook-signature": "`v1,` and the base64 of an HMAC-SHA256 over `id.timestamp.body`; two, with a space between, during a rotation",
};

/** Webhooks by OpenAPI 3.1. @param schemas where the message's schema is kept. */
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
        summary: "An event, sent to your address",
        description: `${webhookPromise} Types: ${eventTypesText}.`,
        security: [],
        parameters,
        requestBody: { required: true, content: { "application/json": { schema: schemas.of(WebhookMessage, "output") } } },
        responses: {
          "2XX": { description: "It is taken. Answer within 15 s, and do what takes longer afterwards" },
          "410": { description: "You want no more: the webhook is disabled" },
          default: { description: "It is tried again: ten times over 75 hours; `Retry-After` is heeded, redirects are not followed" },
        },
      },
    },
  };
}
