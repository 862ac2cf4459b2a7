// The WebSocket endpoint for devices: authenticates them, keeps one session per player and pushes messages to them.
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { WebSocket, WebSocketServer } from "ws";
import { Batch } from "../../../base/async/batch.ts";
import { reasonOf } from "../../../base/fault.ts";
import { InstanceId } from "../../../protocol/device/heartbeat.ts";
import { closeCodes, deviceSubprotocol, longestMessageBytes } from "../../../protocol/device/messages.ts";
import type { DeviceAccess } from "./device-access.ts";
import { DeviceSession, type SessionDependencies } from "./device-session.ts";
import { reconnectSpreadMs } from "./reconnect-spread.ts";
import { RemoteChanges } from "./remote-changes.ts";
import { StatePush } from "./state-push.ts";
import type { DesiredStates } from "../state/desired-states.ts";
import type { JournalEntry } from "./device-journal.ts";
import type { HttpDeadlines } from "../../http/limits/deadlines.ts";
import { ProblemError } from "../../http/problem.ts";
import type { PlayerRow } from "../../store/tables/fleet.ts";
import { closeAfterGrace, createWebSocketServer, type WebSocketEndpoint } from "../../http/upgrades.ts";

export interface DeviceSocketsDependencies extends Omit<SessionDependencies, "spreadMs" | "acks"> {
  access: DeviceAccess;
  deadlines: HttpDeadlines;
  desired: DesiredStates;
}

const pingMs = 15_000;
const silenceMs = 40_000;
const closeGraceMs = 500;
const maxAckBatch = 400;
// A drained device's goaway is spread already.
const drainedReconnectMs = 100;

export class DeviceSockets implements WebSocketEndpoint {
  readonly path = "/api/v1/device/ws";
  readonly server: WebSocketServer;
  readonly #dependencies: DeviceSocketsDependencies;
  readonly #sessions = new Map<string, DeviceSession>();
  readonly #states: StatePush;
  readonly #remote: RemoteChanges;
  /** One object for all sessions, to save memory with ten thousand sessions. */
  readonly #sessionDependencies: SessionDependencies;
  #isClosing = false;
  #openedCount = 0;

  constructor(dependencies: DeviceSocketsDependencies) {
    this.#dependencies = dependencies;
    this.#states = new StatePush(dependencies.desired, this.#sessions, dependencies.log);
    this.#remote = new RemoteChanges(dependencies, this.#sessions, this.#states);
    const acks = new Batch<{ playerId: string; seq: number }>(maxAckBatch, (all) =>
      dependencies.store.write((db) => dependencies.journal.ackAll(db, all)),
    );
    this.#sessionDependencies = { ...dependencies, acks, spreadMs: () => this.#spreadMs() };
    this.server = createWebSocketServer(dependencies.deadlines, {
      maxPayload: longestMessageBytes,
      handleProtocols: () => deviceSubprotocol,
    });
  }

  /** How many players are connected. */
  get size(): number {
    return this.#sessions.size;
  }

  /** How many sockets were opened since the start, including those closed for an invalid token. */
  get openedCount(): number {
    return this.#openedCount;
  }

  /** Sends committed journal entries to the players that are connected. */
  push(entries: readonly JournalEntry[]): void {
    this.#states.push(entries);
  }

  /** Sends the signed revocation to a deleted player's device and closes its socket. */
  async revoke(player: PlayerRow): Promise<void> {
    this.#sessions.get(player.id)?.revoke(await this.#dependencies.access.revocation(player));
  }

  /** Pings all devices regularly until `signal` aborts; rejects with an AbortError then. */
  async run(signal: AbortSignal): Promise<never> {
    for (;;) {
      await this.#dependencies.clock.wait(pingMs, signal);
      for (const session of this.#sessions.values()) session.ping(silenceMs);
    }
  }

  /** Asks all devices, one after the other over `overMs`, to connect again at once: to another node. Accepts those that come meanwhile. */
  async drain(overMs: number): Promise<void> {
    const { clock } = this.#dependencies;
    const startedAt = clock.monotonic();
    const sessions = [...this.#sessions.values()];
    for (const [at, session] of sessions.entries()) {
      const leftMs = startedAt + (overMs * at) / sessions.length - clock.monotonic();
      if (leftMs > 0) await clock.wait(leftMs);
      session.goAway(drainedReconnectMs);
    }
    const leftMs = startedAt + overMs - clock.monotonic();
    if (leftMs > 0) await clock.wait(leftMs);
  }

  /** Disconnects all devices, which reconnect spread over time, and accepts no more. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const sessions = [...this.#sessions.values()];
    const spreadMs = this.#spreadMs();
    for (const session of sessions) session.goAway(Math.round(500 + Math.random() * spreadMs));
    await closeAfterGrace(sessions, this.#dependencies.clock, closeGraceMs);
    await Promise.all([this.#states.allPushed, ...sessions.map(({ allHandled }) => allHandled)]);
    this.server.close();
  }

  /** The error to reject an upgrade with, or null. An invalid token is reported by a close code instead. */
  rejectionOf({ method, headers }: IncomingMessage): ProblemError | null {
    if (this.#isClosing) return new ProblemError("closing", "The service is stopping");
    if (method !== "GET") return new ProblemError("method-not-allowed", "Open a WebSocket with GET", { headers: { Allow: "GET" } });
    const offered = String(headers["sec-websocket-protocol"] ?? "").split(",");
    return offered.some((name) => name.trim() === deviceSubprotocol)
      ? null
      : new ProblemError("bad-request", `Offer the subprotocol ${deviceSubprotocol} in Sec-WebSocket-Protocol`);
  }

  /** Accepts an upgrade that {@link rejectionOf} did not reject. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.server.handleUpgrade(request, socket, head, (opened) => void this.#admit(opened, request));
  }

  async #admit(socket: WebSocket, request: IncomingMessage): Promise<void> {
    const { access, log } = this.#dependencies;
    this.#openedCount += 1;
    // Without a listener an error would end the process. The session adds its own listener later.
    socket.on("error", (error) => log.debug({ reason: reasonOf(error) }, "a socket failed"));
    // Keep messages that arrive while the token is looked up.
    socket.pause();
    try {
      const player = await access.authenticate(request.headers.authorization);
      if (this.#isClosing) return socket.close(closeCodes.restarting);
      const session = new DeviceSession(socket, player, instanceOf(request), this.#sessionDependencies);
      if (player.removed_at !== null) session.revoke(await access.revocation(player));
      else this.#addSession(session, player.name);
      socket.resume();
    } catch (error) {
      socket.resume();
      if (error instanceof ProblemError) return socket.close(closeCodes.badToken, "the token is not valid");
      log.error({ err: error }, "a device could not be admitted");
      socket.close(1011);
    }
  }

  /** Replaces an older session of the same player, but not that of another device: two devices would replace each other for ever. */
  #addSession(session: DeviceSession, name: string): void {
    const { log, presence, problems } = this.#dependencies;
    const { playerId, instanceId } = session;
    const older = this.#sessions.get(playerId);
    problems.identities.record(playerId, instanceId);
    if (older?.isOtherRun(instanceId) && problems.identities.sharedSince(playerId) !== null) return session.refuse();
    this.#sessions.set(session.playerId, session);
    older?.close(closeCodes.replaced, "a newer socket took over");
    this.#remote.announceConnected(session);
    log.info({ player_id: session.playerId, name, connected: this.size }, "player connected");
    session.ended.addEventListener("abort", () => {
      if (this.#sessions.get(session.playerId) !== session) return;
      this.#sessions.delete(session.playerId);
      presence.socketClosed(session.playerId);
      log.info({ player_id: session.playerId, name, connected: this.size }, "player disconnected");
    });
  }

  /** Depends on all players in service: after an outage the first players to reconnect find no others connected. */
  #spreadMs(): number {
    return reconnectSpreadMs(this.#dependencies.links.onlineCount);
  }
}

/** The run of the player's program that opens a socket, if the address names it. */
function instanceOf({ url = "" }: IncomingMessage): string | undefined {
  return InstanceId.safeParse(new URLSearchParams(url.split("?")[1]).get("instance")).data;
}
