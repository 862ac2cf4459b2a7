// A subscriber's subscription, and the event messages that it receives.
import type { EventKind, SubscriptionMessage } from "../../protocol/operator/events.ts";
import type { StoredEvent } from "./event-journal.ts";

export interface Subscription {
  kinds: ReadonlySet<EventKind>;
  /** Null: all. */
  players: ReadonlySet<string> | null;
}

/** The content of a heartbeat message. */
export type PlayerHeartbeat = Extract<SubscriptionMessage, { type: "heartbeat" }>["data"];

/** A new event with its message, which is serialized once for all subscribers. */
export interface LiveEvent {
  stored: StoredEvent;
  players: ReadonlySet<string>;
  text: string;
}

/** The serialized message for an event. */
export function eventMessage({ seq, event }: StoredEvent): string {
  return JSON.stringify({ type: "event", seq, data: event } satisfies SubscriptionMessage);
}

/** True if a subscription includes an event that concerns the players in `audience`. */
export function includesEvent({ kinds, players }: Subscription, { kind }: StoredEvent, audience: ReadonlySet<string>): boolean {
  if (kind === null || !kinds.has(kind)) return false;
  return players === null || !players.isDisjointFrom(audience);
}

export function includesHeartbeat({ kinds, players }: Subscription, { player_id }: PlayerHeartbeat): boolean {
  return kinds.has("heartbeat") && players?.has(player_id) !== false;
}
