// The messages between nodes of one service, and the checks of those from the message server and the table of announcements.
import { z } from "zod";

const Ids = z.array(z.string()).readonly();

/** Changes of stored data that other nodes keep a copy of in memory. The truth is in the database. */
export const announcementBodies = {
  /** These players have new entries in their journals (state.changed, command), or were revoked. */
  "players.changed": z.object({ playerIds: Ids }),
  /** Devices of these players have opened sockets to the announcing node, in these runs of their program if they name them. */
  "players.connected": z.object({
    sessions: z.array(z.object({ playerId: z.string(), instanceId: z.string().optional() })).readonly(),
  }),
  /** Several devices use the identity of this player: only this run of one's program may keep a socket. */
  "players.shared": z.object({ playerId: z.string(), instanceId: z.string() }),
  /** These teams have new events. */
  "events.appended": z.object({ teamIds: Ids }),
  /** These commands have ended. */
  "commands.ended": z.object({ commandIds: Ids, hasBatches: z.boolean() }),
  /** These tokens were revoked, lost scopes, or their users left the team. */
  "tokens.ended": z.object({ tokenIds: Ids }),
  /** These players were moved to the bin. */
  "players.removed": z.object({ playerIds: Ids }),
  /** Data that the devices of these players sent until then is void: the players are erased, or have other devices. */
  "players.forgotten": z.object({ playerIds: Ids, until: z.number() }),
  /** These rollouts have changed, or their results at these players. */
  "rollouts.changed": z.object({ rolloutIds: Ids, playerIds: Ids }),
  /** These alerts were opened, acknowledged or closed; these teams have other alert settings. */
  "alerts.changed": z.object({ alertIds: Ids, teamIds: Ids }),
} as const;

/** Messages that no table stores: lost when a node or the message server is away. */
export const broadcastBodies = {
  /** The latest heartbeats of the sender's players. */
  heartbeats: z.object({
    beats: z
      .array(z.object({ playerId: z.string(), receivedAt: z.number(), link: z.enum(["socket", "poll", "gone"]), body: z.string() }))
      .readonly(),
  }),
} as const;

export type AnnouncementKind = keyof typeof announcementBodies;
export type Announcements = { [K in AnnouncementKind]: z.infer<(typeof announcementBodies)[K]> };

export type BroadcastKind = keyof typeof broadcastBodies;
export type Broadcasts = { [K in BroadcastKind]: z.infer<(typeof broadcastBodies)[K]> };

const common = { epoch: z.string(), node: z.string() };

/** A message of a node. Its body is checked by its kind. */
export const WireMessage = z.discriminatedUnion("is", [
  z.object({
    ...common,
    is: z.literal("announced"),
    /** The id of its transaction, by which nodes of versions before 0074 order announcements. */
    xid: z.string().regex(/^\d{1,20}$/),
    id: z.int().positive(),
    kind: z.string(),
    body: z.unknown(),
  }),
  z.object({ ...common, is: z.literal("broadcast"), kind: z.string(), body: z.unknown() }),
  /** A node has given its duties back. */
  z.object({ ...common, is: z.literal("duties-free") }),
]);
export type WireMessage = z.infer<typeof WireMessage>;

/** @returns null for a text that is no message of a node. */
export function parseWireMessage(text: string): WireMessage | null {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return null;
  }
  return WireMessage.safeParse(json).data ?? null;
}
