// A service whose key the player has pinned, and that sends what a test tells it to: any text on the socket, any desired state.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocketServer, type WebSocket } from "ws";
import type { KeyPair } from "../../../src/base/jws.ts";
import { type CommandUpdate, finalStatuses } from "../../../src/protocol/device/commands.ts";
import { deviceSubprotocol } from "../../../src/protocol/device/messages.ts";
import type { FakeClock } from "../../support/clock.ts";
import { signedCommand } from "../../support/commands.ts";
import { eventually } from "../../support/polling.ts";
import { newId } from "../../support/states.ts";

export interface HostileService extends AsyncDisposable {
  url: string;
  /** The body of the response to a request for the desired state. */
  state: string;
  /** Sends these texts on the device's socket, and resolves when the device has handled all of them. */
  send(texts: readonly string[]): Promise<void>;
  /** Names a new revision and resolves when the device has handled `state`. */
  publish(state: string): Promise<void>;
}

/** A valid answer to a heartbeat. */
export const validAnswer = { sent_at_ms: 0, received_at_ms: 0, answered_at_ms: 0, revision: "r1", commands: [] };
/** A valid welcome. */
export const validWelcome = { session_id: "s", epoch: "e", resumed: true, heartbeat_ms: 30_000, reconnect_spread_ms: 1_000 };

/** @param device the thumbprint of the device's key. */
export async function startHostileService(keys: KeyPair, playerId: string, device: string, clock: FakeClock): Promise<HostileService> {
  const token = { access_token: "t", token_type: "Bearer", expires_in: 3_600, player_id: playerId, player_name: "Lobby" };
  const grant = { ...token, service_key: keys.publicKey };
  const ended = new Set<string>();
  let fetches = 0;
  let socket: WebSocket | null = null;
  const server = createServer((request, response) => {
    const path = request.url!;
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const command = /commands\/(.*)\/status$/.exec(path)?.[1];
      if (command !== undefined && isFinal(Buffer.concat(parts))) ended.add(command);
      if (path.endsWith("/state")) fetches += 1;
      const status = path.endsWith("/nonce") ? 201 : 200;
      const body = path.endsWith("/nonce")
        ? JSON.stringify({ nonce: "n", expires_in: 60 })
        : path.endsWith("/token")
          ? JSON.stringify(grant)
          : path.endsWith("/state")
            ? service.state
            : JSON.stringify(validAnswer);
      response.writeHead(status, { "content-type": "application/json" }).end(body);
    });
  });
  const sockets = new WebSocketServer({ server, handleProtocols: () => deviceSubprotocol });
  sockets.on("connection", (opened) => {
    opened.once("message", () => {
      opened.send(JSON.stringify({ type: "welcome", id: "1", ts: 0, data: { ...validWelcome, answer: validAnswer } }));
      socket = opened;
    });
    opened.on("close", () => (socket = socket === opened ? null : socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  /** Moves the player's clock, as it may wait to reconnect, until `check` holds. */
  const until = (check: () => boolean): Promise<unknown> =>
    eventually(() => {
      if (check()) return true;
      clock.advance(100);
      return false;
    });
  const service: HostileService = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    state: "",
    async send(texts) {
      await until(() => socket !== null);
      for (const text of texts) socket!.send(text);
      // Messages are handled in order: when this command has ended, all before it have been handled.
      const id = newId("cmd");
      const command = signedCommand(clock, { id, sub: device, args: { duration_ms: 1_000 } }, keys);
      socket!.send(JSON.stringify({ type: "command", id, ts: 0, data: { command } }));
      await until(() => ended.has(id));
    },
    async publish(state) {
      service.state = state;
      const before = fetches;
      await until(() => socket !== null);
      socket!.send(JSON.stringify({ type: "state.changed", id: "1", ts: 0, data: { revision: newId("rev") } }));
      await until(() => fetches > before);
      await service.send([]);
    },
    async [Symbol.asyncDispose]() {
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
