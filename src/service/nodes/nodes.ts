// The other nodes of one service, as its parts use them.
import type { Clock } from "../../base/clock.ts";
import type { Db } from "../store/store.ts";
import type { HoldingWriter } from "./announcements/awaited-writers.ts";
import type { AnnouncementKind, Announcements, BroadcastKind, Broadcasts } from "./messages/messages.ts";

/** An endless loop; it rejects with an AbortError when its signal aborts. */
export type Loop = (signal: AbortSignal) => Promise<unknown>;

/** Called with another node's announcement, and with its number (see {@link Nodes.announce}). */
export type AnnouncementListener<K extends AnnouncementKind> = (body: Announcements[K], number: number) => void | Promise<void>;

/** This node's place among the others, for the metrics. */
export interface NodeFigures {
  /** How many nodes have a lease, this one included. */
  liveNodes: number;
  /** True if this node runs the loops that run only once. */
  hasDuties: boolean;
  /** Seconds since the last successful poll of the announcements. */
  pollLagSeconds: number;
  /** Seconds for which this node's lease still lasts; negative when it has ended. */
  leaseSeconds: number;
  /** By how much this machine's clock is ahead of that of all nodes; negative: behind. */
  clockSkewSeconds: number;
  /** True if the message server is connected; null: there is none. */
  isMessagingConnected: boolean | null;
  /** Open transactions whose announcements this node has waited for for long. */
  heldBackBy: readonly HoldingWriter[];
  /** How many announcements may still come below one that was read: their transactions are open, or were rolled back just now. */
  missingAnnouncements: number;
  /** Announcements since the start, and how often this node has read everything anew instead. */
  counts: {
    announced: number;
    heardByMessage: number;
    heardByPoll: number;
    broadcast: number;
    refusedMessages: number;
    resynchronized: number;
  };
}

/**
 * The other nodes of this service. A service on SQLite is alone: announcing costs nothing, and it has every duty.
 */
export interface Nodes extends AsyncDisposable {
  /** `nod_…`, new at each start. */
  readonly id: string;
  /** False: this is the only process of its service. */
  readonly isShared: boolean;
  /** The nodes whose lease lasts, this one included. Empty only until the {@link loops} run. */
  readonly liveNodeIds: ReadonlySet<string>;
  /** The clock that all nodes use: PostgreSQL's, or this machine's if it is the only process of its service. */
  readonly clock: Clock;
  /** Null: this is the only process of its service. */
  readonly figures: NodeFigures | null;
  /**
   * Announces a change to the other nodes, in its transaction. They hear of it after the commit, at least once, in any order.
   * @returns its number, which is greater than those of all announcements of all nodes until then; 0 if this is the only process.
   */
  announce<K extends AnnouncementKind>(db: Db, kind: K, body: Announcements[K]): Promise<number>;
  /**
   * Calls `listener` for each announcement of another node, with its number, until `signal` aborts. It reads the change from the
   * database. If it rejects, the announcement is delivered again.
   */
  onAnnounced<K extends AnnouncementKind>(kind: K, listener: AnnouncementListener<K>, signal?: AbortSignal): void;
  /**
   * Calls `listener` when announcements may have been missed. It reads its memory anew from the database. If it rejects, it is
   * called again. It does not have to be called after a start.
   */
  onMissed(listener: () => void | Promise<void>): void;
  /** Sends to the other nodes; may be lost. */
  broadcast<K extends BroadcastKind>(kind: K, body: Broadcasts[K]): void;
  onBroadcast<K extends BroadcastKind>(kind: K, listener: (body: Broadcasts[K], nodeId: string) => void, signal?: AbortSignal): void;
  /**
   * A loop that runs on one node at a time: while this node has the duties. Every `store.write` within it is fenced: it commits only
   * while the lease is still this node's. `signal` aborts when the lease is lost; the loop begins again when it is back, and after an
   * error of the database (see wait-out.ts).
   */
  asDuty(name: string, loop: Loop): Loop;
  /**
   * Call it within a duty, before an action that follows from this node's memory and not from the reads of a fenced write.
   * @throws Fault `lease-lost` as a fenced write does.
   */
  checkDuty(): Promise<void>;
  /** A loop that runs on every node and begins again after an error of the database (see wait-out.ts). */
  onEachNode(name: string, loop: Loop): Loop;
  /** The loops that renew this node's leases and listen to the others; to be run until the service stops. */
  readonly loops: readonly Loop[];
}
