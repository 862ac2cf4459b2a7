// The socket of one subscriber: replies to its messages and sends the events of its subscription, from the journal or live.
import type { WebSocket } from "ws";
import { reasonOf } from "../../base/fault.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { messageText } from "../../base/websocket-text.ts";
import { eventCloseCodes, type SubscriberMessage, type SubscriptionMessage } from "../../protocol/operator/events.ts";
import type { Db } from "../store/store.ts";
import type { EventJournal } from "./event-journal.ts";
import { PacedSocket } from "./paced-socket.ts";
import { readSubscriberMessage } from "./subscriber-messages.ts";
import { eventMessage, includesEvent, includesHeartbeat, type LiveEvent, type PlayerHeartbeat, type Subscription } from "./subscription.ts";

export interface SubscriberDependencies {
  db: Db;
  events: EventJournal;
  clock: Clock;
  log: Log;
  /** The latest heartbeats of some players of a team; `players` of null means all. */
  latestHeartbeats: (teamId: string, players: ReadonlySet<string> | null) => Promise<readonly PlayerHeartbeat[]>;
}

const pageSize = 200;
// The socket is paused while this many messages are unanswered.
const maxUnanswered = 32;
const noSubscription: Subscription = { kinds: new Set(), players: null };

export class Subscriber {
  readonly teamId: string;
  readonly #socket: WebSocket;
  readonly #pacedSocket: PacedSocket;
  readonly #dependencies: SubscriberDependencies;
  readonly #unanswered: string[] = [];
  #isAnswering = false;
  #subscription: Subscription | null = null;
  /** All events up to here were sent or are not part of the subscription. */
  #seq = 0;
  // Live: gets each new event. Reading: reads the journal until it has caught up with the live events.
  #mode: "idle" | "reading" | "live" = "idle";
  /** Incremented for every read of the journal, so that a read that was superseded stops. */
  #readId = 0;
  #mustReadAgain = false;
  /** Heartbeats to be sent, the latest of each player. */
  readonly #heartbeats = new Map<string, PlayerHeartbeat>();
  #isSendingHeartbeats = false;
  #lastReceivedAt: number;

  constructor(socket: WebSocket, teamId: string, dependencies: SubscriberDependencies) {
    const { clock, log } = dependencies;
    this.teamId = teamId;
    this.#socket = socket;
    this.#pacedSocket = new PacedSocket(socket, clock, () => this.#disconnectStalled());
    this.#dependencies = dependencies;
    this.#lastReceivedAt = clock.monotonic();
    const recordActivity = () => (this.#lastReceivedAt = clock.monotonic());
    socket.on("pong", recordActivity);
    socket.on("message", (raw, binary) => {
      recordActivity();
      this.#handleMessage(binary ? "" : messageText(raw));
    });
    socket.on("error", (error) => log.debug({ reason: reasonOf(error), team_id: teamId }, "a subscriber's socket failed"));
  }

  /** Aborts when the socket has closed. */
  get ended(): AbortSignal {
    return this.#pacedSocket.closed;
  }

  /** Sends the newest events of the team. They must follow those of the previous call. */
  sendEvents(events: readonly LiveEvent[]): void {
    if (this.#mode === "reading") this.#mustReadAgain = true;
    if (this.#mode !== "live") return;
    for (const { stored, players, text } of events) {
      if (stored.seq <= this.#seq) continue;
      // After a gap, or when the buffer is full, continue from the journal.
      if (stored.seq !== this.#seq + 1 || this.#pacedSocket.isFull) return this.#readJournal();
      this.#seq = stored.seq;
      if (includesEvent(this.#subscription ?? noSubscription, stored, players)) this.#pacedSocket.send(text);
    }
  }

  /** Sends a heartbeat. While the buffer is full, a newer heartbeat of the same player replaces it. */
  sendHeartbeat(heartbeat: PlayerHeartbeat): void {
    if (!includesHeartbeat(this.#subscription ?? noSubscription, heartbeat)) return;
    this.#heartbeats.set(heartbeat.player_id, heartbeat);
    this.#sendHeartbeats();
  }

  /** Pings the peer and sends its position; terminates a socket from which nothing was received for `silenceMs`. */
  ping(silenceMs: number): void {
    if (this.#dependencies.clock.monotonic() - this.#lastReceivedAt > silenceMs) return this.#socket.terminate();
    if (!this.#pacedSocket.isOpen || this.#pacedSocket.isFull) return;
    this.#socket.ping();
    if (this.#mode === "live") this.#send({ type: "place", data: this.#position });
  }

  /** Asks the subscriber to reconnect later, and closes the socket. */
  goAway(reconnectAfterMs: number): void {
    this.#send({ type: "goaway", data: { reconnect_after_ms: reconnectAfterMs } });
    this.close(eventCloseCodes.restarting, "restarting");
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  terminate(): void {
    this.#socket.terminate();
  }

  get #position() {
    return { epoch: this.#dependencies.events.epoch, seq: this.#seq };
  }

  #handleMessage(text: string): void {
    this.#unanswered.push(text);
    if (this.#unanswered.length >= maxUnanswered) this.#socket.pause();
    if (this.#isAnswering) return;
    this.#answerAll().catch((error: unknown) => this.#fail(error));
  }

  /** Answers the messages one after the other, in their order. */
  async #answerAll(): Promise<void> {
    this.#isAnswering = true;
    try {
      while (this.#unanswered.length > 0 && (await this.#pacedSocket.hasRoom())) {
        await this.#answer(readSubscriberMessage(this.#unanswered.shift()!));
        if (this.#unanswered.length === 0) this.#socket.resume();
      }
    } finally {
      this.#isAnswering = false;
    }
  }

  async #answer(message: SubscriberMessage | Extract<SubscriptionMessage, { type: "error" }>): Promise<void> {
    switch (message.type) {
      case "subscribe":
        return this.#subscribe(message);
      case "unsubscribe":
        return this.#unsubscribe(message.id);
      case "error":
        return this.#send(message);
    }
  }

  async #unsubscribe(id: string): Promise<void> {
    const { db, events } = this.#dependencies;
    const wasSubscribed = this.#subscription !== null;
    this.#stop();
    this.#subscription = null;
    if (!wasSubscribed) this.#seq = (await events.positionOf(db, this.teamId)).last;
    this.#send({ type: "unsubscribed", id, data: this.#position });
  }

  /** Stops the work of the current subscription, including a read of the journal that is in progress. */
  #stop(): void {
    this.#mode = "idle";
    this.#readId += 1;
    this.#heartbeats.clear();
  }

  async #subscribe({ id, data }: Extract<SubscriberMessage, { type: "subscribe" }>): Promise<void> {
    const { db, events, latestHeartbeats } = this.#dependencies;
    this.#stop();
    const players = data.players === "all" ? null : new Set(data.players);
    const subscription: Subscription = { kinds: new Set(data.kinds), players };
    this.#subscription = subscription;
    const { last, trimmed } = await events.positionOf(db, this.teamId);
    const { after } = data;
    const canResume = after !== undefined && after.epoch === events.epoch && after.seq >= trimmed && after.seq <= last;
    this.#seq = canResume ? after.seq : last;
    this.#send({ type: "subscribed", id, data: { ...this.#position, resumed: canResume } });
    if (after !== undefined && !canResume) this.#send({ type: "resync", data: this.#position });
    this.#readJournal();
    if (!subscription.kinds.has("heartbeat")) return;
    for (const heartbeat of await latestHeartbeats(this.teamId, players)) {
      if (!this.#heartbeats.has(heartbeat.player_id)) this.sendHeartbeat(heartbeat);
    }
  }

  /** Sends events from the journal until the subscriber has caught up with the live events. */
  #readJournal(): void {
    this.#mode = "reading";
    this.#readId += 1;
    this.#readPages(this.#readId).catch((error: unknown) => this.#fail(error));
  }

  async #readPages(readId: number): Promise<void> {
    const { db, events } = this.#dependencies;
    while (await this.#pacedSocket.hasRoom()) {
      if (readId !== this.#readId) return;
      this.#mustReadAgain = false;
      const page = await events.readAfter(db, this.teamId, this.#seq, pageSize);
      for (const stored of page) {
        const audience = await events.playersInAudience(db, stored.audience);
        if (readId !== this.#readId) return;
        this.#seq = stored.seq;
        if (includesEvent(this.#subscription ?? noSubscription, stored, audience)) this.#pacedSocket.send(eventMessage(stored));
      }
      if (readId !== this.#readId) return;
      // Live events that arrived during the read may be missing from the page.
      if (page.length === pageSize || this.#mustReadAgain) continue;
      this.#mode = "live";
      return;
    }
  }

  #sendHeartbeats(): void {
    if (this.#isSendingHeartbeats || this.#heartbeats.size === 0) return;
    this.#isSendingHeartbeats = true;
    const sendAll = async (): Promise<void> => {
      while (this.#heartbeats.size > 0 && (await this.#pacedSocket.hasRoom())) {
        const [playerId, heartbeat] = this.#heartbeats.entries().next().value!;
        this.#heartbeats.delete(playerId);
        this.#send({ type: "heartbeat", data: heartbeat });
      }
    };
    sendAll()
      .catch((error: unknown) => this.#fail(error))
      .finally(() => (this.#isSendingHeartbeats = false));
  }

  #send(message: SubscriptionMessage): void {
    this.#pacedSocket.send(JSON.stringify(message));
  }

  #disconnectStalled(): void {
    this.#dependencies.log.warn({ team_id: this.teamId }, "disconnecting a subscriber that does not read");
    this.close(eventCloseCodes.tooSlow, "too slow: resume later");
    // A peer that does not read would not read the close frame either.
    this.terminate();
  }

  #fail(error: unknown): void {
    if (this.ended.aborted) return;
    this.#dependencies.log.error({ err: error, team_id: this.teamId }, "a subscriber's socket is closed after an error");
    this.close(1011, "the service failed");
  }
}
