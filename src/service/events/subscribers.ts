// The subscribers' sockets at GET /events: who may listen, and the feed of each team that somebody listens to.
import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer, type WebSocket } from "ws";
import { Signal } from "../../base/async/signal.ts";
import { reasonOf } from "../../base/fault.ts";
import { runAll } from "../../base/async/run-all.ts";
import { eventCloseCodes, eventsSubprotocol, maxSubscriberMessageBytes } from "../../protocol/operator/events.ts";
import type { Heartbeat } from "../../protocol/device/heartbeat.ts";
import { authenticate, reauthorize } from "../people/authentication.ts";
import type { Operator } from "../people/operator.ts";
import type { TokenExpiry } from "../people/token-expiry.ts";
import type { Presence } from "../fleet/presence.ts";
import { ProblemError } from "../http/problem.ts";
import type { Store } from "../store/store.ts";
import { Subscriber, eventMessage, type PlayerHeartbeat, type LiveEvent, type SubscriberDependencies } from "./subscriber.ts";
import { closeAfterGrace, type WebSocketEndpoint } from "../http/upgrades.ts";

export interface SubscribersDependencies extends Omit<SubscriberDependencies, "db" | "latestHeartbeats"> {
  store: Store;
  presence: Presence;
  tokens: TokenExpiry;
}

const pingMs = 15_000;
const silenceMs = 40_000;
const farewellMs = 500;
const spreadMs = 2_000;
const ticketMs = 30_000;
const maxTickets = 10_000;
const feedPage = 500;
const trimMs = 600_000;

/** The live end of a team's journal. */
interface Feed {
  subscribers: Set<Subscriber>;
  /** Told up to here. */
  seq: number;
}

interface Ticket {
  operator: Operator;
  expiresAt: number;
}

export class Subscribers implements WebSocketEndpoint {
  readonly path = "/api/v1/events";
  readonly #parts: SubscribersDependencies;
  readonly server: WebSocketServer;
  readonly #feeds = new Map<string, Feed>();
  readonly #tickets = new Map<string, Ticket>();
  readonly #moved = new Signal();
  /** Of those who wait for news of a team without a socket. */
  readonly #bells = new Map<string, Set<Signal>>();
  #isClosing = false;

  constructor(parts: SubscribersDependencies) {
    this.#parts = parts;
    this.server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: maxSubscriberMessageBytes,
      handleProtocols: (offered) => (offered.has(eventsSubprotocol) ? eventsSubprotocol : false),
    });
    parts.store.onCommit(() => this.#moved.notify());
  }

  /** Subscribers connected at present. */
  get size(): number {
    let size = 0;
    for (const { subscribers } of this.#feeds.values()) size += subscribers.size;
    return size;
  }

  /**
   * A one-time ticket for browsers, whose sockets cannot send a token: `GET /events?ticket=…` within 30 s.
   * @throws Refusal 429 when too many are unused.
   */
  createTicket(operator: Operator): { ticket: string; expires_in: number } {
    const now = this.#parts.clock.monotonic();
    for (const [name, { expiresAt }] of this.#tickets) if (expiresAt <= now) this.#tickets.delete(name);
    if (this.#tickets.size >= maxTickets) throw new ProblemError("too-many", "Too many tickets are unused: try again in half a minute");
    const ticket = randomBytes(24).toString("base64url");
    this.#tickets.set(ticket, { operator, expiresAt: now + ticketMs });
    return { ticket, expires_in: ticketMs / 1_000 };
  }

  /** Why an upgrade is refused, null to take it. A bad token is told by a close code instead. */
  rejectionOf({ method }: IncomingMessage): ProblemError | null {
    if (this.#isClosing) return new ProblemError("closing", "The service is stopping");
    if (method === "GET") return null;
    return new ProblemError("method-not-allowed", "A WebSocket is opened by GET", { headers: { Allow: "GET" } });
  }

  /** Takes an upgrade that {@link rejectionOf} let pass. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.server.handleUpgrade(request, socket, head, (opened) => void this.#admit(opened, request));
  }

  /** Rings `bell` when something may have happened in a team, until `signal` aborts. */
  notifyOnEvents(teamId: string, bell: Signal, signal: AbortSignal): void {
    const bells = this.#bells.get(teamId) ?? new Set();
    this.#bells.set(teamId, bells.add(bell));
    const end = (): void => {
      bells.delete(bell);
      if (bells.size === 0 && this.#bells.get(teamId) === bells) this.#bells.delete(teamId);
    };
    signal.addEventListener("abort", end, { once: true });
  }

  /** Tells a heartbeat to those who listen. */
  sendHeartbeat(teamId: string, playerId: string, receivedAt: number, heartbeat: Heartbeat): void {
    const feed = this.#feeds.get(teamId);
    if (feed === undefined) return;
    const beat: PlayerHeartbeat = { player_id: playerId, received_at: new Date(receivedAt).toISOString(), heartbeat };
    for (const subscriber of feed.subscribers) subscriber.sendHeartbeat(beat);
  }

  /** Serves the feeds until `signal` aborts; rejects with an AbortError then. */
  async run(signal: AbortSignal): Promise<never> {
    const { clock, store, events } = this.#parts;
    const tell = async (each: AbortSignal): Promise<never> => {
      for (;;) {
        await this.#moved.wait(clock, Infinity, each);
        for (const teamId of events.takeTeamsWithNewEvents()) {
          for (const bell of this.#bells.get(teamId) ?? []) bell.notify();
          await this.#tell(teamId);
        }
      }
    };
    const ping = async (each: AbortSignal): Promise<never> => {
      for (;;) {
        await clock.wait(pingMs, each);
        for (const { subscribers } of this.#feeds.values()) for (const subscriber of subscribers) subscriber.ping(silenceMs);
      }
    };
    const trim = async (each: AbortSignal): Promise<never> => {
      for (;;) {
        await store.write((db) => events.trim(db));
        await clock.wait(trimMs, each);
      }
    };
    return runAll([tell, ping, trim], signal);
  }

  /** Sends everybody away and takes nobody in any more. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const all = [...this.#feeds.values()].flatMap(({ subscribers }) => [...subscribers]);
    for (const subscriber of all) subscriber.goAway(Math.round(500 + Math.random() * spreadMs));
    await closeAfterGrace(all, this.#parts.clock, farewellMs);
    this.server.close();
  }

  async #tell(teamId: string): Promise<void> {
    const { events, store } = this.#parts;
    const feed = this.#feeds.get(teamId);
    if (feed === undefined) return;
    for (;;) {
      const page = await events.readAfter(store.db, teamId, feed.seq, feedPage);
      const live: LiveEvent[] = [];
      for (const stored of page) {
        live.push({ stored, players: await events.playersInAudience(store.db, stored.audience), text: eventMessage(stored) });
      }
      for (const subscriber of feed.subscribers) subscriber.sendEvents(live);
      feed.seq = page.at(-1)?.seq ?? feed.seq;
      if (page.length < feedPage) return;
    }
  }

  async #admit(socket: WebSocket, request: IncomingMessage): Promise<void> {
    const { log } = this.#parts;
    socket.on("error", (error) => log.debug({ reason: reasonOf(error) }, "a socket failed"));
    // Heard from the first moment: what is said while the token is looked up must not be lost.
    socket.pause();
    try {
      const operator = await this.#operatorOf(request);
      await this.#seat(socket, operator);
      socket.resume();
    } catch (error) {
      socket.resume();
      if (!(error instanceof ProblemError)) log.error({ err: error }, "a subscriber could not be admitted");
      const code = !(error instanceof ProblemError) ? 1011 : error.status === 403 ? eventCloseCodes.forbidden : eventCloseCodes.badToken;
      socket.close(code, error instanceof ProblemError ? error.message.slice(0, 120) : "");
    }
  }

  async #operatorOf({ url, headers }: IncomingMessage): Promise<Operator> {
    const { store, clock } = this.#parts;
    const name = new URL(url ?? "", "http://service").searchParams.get("ticket");
    if (name === null) return authenticate(store.db, clock, headers.authorization);
    const ticket = this.#tickets.get(name);
    this.#tickets.delete(name);
    if (ticket === undefined || ticket.expiresAt <= clock.monotonic()) {
      throw new ProblemError("unauthorized", "The ticket is used or too old: ask for another");
    }
    return ticket.operator;
  }

  async #seat(socket: WebSocket, operator: Operator): Promise<void> {
    const { clock, events, log, store, tokens } = this.#parts;
    const { teamId } = operator;
    const latestBeats = (team: string, players: ReadonlySet<string> | null) => this.#latestBeats(team, players);
    const subscriber = new Subscriber(socket, teamId, { db: store.db, events, clock, log, latestHeartbeats: latestBeats });
    tokens.onEnd(operator, () => subscriber.close(eventCloseCodes.forbidden, "the token has ended"), subscriber.ended);
    // It may have ended while it was looked up.
    await reauthorize(store.db, clock, operator, "events:read");
    const feed = this.#feeds.get(teamId) ?? { subscribers: new Set(), seq: (await events.positionOf(store.db, teamId)).last };
    this.#feeds.set(teamId, this.#feeds.get(teamId) ?? feed);
    const { subscribers } = this.#feeds.get(teamId)!;
    if (this.#isClosing) return socket.close(eventCloseCodes.restarting);
    subscribers.add(subscriber);
    subscriber.ended.addEventListener("abort", () => {
      subscribers.delete(subscriber);
      if (subscribers.size === 0) this.#feeds.delete(teamId);
    });
  }

  async #latestBeats(teamId: string, players: ReadonlySet<string> | null): Promise<PlayerHeartbeat[]> {
    const { presence, store } = this.#parts;
    const rows = await store.db.selectFrom("players").select("id").where("team_id", "=", teamId).where("removed_at", "is", null).execute();
    return rows.flatMap(({ id }) => {
      const latest = players === null || players.has(id) ? presence.latest(id) : null;
      return latest === null
        ? []
        : [{ player_id: id, received_at: new Date(latest.receivedAt).toISOString(), heartbeat: latest.heartbeat }];
    });
  }
}
