// The devices' sockets: who is connected, one each, and what is pushed to whom.
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer, type WebSocket } from "ws";
import { Batch } from "../../../base/async/batch.ts";
import { reasonOf } from "../../../base/fault.ts";
import { closeCodes, deviceSubprotocol, longestMessageBytes } from "../../../protocol/device/messages.ts";
import type { DeviceAccess } from "./device-access.ts";
import { DeviceSession, type SessionDependencies } from "./device-session.ts";
import type { JournalEntry } from "./device-journal.ts";
import { ProblemError } from "../../http/problem.ts";
import type { PlayerRow } from "../../store/tables.ts";
import { closeAfterGrace, type WebSocketEndpoint } from "../../http/upgrades.ts";

export interface DeviceSocketsDependencies extends Omit<SessionDependencies, "spreadMs" | "acks"> {
  access: DeviceAccess;
}

const pingMs = 15_000;
const silenceMs = 40_000;
// How long a closing socket may take to say goodbye.
const farewellMs = 500;
const acksAtOnce = 400;
// Ten thousand players come back over thirty seconds, the first tenth of which they leave out: 370 handshakes a second.
const spreadPerPlayerMs = 3;
const longestSpreadMs = 45_000;

export class DeviceSockets implements WebSocketEndpoint {
  readonly path = "/api/v1/device/ws";
  readonly #parts: DeviceSocketsDependencies;
  readonly server: WebSocketServer;
  readonly #sessions = new Map<string, DeviceSession>();
  /** The same for all: with ten thousand sessions each object counts. */
  readonly #sessionParts: SessionDependencies;
  #isClosing = false;
  #opened = 0;

  constructor(parts: DeviceSocketsDependencies) {
    this.#parts = parts;
    const acks = new Batch<{ playerId: string; seq: number }>(acksAtOnce, (all) =>
      parts.store.write((db) => parts.journal.ackAll(db, all)),
    );
    this.#sessionParts = { ...parts, acks, spreadMs: () => this.#spreadMs() };
    this.server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: longestMessageBytes,
      handleProtocols: () => deviceSubprotocol,
    });
  }

  /** Takes an upgrade that {@link rejectionOf} let pass. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.server.handleUpgrade(request, socket, head, (opened) => void this.#admit(opened, request));
  }

  /** Players connected at present. */
  get size(): number {
    return this.#sessions.size;
  }

  /** Sockets that were opened since the start, those that were refused afterwards included. */
  get openedCount(): number {
    return this.#opened;
  }

  /** Sends what was journalled and committed to the players that are connected. */
  push(entries: readonly JournalEntry[]): void {
    for (const entry of entries) this.#sessions.get(entry.playerId)?.push(entry);
  }

  /** Ends a removed player's socket with the signed word of it. */
  revoke(player: PlayerRow): void {
    this.#sessions.get(player.id)?.revoke(this.#parts.access.revocation(player));
  }

  /** Keeps asking for signs of life. Rejects with an AbortError when `signal` aborts. */
  async run(signal: AbortSignal): Promise<never> {
    for (;;) {
      await this.#parts.clock.wait(pingMs, signal);
      for (const session of this.#sessions.values()) session.ping(silenceMs);
    }
  }

  /** Sends everybody away, spread over time, and takes nobody in any more. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const sessions = [...this.#sessions.values()];
    const spreadMs = this.#spreadMs();
    for (const session of sessions) session.goAway(Math.round(500 + Math.random() * spreadMs));
    await closeAfterGrace(sessions, this.#parts.clock, farewellMs);
    await Promise.all(sessions.map(({ allHandled: settled }) => settled));
    this.server.close();
  }

  /** Why an upgrade is refused, null to take it. A bad token is told by a close code instead. */
  rejectionOf({ method, headers }: IncomingMessage): ProblemError | null {
    if (this.#isClosing) return new ProblemError("closing", "The service is stopping");
    if (method !== "GET") return new ProblemError("method-not-allowed", "A WebSocket is opened by GET", { headers: { Allow: "GET" } });
    const offered = String(headers["sec-websocket-protocol"] ?? "").split(",");
    return offered.some((name) => name.trim() === deviceSubprotocol)
      ? null
      : new ProblemError("bad-request", `Offer the subprotocol ${deviceSubprotocol} in Sec-WebSocket-Protocol`);
  }

  async #admit(socket: WebSocket, request: IncomingMessage): Promise<void> {
    const { access, log } = this.#parts;
    this.#opened += 1;
    // Without a listener an error would end the process; the session adds its own.
    socket.on("error", (error) => log.debug({ reason: reasonOf(error) }, "a socket failed"));
    // Heard from the first moment: what a device says while its token is looked up must not be lost.
    socket.pause();
    try {
      const player = await access.authenticate(request.headers.authorization);
      if (this.#isClosing) return socket.close(closeCodes.restarting);
      const session = new DeviceSession(socket, player.id, this.#sessionParts);
      if (player.removed_at !== null) session.revoke(access.revocation(player));
      else this.#seat(session, player.name);
      socket.resume();
    } catch (error) {
      socket.resume();
      if (error instanceof ProblemError) return socket.close(closeCodes.badToken, "the token is not valid");
      log.error({ err: error }, "a socket could not be admitted");
      socket.close(1011);
    }
  }

  #seat(session: DeviceSession, name: string): void {
    const { log, presence } = this.#parts;
    const earlier = this.#sessions.get(session.playerId);
    this.#sessions.set(session.playerId, session);
    earlier?.close(closeCodes.replaced, "a newer socket took over");
    log.info({ player_id: session.playerId, name, connected: this.size }, "player connected");
    session.ended.addEventListener("abort", () => {
      if (this.#sessions.get(session.playerId) !== session) return;
      this.#sessions.delete(session.playerId);
      presence.socketClosed(session.playerId);
      log.info({ player_id: session.playerId, name, connected: this.size }, "player disconnected");
    });
  }

  /** By the players in service, not by those connected: when these come back, the first find none. */
  #spreadMs(): number {
    return Math.min(longestSpreadMs, this.#parts.links.onlineCount * spreadPerPlayerMs);
  }
}
