// A service whose key the player has pinned, and that sends what a test tells it to: anything on the socket, any response.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { WebSocketServer, type WebSocket } from "ws";
import type { Clock } from "../../../src/base/clock.ts";
import type { KeyPair } from "../../../src/base/jws.ts";
import { type CommandUpdate, finalStatuses } from "../../../src/protocol/device/commands.ts";
import type { Heartbeat, HeartbeatAnswer } from "../../../src/protocol/device/heartbeat.ts";
import { DeviceMessage, deviceSubprotocol, parseMessage } from "../../../src/protocol/device/messages.ts";
import { signedCommand } from "../commands.ts";
import { newId } from "../states.ts";

/** A response with a JSON body. */
export interface JsonResponse {
  status: number;
  body: string;
}

export interface HostileServiceOptions {
  keys: KeyPair;
  playerId: string;
  /** The thumbprint of the device's key. */
  device: string;
  clock: Pick<Clock, "now">;
  /** Waits until `check` holds. A fake clock has to be moved meanwhile, as the player may wait to reconnect. */
  until: (check: () => boolean) => Promise<unknown>;
}

export interface HostileService extends AsyncDisposable {
  url: string;
  /** The body of the response to a request for the desired state. */
  state: string;
  /** The files that it has, by hash. */
  files: Map<string, Buffer>;
  /** Replaces any response except those for the state and for files; null: none. */
  damage: ((response: JsonResponse) => JsonResponse) | null;
  /** How many messages of the player were not valid. */
  invalidMessages: number;
  /** Sends messages on the device's socket, Buffers as binary ones, and resolves when the device has handled all of them. */
  send(messages: readonly (string | Buffer)[]): Promise<void>;
  /** Sends something after which the device has to reconnect, and resolves when the connection has ended. */
  breakConnection(how: (socket: WebSocket, tcp: Socket) => void): Promise<void>;
  /** Names a new revision and resolves when the device has fetched `state`. */
  offer(state: string): Promise<void>;
  /** Names a new revision and resolves when the device has handled `state`. */
  publish(state: string): Promise<void>;
  /** A picture of the device's screen. */
  screenshot(): Promise<Buffer>;
}

/** A valid answer to a heartbeat. */
const validAnswer = { sent_at_ms: 0, received_at_ms: 0, answered_at_ms: 0, revision: "r1", commands: [] };
/** A valid welcome. */
const validWelcome = { session_id: "s", epoch: "e", resumed: true, heartbeat_ms: 30_000, reconnect_spread_ms: 1_000 };
/** One message of each type. The command and the revocation are not signed. */
export const validMessages = [
  { type: "welcome", data: { ...validWelcome, answer: validAnswer } },
  { type: "heartbeat.answer", data: validAnswer },
  { type: "state.changed", data: { revision: "r1" } },
  { type: "command", data: { command: "e30.e30.e30" } },
  { type: "revoked", data: { revocation: "e30.e30.e30" } },
  { type: "goaway", data: { reconnect_after_ms: 100 } },
].map((message, at) => ({ id: String(at), ts: 0, seq: at + 1, ...message }));

export async function startHostileService(options: HostileServiceOptions): Promise<HostileService> {
  const { keys, playerId, device, clock, until } = options;
  const token = { access_token: "t", token_type: "Bearer", expires_in: 3_600, player_id: playerId, player_name: "Lobby" };
  const grant = { ...token, service_key: keys.publicKey };
  const ended = new Set<string>();
  let fetches = 0;
  let screenshot: Buffer | null = null;
  let connection: { socket: WebSocket; tcp: Socket } | null = null;

  /** The answer to a heartbeat, with the right time. */
  const answerTo = (heartbeat: { sent_at_ms: number }): HeartbeatAnswer => {
    const now = clock.now();
    return { ...validAnswer, sent_at_ms: heartbeat.sent_at_ms, received_at_ms: now, answered_at_ms: now };
  };
  const respondTo = (path: string, body: Buffer): JsonResponse => {
    const command = /commands\/(.*)\/status$/.exec(path)?.[1];
    if (command !== undefined && isFinal(body)) ended.add(command);
    if (path.includes("/screenshots/")) screenshot = body;
    if (path.endsWith("/nonce")) return { status: 201, body: JSON.stringify({ nonce: "n", expires_in: 60 }) };
    if (path.endsWith("/token")) return { status: 200, body: JSON.stringify(grant) };
    if (path.endsWith("/play-events")) return { status: 200, body: JSON.stringify({ accepted: 1, duplicates: 0, rejected: [] }) };
    if (path.endsWith("/heartbeat")) return { status: 200, body: JSON.stringify(answerTo(JSON.parse(body.toString()) as Heartbeat)) };
    return { status: 200, body: JSON.stringify(validAnswer) };
  };
  const server = createServer((request, response) => {
    const path = request.url!;
    const file = service.files.get(path.slice(path.lastIndexOf("/") + 1));
    if (file !== undefined) {
      response.writeHead(200, { "content-type": "image/png", "content-length": file.length }).end(file);
      return;
    }
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      let answer: JsonResponse;
      if (path.endsWith("/state")) {
        fetches += 1;
        answer = { status: 200, body: service.state };
      } else {
        answer = respondTo(path, Buffer.concat(parts));
        if (service.damage !== null) answer = service.damage(answer);
      }
      response.writeHead(answer.status, { "content-type": "application/json" }).end(answer.body);
    });
  });
  const sockets = new WebSocketServer({ server, handleProtocols: () => deviceSubprotocol });
  sockets.on("connection", (socket, request) => {
    socket.once("message", (raw: Buffer) => {
      const { heartbeat } = (JSON.parse(raw.toString()) as Extract<DeviceMessage, { type: "hello" }>).data;
      socket.send(JSON.stringify({ type: "welcome", id: "1", ts: 0, data: { ...validWelcome, answer: answerTo(heartbeat) } }));
      connection = { socket, tcp: request.socket };
    });
    socket.on("message", (raw: Buffer) => {
      if (parseMessage(DeviceMessage, raw.toString()).is !== "known") service.invalidMessages += 1;
    });
    socket.on("close", () => (connection = connection?.socket === socket ? null : connection));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A socket that is silent for 40 s is half open.
  const pings = setInterval(() => connection?.socket.ping(), 15_000);

  const connected = async (): Promise<{ socket: WebSocket; tcp: Socket }> => {
    await until(() => connection !== null);
    return connection!;
  };
  /** Runs a command and resolves when it has ended. As of a real service, it is sent again on each new connection. */
  const run = async (type: string, args: object): Promise<void> => {
    const id = newId("cmd");
    const command = signedCommand(clock, { id, type, sub: device, args }, keys);
    while (!ended.has(id)) {
      const { socket } = await connected();
      socket.send(JSON.stringify({ type: "command", id, ts: 0, data: { command } }));
      await until(() => ended.has(id) || connection?.socket !== socket);
    }
  };
  const service: HostileService = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    state: "",
    files: new Map(),
    damage: null,
    invalidMessages: 0,
    async send(messages) {
      const { socket } = await connected();
      for (const message of messages) socket.send(message);
      // Messages are handled in order: when this unknown command has been rejected, all before it have been handled.
      await run("unknown", {});
    },
    async breakConnection(how) {
      const { socket, tcp } = await connected();
      socket.send(JSON.stringify({ type: "goaway", id: "1", ts: 0, data: { reconnect_after_ms: 100 } }));
      how(socket, tcp);
      await until(() => connection?.socket !== socket);
    },
    async offer(state) {
      service.state = state;
      const before = fetches;
      const { socket } = await connected();
      socket.send(JSON.stringify({ type: "state.changed", id: "1", ts: 0, data: { revision: newId("rev") } }));
      await until(() => fetches > before);
    },
    async publish(state) {
      await service.offer(state);
      await service.send([]);
    },
    async screenshot() {
      screenshot = null;
      // The image arrives before the command ends. On a busy machine the command may fail.
      for (;;) {
        await run("screenshot", { format: "png" });
        if (screenshot !== null) return screenshot;
      }
    },
    async [Symbol.asyncDispose]() {
      clearInterval(pings);
      for (const client of sockets.clients) client.terminate();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return service;
}

function isFinal(body: Buffer): boolean {
  return finalStatuses.includes((JSON.parse(body.toString()) as CommandUpdate).status);
}
