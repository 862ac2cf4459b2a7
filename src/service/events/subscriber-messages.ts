// Reads what a subscriber says; what is not understood becomes an answer that names its id, the field and the remedy.
import { z } from "zod";
import { SubscriberMessageId, SubscriberMessage, type SubscriptionMessage } from "../../protocol/operator/events.ts";
import { validatePart } from "../http/validation.ts";

type ErrorMessage = Extract<SubscriptionMessage, { type: "error" }>;

const WithId = z.object({ id: SubscriberMessageId });
const known: readonly string[] = SubscriberMessage.options.flatMap((option) => [...option.shape.type.values]);

/** A subscriber's message, or the error that answers it. */
export function readSubscriberMessage(text: string): SubscriberMessage | ErrorMessage {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return errorMessage(null, "malformed", null, "a message is one JSON object, sent as text");
  }
  const read = validatePart(SubscriberMessage, json);
  if ("value" in read) return read.value;
  const id = WithId.safeParse(json).data?.id ?? null;
  const type = z.object({ type: z.string() }).safeParse(json).data?.type;
  if (type === undefined || !known.includes(type)) {
    return errorMessage(id, "unsupported", "/type", `only ${known.join(" and ")} are known here`);
  }
  const detail = read.errors.map(({ pointer, detail: words }) => `${pointer}: ${words}`).join("; ");
  return errorMessage(id, "malformed", read.errors[0]?.pointer ?? null, `${detail}. See /api/v1/asyncapi.json`);
}

function errorMessage(id: string | null, code: ErrorMessage["data"]["code"], field: string | null, detail: string): ErrorMessage {
  return { type: "error", id, data: { code, field, detail: detail.slice(0, 1_000) } };
}
