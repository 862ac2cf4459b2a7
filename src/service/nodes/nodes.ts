// What the nodes of one service tell each other, and which of them does the work that only one may do.
import type { Db } from "../store/store.ts";

/** What nodes announce: changes of stored data that other nodes keep a copy of in memory. The truth is in the database. */
export interface Announcements {
  /** These players have new entries in their journals (state.changed, command), or were revoked. */
  "players.changed": { playerIds: readonly string[] };
  /** These teams have new events. */
  "events.appended": { teamIds: readonly string[] };
  /** These commands have ended. */
  "commands.ended": { commandIds: readonly string[]; hasBatches: boolean };
}

export type AnnouncementKind = keyof Announcements;

/** What nodes send each other without storing it: lost when a node or the message server is away. */
export interface Broadcasts {
  /** Placeholder member until the first broadcast exists: the latest heartbeats of the sender's players. */
  heartbeats: { beats: readonly { playerId: string; receivedAt: number; link: "socket" | "poll" | "gone"; body: string }[] };
}

export type BroadcastKind = keyof Broadcasts;

/**
 * The other nodes of this service. A service on SQLite is alone: announcing costs nothing, and it has every duty.
 */
export interface Nodes extends AsyncDisposable {
  /** `nod_…`, new at each start. */
  readonly id: string;
  /** False: this is the only process of its service. */
  readonly isShared: boolean;
  /** Announces a change to the other nodes, in its transaction. They hear of it after the commit, at least once, in any order. */
  announce<K extends AnnouncementKind>(db: Db, kind: K, body: Announcements[K]): Promise<void>;
  /** Calls `listener` for each announcement of another node, until `signal` aborts. It reads the change from the database. */
  onAnnounced<K extends AnnouncementKind>(kind: K, listener: (body: Announcements[K]) => void | Promise<void>, signal?: AbortSignal): void;
  /** Sends to the other nodes; may be lost. */
  broadcast<K extends BroadcastKind>(kind: K, body: Broadcasts[K]): void;
  onBroadcast<K extends BroadcastKind>(kind: K, listener: (body: Broadcasts[K]) => void, signal?: AbortSignal): void;
  /**
   * A loop that runs on one node at a time: while this node has the duty `name`. Every `store.write` within it is fenced: it commits
   * only while the lease is still this node's. `signal` aborts when the lease is lost; the loop begins again when it is back.
   */
  asDuty(name: string, loop: (signal: AbortSignal) => Promise<never>): (signal: AbortSignal) => Promise<never>;
}
