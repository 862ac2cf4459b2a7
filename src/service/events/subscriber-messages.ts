// Parses the messages of a subscriber. For an invalid message it returns the error to send, with the message's id, the field and the remedy.
import { z } from "zod";
import { findJsonExcess } from "../../protocol/json-bounds.ts";
import { SubscriberMessage, SubscriberMessageId, type SubscriptionMessage } from "../../protocol/operator/events.ts";
import { invalidFields } from "../http/problem.ts";
import { bodyPointer, validatePart } from "../http/input/validation.ts";

type ErrorMessage = Extract<SubscriptionMessage, { type: "error" }>;

const WithId = z.object({ id: SubscriberMessageId });
const knownTypes: readonly string[] = SubscriberMessage.options.flatMap((option) => [...option.shape.type.values]);

export function readSubscriberMessage(text: string): SubscriberMessage | ErrorMessage {
  const excess = findJsonExcess(text);
  if (excess !== null) return errorMessage(null, "malformed", bodyPointer(excess.path), excess.detail);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return errorMessage(null, "malformed", null, "send each message as one JSON object in a text frame");
  }
  const result = validatePart(SubscriberMessage, json);
  if ("value" in result) return result.value;
  const id = WithId.safeParse(json).data?.id ?? null;
  const type = z.object({ type: z.string() }).safeParse(json).data?.type;
  if (type === undefined || !knownTypes.includes(type)) {
    return errorMessage(id, "unsupported", "/type", `the supported types are ${knownTypes.join(" and ")}`);
  }
  const { message: detail } = invalidFields(result.errors, result.moreErrors);
  return errorMessage(id, "malformed", result.errors[0]?.pointer ?? null, `${detail}. See /api/v1/asyncapi.json`);
}

function errorMessage(id: string | null, code: ErrorMessage["data"]["code"], field: string | null, detail: string): ErrorMessage {
  return { type: "error", id, data: { code, field, detail: detail.slice(0, 1_000) } };
}
