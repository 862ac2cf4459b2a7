// The WebSocket endpoint at GET /events: authenticates subscribers, connects them to the events of their team and disconnects them.
import type { ServiceCore } from "../core.ts";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { WebSocket, WebSocketServer } from "ws";
import { reasonOf } from "../../base/fault.ts";
import { runAll } from "../../base/async/run-all.ts";
import type { Signal } from "../../base/async/signal.ts";
import { iso, minuteMs } from "../../base/time.ts";
import { eventCloseCodes, eventsSubprotocol, maxSubscriberMessageBytes } from "../../protocol/operator/events.ts";
import type { Heartbeat } from "../../protocol/device/heartbeat.ts";
import { authenticate, reauthorize, parseBearer } from "../people/authentication.ts";
import type { Operator } from "../people/operator.ts";
import type { Tickets, Ticket } from "../people/tickets.ts";
import type { TokenExpiry } from "../people/token-expiry.ts";
import type { Presence } from "../fleet/presence/presence.ts";
import type { HttpDeadlines } from "../http/limits/deadlines.ts";
import { ProblemError } from "../http/problem.ts";
import { closeAfterGrace, createWebSocketServer, type WebSocketEndpoint } from "../http/upgrades.ts";
import { EventFeeds } from "./event-feeds.ts";
import { Subscriber } from "./subscriber.ts";
import type { PlayerHeartbeat } from "./subscription.ts";

export interface SubscribersDependencies extends ServiceCore {
  deadlines: HttpDeadlines;
  presence: Presence;
  tickets: Tickets;
  tokens: TokenExpiry;
}

const pingMs = 15_000;
const silenceMs = 40_000;
const closeGraceMs = 500;
// Subscribers reconnect at random moments within this time.
const reconnectSpreadMs = 2_000;
const trimMs = 10 * minuteMs;

export class Subscribers implements WebSocketEndpoint {
  readonly path = "/api/v1/events";
  readonly server: WebSocketServer;
  readonly #dependencies: SubscribersDependencies;
  readonly #feeds: EventFeeds;
  readonly #operators = new WeakMap<Subscriber, Operator>();
  #isClosing = false;

  constructor(dependencies: SubscribersDependencies) {
    this.#dependencies = dependencies;
    this.#feeds = new EventFeeds(dependencies);
    dependencies.nodes.onMissed(() => this.#checkAll());
    this.server = createWebSocketServer(dependencies.deadlines, {
      maxPayload: maxSubscriberMessageBytes,
      handleProtocols: (offered) => (offered.has(eventsSubprotocol) ? eventsSubprotocol : false),
    });
  }

  /** How many subscribers are connected. */
  get size(): number {
    return this.#feeds.allSubscribers().length;
  }

  /** Creates a one-time ticket for `GET /events?ticket=…`. */
  createTicket(operator: Operator): Ticket {
    return this.#dependencies.tickets.create(operator, this.path);
  }

  /** Notifies `newEvents` when a team may have new events, until `signal` aborts. */
  notifyOnEvents(teamId: string, newEvents: Signal, signal: AbortSignal): void {
    this.#feeds.onEvents(teamId, () => newEvents.notify(), signal);
  }

  /** Sends a heartbeat to the subscribers of the player's team. */
  sendHeartbeat(teamId: string, playerId: string, receivedAt: number, heartbeat: Heartbeat): void {
    const subscribers = this.#feeds.subscribersOf(teamId);
    if (subscribers.size === 0) return;
    const data = { player_id: playerId, received_at: iso(receivedAt), heartbeat };
    for (const subscriber of subscribers) subscriber.sendHeartbeat(data);
  }

  /** The error to reject an upgrade with, or null. An invalid token is reported by a close code instead. */
  rejectionOf({ method }: IncomingMessage): ProblemError | null {
    if (this.#isClosing) return new ProblemError("closing", "The service is stopping");
    if (method === "GET") return null;
    return new ProblemError("method-not-allowed", "Open a WebSocket with GET", { headers: { Allow: "GET" } });
  }

  /** Accepts an upgrade that {@link rejectionOf} did not reject. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.server.handleUpgrade(request, socket, head, (opened) => void this.#admit(opened, request));
  }

  /** Sends events and pings subscribers until `signal` aborts; rejects with an AbortError then. */
  async run(signal: AbortSignal): Promise<never> {
    const ping = async (each: AbortSignal): Promise<never> => {
      for (;;) {
        await this.#dependencies.clock.wait(pingMs, each);
        for (const subscriber of this.#feeds.allSubscribers()) subscriber.ping(silenceMs);
      }
    };
    return runAll([(each) => this.#feeds.run(each), ping], signal);
  }

  /** Trims the journal until `signal` aborts; rejects with an AbortError then. */
  async trim(signal: AbortSignal): Promise<never> {
    const { clock, store, events } = this.#dependencies;
    for (;;) {
      await store.write((db) => events.trim(db));
      await clock.wait(trimMs, signal);
    }
  }

  /** Disconnects all subscribers and accepts no more. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const subscribers = this.#feeds.allSubscribers();
    for (const subscriber of subscribers) subscriber.goAway(Math.round(500 + Math.random() * reconnectSpreadMs));
    await closeAfterGrace(subscribers, this.#dependencies.clock, closeGraceMs);
    this.server.close();
  }

  async #admit(socket: WebSocket, request: IncomingMessage): Promise<void> {
    const { log } = this.#dependencies;
    socket.on("error", (error) => log.debug({ reason: reasonOf(error) }, "a socket failed"));
    // Keep messages that arrive while the token is looked up.
    socket.pause();
    try {
      await this.#subscribe(socket, await this.#operatorOf(request));
      socket.resume();
    } catch (error) {
      socket.resume();
      if (!(error instanceof ProblemError)) {
        log.error({ err: error }, "a subscriber could not be admitted");
        return socket.close(1011);
      }
      const code = error.status === 403 ? eventCloseCodes.forbidden : eventCloseCodes.badToken;
      socket.close(code, error.message.slice(0, 120));
    }
  }

  async #operatorOf({ url, headers }: IncomingMessage): Promise<Operator> {
    const { clock, store, tickets } = this.#dependencies;
    const ticket = new URL(url ?? "", "http://service").searchParams.get("ticket");
    if (ticket === null) return authenticate(store.db, clock, parseBearer(headers.authorization));
    return reauthorize(store.db, clock, await tickets.redeem(ticket, this.path), undefined);
  }

  async #subscribe(socket: WebSocket, operator: Operator): Promise<void> {
    const { clock, events, log, store, tokens } = this.#dependencies;
    const latestHeartbeats = (teamId: string, players: ReadonlySet<string> | null) => this.#latestHeartbeats(teamId, players);
    const subscriber = new Subscriber(socket, operator.teamId, { db: store.db, events, clock, log, latestHeartbeats });
    tokens.onEnd(operator, () => subscriber.close(eventCloseCodes.forbidden, "the token has ended"), subscriber.ended);
    // The token may have ended during the lookup.
    await reauthorize(store.db, clock, operator, "events:read");
    const { last } = await events.positionOf(store.db, operator.teamId);
    if (this.#isClosing) return socket.close(eventCloseCodes.restarting);
    this.#operators.set(subscriber, operator);
    this.#feeds.add(subscriber, last);
  }

  /** Disconnects the subscribers whose tokens have ended without this node's having heard of it. */
  async #checkAll(): Promise<void> {
    const { clock, store } = this.#dependencies;
    for (const subscriber of this.#feeds.allSubscribers()) {
      await reauthorize(store.db, clock, this.#operators.get(subscriber)!, "events:read").catch((error: unknown) => {
        if (!(error instanceof ProblemError)) throw error;
        subscriber.close(eventCloseCodes.forbidden, "the token has ended");
      });
    }
  }

  async #latestHeartbeats(teamId: string, players: ReadonlySet<string> | null): Promise<PlayerHeartbeat[]> {
    const { presence, store } = this.#dependencies;
    const rows = await store.db.selectFrom("players").select("id").where("team_id", "=", teamId).where("removed_at", "is", null).execute();
    return rows.flatMap(({ id }) => {
      const latest = players === null || players.has(id) ? presence.latest(id) : null;
      return latest === null ? [] : [{ player_id: id, received_at: iso(latest.receivedAt), heartbeat: latest.heartbeat }];
    });
  }
}
