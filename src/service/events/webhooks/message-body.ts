// The body of a webhook message.
import type { Event } from "../../../protocol/operator/events.ts";

// Standard Webhooks advises bodies below 20 kB.
const maxBodyBytes = 20_000;

/** The body for an event. If the data is too large, it contains only the ids, by which the receiver can read the rest. */
export function webhookBody({ id, type, created_at, data }: Event): string {
  const body = JSON.stringify({ id, type, timestamp: created_at, data });
  if (Buffer.byteLength(body) <= maxBodyBytes) return body;
  const ids = Object.fromEntries(Object.entries(data).filter(([name]) => name === "id" || name.endsWith("_id")));
  return JSON.stringify({ id, type, timestamp: created_at, data: { ...ids, truncated: true } });
}
