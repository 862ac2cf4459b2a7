// One of several nodes that share a PostgreSQL database: announces its changes, hears those of others, and keeps its leases.
import type { Pool } from "pg";
import type { Clock } from "../../base/clock.ts";
import { isFault, isOutlived, reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import type { Db, Store } from "../store/store.ts";
import { writeAnnouncement, type AnnouncementLog } from "./announcements/log.ts";
import type { AnnouncementReader } from "./announcements/reader.ts";
import type { DatabaseClock } from "./database-clock.ts";
import type { Duties } from "./leases/duties.ts";
import { checkLease } from "./leases/fence.ts";
import type { Leases } from "./leases/leases.ts";
import type { Membership } from "./leases/membership.ts";
import type { MessageServer } from "./messages/server.ts";
import type { NodeListeners } from "./messages/listeners.ts";
import {
  type AnnouncementKind,
  type Announcements,
  type BroadcastKind,
  type Broadcasts,
  parseWireMessage,
  type WireMessage,
} from "./messages/messages.ts";
import type { AnnouncementListener, Loop, NodeFigures, Nodes } from "./nodes.ts";
import { waitOutErrors } from "./wait-out.ts";

/** The parts of a shared node (open-nodes.ts connects them). */
export interface SharedParts {
  id: string;
  epoch: string;
  store: Store;
  /** Its own connections: leases must not wait for the service's queries. */
  pool: Pool;
  leases: Leases;
  membership: Membership;
  duties: Duties;
  announcements: AnnouncementLog;
  listeners: NodeListeners;
  reader: AnnouncementReader;
  messages: MessageServer | null;
  /** Of the machine, in real time. */
  clock: Clock;
  /** The clock of this node's machine, and the one that all nodes use. */
  times: { machine: Clock; shared: Clock };
  /** Keeps the clock of all nodes; null: another part does. */
  databaseClock: DatabaseClock | null;
  log: Log;
}

const trimMs = 60_000;

type AnnouncedMessage = Extract<WireMessage, { is: "announced" }>;

export class SharedNodes implements Nodes {
  readonly id: string;
  readonly isShared = true;
  readonly loops: readonly Loop[];
  readonly #parts: SharedParts;
  /** The announcements of an open transaction: by their text, so that none is announced twice. */
  readonly #announced = new WeakMap<Db, Map<string, AnnouncedMessage>>();
  readonly #counts = { announced: 0, broadcast: 0, refusedMessages: 0 };

  constructor(parts: SharedParts) {
    const { databaseClock, duties, membership, messages, reader, store } = parts;
    this.id = parts.id;
    this.#parts = parts;
    store.onBegin(checkLease);
    store.onCommit((db) => this.#sendAnnounced(db));
    const loops: Record<string, Loop> = {
      "node lease": (signal) => membership.run(signal),
      announcements: (signal) => reader.run(signal),
      ...(databaseClock !== null && { "database clock": (signal) => databaseClock.run(signal) }),
    };
    this.loops = [
      ...Object.entries(loops).map(([name, loop]) => this.onEachNode(name, loop)),
      (signal) => duties.run(signal),
      this.asDuty("announcement trimming", (signal) => this.#trim(signal)),
      ...(messages === null ? [] : [(signal: AbortSignal) => messages.run(signal)]),
    ];
  }

  get liveNodeIds(): ReadonlySet<string> {
    return this.#parts.membership.live;
  }

  get clock(): Clock {
    return this.#parts.times.shared;
  }

  get figures(): NodeFigures {
    const { clock, duties, membership, messages, reader, times } = this.#parts;
    return {
      liveNodes: membership.live.size,
      hasDuties: duties.isHeld,
      pollLagSeconds: (clock.monotonic() - reader.polledAt) / 1_000,
      leaseSeconds: membership.leftMs / 1_000,
      clockSkewSeconds: (times.machine.now() - times.shared.now()) / 1_000,
      isMessagingConnected: messages?.isConnected ?? null,
      heldBackBy: reader.heldBackBy,
      missingAnnouncements: reader.missingCount,
      counts: { ...this.#counts, ...reader.counts },
    };
  }

  async announce<K extends AnnouncementKind>(db: Db, kind: K, body: Announcements[K]): Promise<number> {
    const text = JSON.stringify(body);
    const announced = this.#announced.get(db) ?? new Map<string, AnnouncedMessage>();
    this.#announced.set(db, announced);
    const key = `${kind} ${text}`;
    const earlier = announced.get(key);
    if (earlier !== undefined) return earlier.id;
    const { xid, id } = await writeAnnouncement(db, this.id, kind, text);
    announced.set(key, { is: "announced", ...this.#sender, xid, id, kind, body });
    return id;
  }

  onAnnounced<K extends AnnouncementKind>(kind: K, listener: AnnouncementListener<K>, signal?: AbortSignal): void {
    this.#parts.listeners.onAnnounced(kind, listener, signal);
  }

  onMissed(listener: () => void | Promise<void>): void {
    this.#parts.listeners.onMissed(listener);
  }

  broadcast<K extends BroadcastKind>(kind: K, body: Broadcasts[K]): void {
    if (this.#send({ is: "broadcast", ...this.#sender, kind, body })) this.#counts.broadcast += 1;
  }

  onBroadcast<K extends BroadcastKind>(kind: K, listener: (body: Broadcasts[K], nodeId: string) => void, signal?: AbortSignal): void {
    this.#parts.listeners.onBroadcast(kind, listener, signal);
  }

  asDuty(name: string, loop: Loop): Loop {
    return this.#parts.duties.loop(name, loop);
  }

  checkDuty(): Promise<void> {
    return checkLease(this.#parts.store.db);
  }

  onEachNode(name: string, loop: Loop): Loop {
    return waitOutErrors(name, loop, this.#parts);
  }

  /** Handles a message of the message server. */
  hear(text: string): void {
    const { duties, epoch, listeners, log, reader } = this.#parts;
    const message = parseWireMessage(text);
    // Another service may use the same server.
    if (message !== null && (message.epoch !== epoch || message.node === this.id)) return;
    switch (message?.is) {
      case "announced":
        return void reader.hear(message.id, message.kind, message.body);
      case "broadcast":
        if (listeners.broadcast(message.kind, message.body, message.node)) return;
        break;
      case "duties-free":
        return duties.wake();
      case undefined:
    }
    this.#counts.refusedMessages += 1;
    log.debug({ bytes: text.length, kind: message?.kind }, "ignored a message of the message server");
  }

  /** Gives the leases back, so that others need not wait for their end. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { duties, leases, log, messages, pool } = this.#parts;
    try {
      await duties.release();
      await leases.leave();
      this.#send({ is: "duties-free", ...this.#sender });
    } catch (error) {
      if (!isOutlived(error) && !isFault(error, "store-changed")) throw error;
      log.warn({ reason: reasonOf(error) }, "the leases could not be given back: they end by themselves");
    } finally {
      await messages?.close();
      await pool.end();
    }
  }

  get #sender() {
    return { epoch: this.#parts.epoch, node: this.id };
  }

  #send(message: WireMessage): boolean {
    return this.#parts.messages?.send(JSON.stringify(message)) ?? false;
  }

  #sendAnnounced(db: Db): void {
    for (const message of this.#announced.get(db)?.values() ?? []) {
      this.#counts.announced += 1;
      this.#send(message);
    }
  }

  async #trim(signal: AbortSignal): Promise<never> {
    const { announcements, clock, leases } = this.#parts;
    for (;;) {
      await announcements.trim();
      await leases.forgetOldNodes();
      await clock.wait(trimMs, signal);
    }
  }
}
