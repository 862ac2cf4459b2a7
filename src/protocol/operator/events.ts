// The schemas of events and of the messages of the WebSocket at GET /events.
import { z } from "zod";
import { Heartbeat } from "../device/heartbeat.ts";
import { Count, id, Timestamp } from "../common.ts";

/**
 * The kinds of events that a subscriber can request. All except `heartbeat` are kept for 24 hours; a slow subscriber gets only
 * the newest heartbeat of each player. `presence`: online and offline. `player_updates`: paired, changed, removed, restored,
 * replaced. `problems`: opened, closed, and the whole list after each change. `rollout_updates`: a new version reaches the players.
 * `alerts`: a problem has lasted for longer than the settings allow, or is over.
 * `batch_updates`: a command reaches players in waves. `draft_updates`: a draft was changed, proposed, approved or returned.
 * `version_updates`: a draft was published, or a version restored.
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
  "rollout_updates",
  "alerts",
  "batch_updates",
  "draft_updates",
  "version_updates",
] as const;
export const EventKind = z.enum(eventKinds).meta({ id: "EventKind" });
export type EventKind = z.infer<typeof EventKind>;

/**
 * All event types. `player.paired` and `player.replaced` of an enrolment by a key have `enrolment_key_id` and `warnings` in their
 * `data`. `asset.updated`: also when its thumbnail was made, or could not be. `layout.assigned`: a player's layout was changed or removed. `player.removed`: the player was deleted, into the
 * bin or for good. `player.replaced`: the player moved to another device. `player.problems`: its problems changed; `data` has all
 * of them, as in `GET /players/{id}`. `problem.opened`, `problem.closed`: one problem, with its code and `since`. `player.online`
 * and `player.offline` alternate: a connection that returns within two minutes counts as uninterrupted, and a removed player goes
 * offline first. `webhook.failing`: no delivery succeeded for an hour; `webhook.paused`: none for five days; `webhook.disabled`: it
 * responded with 410. These three are not sent to the webhook itself. `rollout.halted`: too many players failed; `rollout.aborted`:
 * also when another rollout replaced it. `alert.opened`, `alert.closed`: `data` has the alert, as in `GET /alerts`.
 * `draft.*`: `data` has `draft_id`, `name` and `state`. `version.published`: a draft was published or a version restored, which
 * also sends the events of each resource; `data` has `version_id`, `number` and `change_count`. A plain write has its own event only.
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
  "rollout.started",
  "rollout.ring_started",
  "rollout.halted",
  "rollout.paused",
  "rollout.resumed",
  "rollout.aborted",
  "rollout.finished",
  "alert.opened",
  "alert.acknowledged",
  "alert.closed",
  "batch.started",
  "batch.wave_started",
  "batch.halted",
  "batch.resumed",
  "batch.cancelled",
  "batch.finished",
  "draft.created",
  "draft.updated",
  "draft.proposed",
  "draft.approved",
  "draft.returned",
  "draft.published",
  "draft.deleted",
  "version.published",
  "webhook.failing",
  "webhook.recovered",
  "webhook.paused",
  "webhook.disabled",
  "webhook.test",
] as const;
/** The types as a comma-separated list, for descriptions. */
export const eventTypesText = eventTypes.join(", ");
export const EventType = z.enum(eventTypes).meta({ id: "EventType" });
export type EventType = z.infer<typeof EventType>;

type JournalledKind = Exclude<EventKind, "heartbeat">;

const presence: readonly EventType[] = ["player.online", "player.offline"];
const problemTypes: readonly EventType[] = ["player.problems", "player.error"];

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
  rollout: "rollout_updates",
  alert: "alerts",
  batch: "batch_updates",
  draft: "draft_updates",
  version: "version_updates",
};

/** The kind of subscription that includes events of `type`; null for a type of another version. */
export function subscriptionKindOf(type: EventType): JournalledKind | null {
  if (presence.includes(type)) return "presence";
  if (problemTypes.includes(type)) return "problems";
  return kindsByNoun[type.slice(0, type.indexOf("."))] ?? null;
}

/**
 * An event. `data` is small: it has the id of the resource (`layout_id`, `playlist_id`, `player_id` …), by which the resource can be
 * read. Commands and screenshots are included completely.
 */
export const Event = z
  .object({
    id: id("evt"),
    type: EventType,
    created_at: Timestamp,
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: "Event" });
export type Event = z.infer<typeof Event>;

/** The subprotocol of the WebSocket at `GET /events`. */
export const eventsSubprotocol = "signage.events.v1";
/** The close codes of that WebSocket. */
export const eventCloseCodes = { badToken: 4401, forbidden: 4403, restarting: 1012, tooSlow: 1013 } as const;
/** The largest message that a subscriber may send. */
export const maxSubscriberMessageBytes = 65_536;

/** A position in a team's journal: the last event that was handled. Another `epoch` means another journal. */
const JournalPosition = z.object({ epoch: z.string().max(64), seq: Count });
export type JournalPosition = z.infer<typeof JournalPosition>;

/** The id that a subscriber gives to a message. */
export const SubscriberMessageId = z.string().max(64).describe("Returned in the reply");

const longestWaitSeconds = 30;

/** The query of `GET /events`. */
export const EventsQuery = z.strictObject({
  after: z
    .string()
    .regex(
      /^(now|evt_[a-z0-9_]{1,60}:[0-9]{1,15})$/,
      "must be `next` of an earlier response, `now`, or a WebSocket's position as epoch:seq",
    )
    .optional()
    .describe("`next` of an earlier response, `now`, or a WebSocket's position as `epoch:seq`. Default: from the oldest event that is kept")
    .meta({ examples: ["now"] }),
  types: z
    .string()
    .max(2_000)
    .regex(/^[a-z_.]+(,[a-z_.]+)*$/, "must be a comma-separated list of types")
    .optional()
    .describe("Only these types, such as `player.online,player.offline`")
    .meta({ examples: ["player.online,player.offline"] }),
  player_id: id("plr").optional().describe("Only events that concern this player; an event of content concerns the players that show it"),
  limit: z.coerce.number().int().min(1).max(500).default(100),
  wait_seconds: z.coerce
    .number()
    .int()
    .min(0)
    .max(longestWaitSeconds)
    .default(0)
    .describe("If there is no event, wait this long for the first one"),
});

/** The response of `GET /events`. */
export const EventPage = z
  .object({
    data: z.array(Event.extend({ seq: z.int().min(1).describe("Its position in the team's journal") })).describe("Oldest first"),
    next: z.string().describe("The `after` of the next request, also if no event was found"),
    has_more: z.boolean().describe("Whether there are more events to read now, even if none matched so far"),
  })
  .meta({ id: "EventPage" });
export type EventPage = z.infer<typeof EventPage>;

/** The messages of a subscriber. Each gets a reply, in order. A later `subscribe` replaces the previous one. */
export const SubscriberMessage = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("subscribe"),
    id: SubscriberMessageId,
    data: z.strictObject({
      kinds: z.array(EventKind).max(eventKinds.length),
      players: z
        .union([z.literal("all"), z.array(id("plr")).min(1).max(1_000)])
        .default("all")
        .describe("The players whose events to send; an event of content concerns the players that show it"),
      after: JournalPosition.optional().describe("Resumes after this position. Default: only new events"),
    }),
  }),
  z.object({ type: z.literal("unsubscribe"), id: SubscriberMessageId }),
]);
export type SubscriberMessage = z.infer<typeof SubscriberMessage>;

/** The messages that the service sends to a subscriber. */
export const SubscriptionMessage = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("subscribed"),
    id: SubscriberMessageId,
    data: JournalPosition.extend({
      resumed: z.boolean().describe("False if `after` is too old or from another journal: a `resync` follows"),
    }),
  }),
  z.object({
    type: z.literal("unsubscribed"),
    id: SubscriberMessageId,
    data: JournalPosition.describe("No more events are sent. A later `subscribe` after this position misses nothing"),
  }),
  z.object({
    type: z.literal("resync"),
    data: JournalPosition.describe("The missed events are no longer kept: read everything again, then continue from here"),
  }),
  z.object({ type: z.literal("event"), seq: z.int().min(1), data: Event }),
  z.object({
    type: z.literal("heartbeat"),
    data: z.object({ player_id: id("plr"), received_at: Timestamp, heartbeat: Heartbeat }),
  }),
  z.object({
    type: z.literal("place"),
    data: JournalPosition.describe("Everything up to this position has been sent: resume here, also if there were no matching events"),
  }),
  z.object({
    type: z.literal("error"),
    id: SubscriberMessageId.nullable().describe("The id of the invalid message; null if it has none"),
    data: z.object({
      code: z.enum(["malformed", "unsupported"]),
      field: z.string().nullable().describe("The invalid field, a pointer (RFC 6901) into the message; null: it is not JSON"),
      detail: z.string(),
    }),
  }),
  z.object({ type: z.literal("goaway"), data: z.object({ reconnect_after_ms: z.int().min(0) }) }),
]);
export type SubscriptionMessage = z.infer<typeof SubscriptionMessage>;
