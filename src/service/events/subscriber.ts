// One subscriber's socket: its subscription, its place in the journal, and no more in its buffer than it takes in.
import type { WebSocket } from "ws";
import { reasonOf } from "../../base/fault.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { messageText } from "../../base/websocket-text.ts";
import { eventCloseCodes, type EventKind, type SubscriberMessage, type SubscriptionMessage } from "../../protocol/operator/events.ts";
import type { EventJournal, StoredEvent } from "./event-journal.ts";
import type { Db } from "../store/store.ts";
import { readSubscriberMessage } from "./subscriber-messages.ts";

export interface SubscriberDependencies {
  db: Db;
  events: EventJournal;
  clock: Clock;
  log: Log;
  /** The newest heartbeats of some of a team's players (null: all), for who subscribes to them. */
  latestHeartbeats: (teamId: string, players: ReadonlySet<string> | null) => Promise<readonly PlayerHeartbeat[]>;
}

/** A heartbeat as it is told. */
export type PlayerHeartbeat = Extract<SubscriptionMessage, { type: "heartbeat" }>["data"];

/** An event of the live feed, its message made once for all subscribers. */
export interface LiveEvent {
  stored: StoredEvent;
  players: ReadonlySet<string>;
  text: string;
}

// Above this a subscriber is not given more; it goes on from the journal when it has taken in what it has.
const maxBufferedBytes = 262_144;
// One that takes nothing in for so long is sent away; it resumes from its place.
const stuckMs = 30_000;
const pageSize = 200;
// Of one that says more than is answered, no more is taken in for the time being.
const maxUnanswered = 32;

interface Subscription {
  kinds: ReadonlySet<EventKind>;
  /** Null: all. */
  players: ReadonlySet<string> | null;
}

export class Subscriber {
  readonly teamId: string;
  readonly #socket: WebSocket;
  readonly #parts: SubscriberDependencies;
  readonly #ended = new AbortController();
  /** What it said and what is not yet answered. */
  readonly #unanswered: string[] = [];
  #isAnswering = false;
  #subscription: Subscription | null = null;
  /** Everything up to here was sent or did not concern it. */
  #seq = 0;
  // Live: the next event of the feed is the next one for it. Reading: it goes through the journal up to the feed.
  #mode: "idle" | "reading" | "live" = "idle";
  /** Counts the readings of the journal: a subscription that replaces another ends its reading. */
  #reading = 0;
  #again = false;
  /** Resolves when what was sent last has been handed to the system. */
  #handedOver: Promise<void> = Promise.resolve();
  readonly #beats = new Map<string, PlayerHeartbeat>();
  #isFlushing = false;
  #heardAt: number;

  constructor(socket: WebSocket, teamId: string, parts: SubscriberDependencies) {
    this.teamId = teamId;
    this.#socket = socket;
    this.#parts = parts;
    this.#heardAt = parts.clock.monotonic();
    const heard = () => (this.#heardAt = parts.clock.monotonic());
    socket.on("pong", heard);
    socket.on("message", (raw, binary) => {
      heard();
      this.#take(binary ? "" : messageText(raw));
    });
    socket.on("error", (error) => parts.log.debug({ reason: reasonOf(error), team_id: teamId }, "a subscriber's socket failed"));
    socket.on("close", () => this.#ended.abort());
  }

  /** Aborts when the socket has closed. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** Tells the newest events of the team, all of them from where the last call ended. */
  sendEvents(events: readonly LiveEvent[]): void {
    if (this.#mode === "reading") this.#again = true;
    if (this.#mode !== "live") return;
    for (const { stored, players, text } of events) {
      if (stored.seq <= this.#seq) continue;
      // A gap or a full buffer: the journal knows the rest.
      if (stored.seq !== this.#seq + 1 || this.#isFull) return this.#read();
      this.#seq = stored.seq;
      if (this.#wants(stored, players)) this.#sendText(text);
    }
  }

  /** Tells a heartbeat; one that cannot be sent yet gives way to the next of the same player. */
  sendHeartbeat(beat: PlayerHeartbeat): void {
    const { kinds, players } = this.#subscription ?? nothing;
    if (!kinds.has("heartbeat") || players?.has(beat.player_id) === false) return;
    this.#beats.set(beat.player_id, beat);
    this.#flushBeats();
  }

  /** Asks for a sign of life and says where to resume; ends a socket that gave none for `silenceMs`. */
  ping(silenceMs: number): void {
    if (this.#parts.clock.monotonic() - this.#heardAt > silenceMs) return this.#socket.terminate();
    if (this.#socket.readyState !== this.#socket.OPEN || this.#isFull) return;
    this.#socket.ping();
    if (this.#mode === "live") this.#send({ type: "place", data: this.#place });
  }

  /** Tells it to come back later, and ends. */
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

  get #place() {
    return { epoch: this.#parts.events.epoch, seq: this.#seq };
  }

  get #isFull(): boolean {
    return this.#socket.bufferedAmount > maxBufferedBytes;
  }

  #take(text: string): void {
    this.#unanswered.push(text);
    if (this.#unanswered.length >= maxUnanswered) this.#socket.pause();
    if (this.#isAnswering) return;
    this.#answerAll().catch((error: unknown) => this.#fail(error));
  }

  /** Answers one message after the other, so that each has its answer and the answers have their order. */
  async #answerAll(): Promise<void> {
    this.#isAnswering = true;
    try {
      while (this.#unanswered.length > 0 && (await this.#drained())) {
        await this.#answer(readSubscriberMessage(this.#unanswered.shift()!));
        if (this.#unanswered.length === 0) this.#socket.resume();
      }
    } finally {
      this.#isAnswering = false;
    }
  }

  async #answer(said: SubscriberMessage | Extract<SubscriptionMessage, { type: "error" }>): Promise<void> {
    switch (said.type) {
      case "subscribe":
        return this.#subscribe(said);
      case "unsubscribe":
        return this.#unsubscribe(said.id);
      case "error":
        return this.#send(said);
    }
  }

  async #unsubscribe(id: string): Promise<void> {
    const { db, events } = this.#parts;
    const wasSubscribed = this.#subscription !== null;
    this.#stop();
    this.#subscription = null;
    if (!wasSubscribed) this.#seq = (await events.positionOf(db, this.teamId)).last;
    this.#send({ type: "unsubscribed", id, data: this.#place });
  }

  /** Ends what the present subscription does; a reading under way sees that it no longer counts. */
  #stop(): void {
    this.#mode = "idle";
    this.#reading += 1;
    this.#beats.clear();
  }

  async #subscribe({ id, data }: Extract<SubscriberMessage, { type: "subscribe" }>): Promise<void> {
    const { db, events, latestHeartbeats: latestBeats } = this.#parts;
    this.#stop();
    const players = data.players === "all" ? null : new Set(data.players);
    const subscription: Subscription = { kinds: new Set(data.kinds), players };
    this.#subscription = subscription;
    const { last, trimmed } = await events.positionOf(db, this.teamId);
    const { after } = data;
    const isKnown = after !== undefined && after.epoch === events.epoch && after.seq >= trimmed && after.seq <= last;
    this.#seq = isKnown ? after.seq : last;
    this.#send({ type: "subscribed", id, data: { ...this.#place, resumed: isKnown } });
    if (after !== undefined && !isKnown) this.#send({ type: "resync", data: this.#place });
    this.#read();
    if (subscription.kinds.has("heartbeat")) {
      for (const beat of await latestBeats(this.teamId, players)) if (!this.#beats.has(beat.player_id)) this.sendHeartbeat(beat);
    }
  }

  /** Goes through the journal until it has caught up with the feed. */
  #read(): void {
    this.#mode = "reading";
    this.#reading += 1;
    this.#readOn(this.#reading).catch((error: unknown) => this.#fail(error));
  }

  async #readOn(reading: number): Promise<void> {
    const { db, events } = this.#parts;
    while (await this.#drained()) {
      if (reading !== this.#reading) return;
      this.#again = false;
      const page = await events.readAfter(db, this.teamId, this.#seq, pageSize);
      for (const stored of page) {
        const players = await events.playersInAudience(db, stored.audience);
        if (reading !== this.#reading) return;
        this.#seq = stored.seq;
        if (this.#wants(stored, players)) this.#sendText(eventMessage(stored));
      }
      // What was told meanwhile may or may not have been in the page.
      if (reading !== this.#reading) return;
      if (page.length === pageSize || this.#again) continue;
      this.#mode = "live";
      return;
    }
  }

  /** Resolves to true when the buffer has room; to false when the socket ended, or was ended because it takes nothing in. */
  async #drained(): Promise<boolean> {
    const { clock, log } = this.#parts;
    const { signal } = this.#ended;
    const inTime = new AbortController();
    let isStuck = false;
    const late = clock.wait(stuckMs, AbortSignal.any([signal, inTime.signal])).then(
      () => (isStuck = true),
      () => undefined,
    );
    while (this.#isFull && !isStuck && !signal.aborted) await Promise.race([this.#handedOver, late]);
    inTime.abort();
    if (isStuck && !signal.aborted) {
      log.warn({ team_id: this.teamId }, "a subscriber takes nothing in, it is sent away");
      this.close(eventCloseCodes.tooSlow, "too slow: resume later");
      // A peer that reads nothing does not read the goodbye either.
      this.terminate();
    }
    return !isStuck && !signal.aborted;
  }

  #flushBeats(): void {
    if (this.#isFlushing || this.#beats.size === 0) return;
    this.#isFlushing = true;
    const flush = async (): Promise<void> => {
      while (this.#beats.size > 0 && (await this.#drained())) {
        const [playerId, beat] = this.#beats.entries().next().value!;
        this.#beats.delete(playerId);
        this.#send({ type: "heartbeat", data: beat });
      }
    };
    flush()
      .catch((error: unknown) => this.#fail(error))
      .finally(() => (this.#isFlushing = false));
  }

  #wants({ kind }: StoredEvent, audience: ReadonlySet<string>): boolean {
    const { kinds, players } = this.#subscription ?? nothing;
    if (kind === null || !kinds.has(kind)) return false;
    if (players === null) return true;
    for (const player of players) if (audience.has(player)) return true;
    return false;
  }

  #send(message: SubscriptionMessage): void {
    this.#sendText(JSON.stringify(message));
  }

  #sendText(text: string): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#handedOver = new Promise((resolve) => {
      this.#socket.send(text, () => resolve());
    });
  }

  #fail(error: unknown): void {
    if (this.#ended.signal.aborted) return;
    this.#parts.log.error({ err: error, team_id: this.teamId }, "a subscriber could not be served");
    this.close(1011, "the service failed");
  }
}

const nothing: Subscription = { kinds: new Set(), players: null };

/** The message that tells an event. */
export function eventMessage({ seq, event }: StoredEvent): string {
  return JSON.stringify({ type: "event", seq, data: event } satisfies SubscriptionMessage);
}
