// What happens, told to subscribers and webhooks: the events, and the messages of the socket at GET /events.
import { z } from "zod";
import { Heartbeat } from "../device/heartbeat.ts";
import { Count, id, Timestamp } from "../common.ts";

/**
 * What a subscriber may ask for. All but `heartbeat` are journalled for 24 hours; of heartbeats only the newest counts.
 * `presence`: online and offline. `player_updates`: paired, changed, removed, restored, replaced. `problems`: opened, closed,
 * and the whole list after each.
 */
const eventKinds = [
  "player_updates",
  "presence",
  "problems",
  "layout_updates",
  "playlist_updates",
  "asset_updates",
  "schedule_updates",
  "calendar_updates",
  "commands",
  "heartbeat",
  "screenshot_results",
  "webhook_updates",
] as const;
export const EventKind = z.enum(eventKinds);
export type EventKind = z.infer<typeof EventKind>;

/**
 * Everything that is told, by name. `layout.assigned`: a player was given another layout, or none. `player.removed`: it was
 * deleted, into the bin or for good. `player.replaced`: it moved to another box. `player.problems`: its problems are others than
 * before; `data` holds them all, as `GET /players/{id}` does. `problem.opened`, `problem.closed`: one of them, with its code and
 * since. `player.online` and `player.offline` alternate: a link that is back within two minutes was never away, and a player that
 * is removed is offline first. `webhook.failing`: nothing reached it for an hour; `webhook.paused`: for five days;
 * `webhook.disabled`: it answered 410; these are not sent to the webhook itself.
 */
const eventTypes = [
  "player.paired",
  "player.updated",
  "player.removed",
  "player.restored",
  "player.replaced",
  "player.online",
  "player.offline",
  "player.error",
  "player.problems",
  "problem.opened",
  "problem.closed",
  "command.queued",
  "command.delivered",
  "command.acknowledged",
  "command.running",
  "command.succeeded",
  "command.failed",
  "command.rejected",
  "command.expired",
  "command.cancelled",
  "screenshot.ready",
  "layout.created",
  "layout.updated",
  "layout.assigned",
  "layout.deleted",
  "layout.restored",
  "playlist.created",
  "playlist.updated",
  "playlist.deleted",
  "playlist.restored",
  "asset.created",
  "asset.updated",
  "asset.ready",
  "asset.failed",
  "asset.deleted",
  "asset.restored",
  "schedule.created",
  "schedule.updated",
  "schedule.deleted",
  "schedule.restored",
  "calendar.created",
  "calendar.updated",
  "calendar.deleted",
  "webhook.failing",
  "webhook.recovered",
  "webhook.paused",
  "webhook.disabled",
  "webhook.test",
] as const;
/** The types with commas between them, for descriptions. */
export const eventTypesText = eventTypes.join(", ");
export const EventType = z.enum(eventTypes);
export type EventType = z.infer<typeof EventType>;

type JournalledKind = Exclude<EventKind, "heartbeat">;

const presence: readonly EventType[] = ["player.online", "player.offline"];
const ofPlayersProblems: readonly EventType[] = ["player.problems", "player.error"];

const kindsByNoun: Readonly<Record<string, JournalledKind>> = {
  player: "player_updates",
  problem: "problems",
  layout: "layout_updates",
  playlist: "playlist_updates",
  asset: "asset_updates",
  schedule: "schedule_updates",
  calendar: "calendar_updates",
  command: "commands",
  screenshot: "screenshot_results",
  webhook: "webhook_updates",
};

/** The kind of subscription that tells an event of `type`; null for a type of another version. */
export function subscriptionKindOf(type: EventType): JournalledKind | null {
  if (presence.includes(type)) return "presence";
  if (ofPlayersProblems.includes(type)) return "problems";
  return kindsByNoun[type.slice(0, type.indexOf("."))] ?? null;
}

/**
 * Something that happened. `data` names what it happened to (`layout_id`, `playlist_id`, `player_id` …) and is small: the
 * thing itself is read by its id. Commands and screenshots come whole.
 */
export const Event = z.object({
  id: id("evt"),
  type: EventType,
  created_at: Timestamp,
  data: z.record(z.string(), z.unknown()),
});
export type Event = z.infer<typeof Event>;

/** Subprotocol of the socket at `GET /events`. */
export const eventsSubprotocol = "signage.events.v1";
/** Close codes of that socket. */
export const eventCloseCodes = { badToken: 4401, forbidden: 4403, restarting: 1012, tooSlow: 1013 } as const;
/** Longest message of a subscriber. */
export const maxSubscriberMessageBytes = 65_536;

/** A place in a team's journal: the last event that was handled. Another `epoch` is another journal. */
const Place = z.object({ epoch: z.string().max(64), seq: Count });
export type Place = z.infer<typeof Place>;

/** The id that a subscriber gives a message. */
export const SubscriberMessageId = z.string().max(64).describe("Given back with the answer");

const longestWaitSeconds = 30;

/** Query of `GET /events`. */
export const EventsQuery = z.strictObject({
  after: z
    .string()
    .regex(/^(now|evt_[a-z0-9_]{1,60}:[0-9]{1,15})$/, "must be `next` of an earlier answer, `now`, or a socket's place as epoch:seq")
    .optional()
    .describe("`next` of an earlier answer, or `now`; a socket's place as `epoch:seq`. Without it from the oldest that is kept")
    .meta({ examples: ["now"] }),
  types: z
    .string()
    .max(2_000)
    .regex(/^[a-z_.]+(,[a-z_.]+)*$/, "must be names of types with commas between them")
    .optional()
    .describe("Only these types, such as `player.online,player.offline`")
    .meta({ examples: ["player.online,player.offline"] }),
  player_id: id("plr").optional().describe("Only what concerns this player; content counts for the players that show it"),
  limit: z.coerce.number().int().min(1).max(500).default(100),
  wait_seconds: z.coerce
    .number()
    .int()
    .min(0)
    .max(longestWaitSeconds)
    .default(0)
    .describe("Waits so long for the first event when there is none"),
});

/** Answer of `GET /events`. */
export const EventPage = z.object({
  data: z.array(Event.extend({ seq: z.int().min(1).describe("Its place in the team's journal") })).describe("Oldest first"),
  next: z.string().describe("The `after` of the next request, also when nothing was found"),
  has_more: z.boolean().describe("Whether there is more to look at now, even if nothing was found so far"),
});
export type EventPage = z.infer<typeof EventPage>;

/** What a subscriber sends. Each is answered, in order. A later `subscribe` replaces the one before. */
export const SubscriberMessage = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("subscribe"),
    id: SubscriberMessageId,
    data: z.strictObject({
      kinds: z.array(EventKind).max(eventKinds.length),
      players: z
        .union([z.literal("all"), z.array(id("plr")).min(1).max(1_000)])
        .default("all")
        .describe("Whose events; content counts for the players that show it"),
      after: Place.optional().describe("Resume: the place after which to go on. Without it only what happens from now on"),
    }),
  }),
  z.object({ type: z.literal("unsubscribe"), id: SubscriberMessageId }),
]);
export type SubscriberMessage = z.infer<typeof SubscriberMessage>;

/** What the service sends to a subscriber. */
export const SubscriptionMessage = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("subscribed"),
    id: SubscriberMessageId,
    data: Place.extend({
      resumed: z.boolean().describe("False when `after` was given but is too old or of another journal: a `resync` follows"),
    }),
  }),
  z.object({
    type: z.literal("unsubscribed"),
    id: SubscriberMessageId,
    data: Place.describe("Nothing is told any more; with this place a later `subscribe` misses nothing"),
  }),
  z.object({
    type: z.literal("resync"),
    data: Place.describe("What was missed is no longer known: read everything again, then go on from here"),
  }),
  z.object({ type: z.literal("event"), seq: z.int().min(1), data: Event }),
  z.object({
    type: z.literal("heartbeat"),
    data: z.object({ player_id: id("plr"), received_at: Timestamp, heartbeat: Heartbeat }),
  }),
  z.object({
    type: z.literal("place"),
    data: Place.describe("Nothing up to here is missing: where to resume, also when nothing asked for happened"),
  }),
  z.object({
    type: z.literal("error"),
    id: SubscriberMessageId.nullable().describe("Of the message that is wrong; null when it has none"),
    data: z.object({
      code: z.enum(["malformed", "unsupported"]),
      field: z.string().nullable().describe("The field that is wrong, a pointer (RFC 6901) into the message; null: it is no JSON"),
      detail: z.string(),
    }),
  }),
  z.object({ type: z.literal("goaway"), data: z.object({ reconnect_after_ms: z.int().min(0) }) }),
]);
export type SubscriptionMessage = z.infer<typeof SubscriptionMessage>;
