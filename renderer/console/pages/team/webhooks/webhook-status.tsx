// The state of a webhook, in a word.
import type { Schemas } from "../../../../../sdk/typescript/client.ts";
import { texts } from "../../../i18n/texts.ts";

const text = texts("webhooks");

export type Webhook = Schemas["Webhook"];
export type Delivery = Schemas["Delivery"];

export function WebhookStatus({ webhook: { status, failing_since } }: { webhook: Webhook }) {
  const is = status === "enabled" && failing_since !== null ? "failing" : status;
  const kind = { enabled: "good", failing: "bad", paused: "warn", disabled: undefined }[is];
  return (
    <span className="badge" data-kind={kind}>
      {text(is)}
    </span>
  );
}

export function DeliveryBadge({ status }: { status: Delivery["status"] }) {
  const kind = { pending: "accent", delivered: "good", failed: "bad", cancelled: undefined }[status];
  return (
    <span className="badge" data-kind={kind}>
      {text(status)}
    </span>
  );
}

/** The events that a webhook gets, in a few words. */
export function eventsText(events: Webhook["events"]): string {
  return events.includes("*") ? text("allEvents") : text("someEvents", { count: events.length });
}
