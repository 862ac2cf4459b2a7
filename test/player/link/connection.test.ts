// The connection's waits before it reconnects, and times of the service that are out of range.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { WebSocketServer } from "ws";
import { CorrectedClock } from "../../../src/base/clock.ts";
import { createKeyPair } from "../../../src/base/jws.ts";
import { silentLog } from "../../../src/base/log.ts";
import { AccessTokens } from "../../../src/player/link/access.ts";
import { Connection } from "../../../src/player/link/connection.ts";
import { Identity } from "../../../src/player/pairing/identity.ts";
import { ReconnectDelay } from "../../../src/player/link/reconnect-delay.ts";
import { ServiceApi } from "../../../src/player/link/service-api.ts";
import { deviceSubprotocol } from "../../../src/protocol/device/messages.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { eventually } from "../../support/polling.ts";
import { newId } from "../../support/states.ts";
import { heartbeat } from "../../service/harness.ts";

const key = createKeyPair().publicKey;
const playerId = newId("plr");
const answer = { sent_at_ms: 0, received_at_ms: 0, answered_at_ms: 0, revision: "r", commands: [] };

/** A service that welcomes every device with this spread. `hangUp` ends its sockets. */
async function startFakeService(spreadMs: number, times: Partial<typeof answer> = {}) {
  const grant = { access_token: "t", token_type: "Bearer", expires_in: 3_600, player_id: playerId, player_name: "Lobby", service_key: key };
  const server = createServer(({ url }, response) => {
    const body = url!.endsWith("/nonce") ? { nonce: "n", expires_in: 60 } : grant;
    response.writeHead(url!.endsWith("/nonce") ? 201 : 200, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  const sockets = new WebSocketServer({ server, handleProtocols: () => deviceSubprotocol });
  const seen = { connected: 0 };
  sockets.on("connection", (socket) => {
    seen.connected += 1;
    const data = {
      session_id: "s",
      epoch: "e",
      resumed: false,
      heartbeat_ms: 30_000,
      reconnect_spread_ms: spreadMs,
      answer: { ...answer, ...times },
    };
    socket.on("message", () => socket.send(JSON.stringify({ type: "welcome", id: "1", ts: 0, data })));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const hangUp = (): void => sockets.clients.forEach((socket) => socket.terminate());
  const end = async (): Promise<void> => {
    hangUp();
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, hangUp, [Symbol.asyncDispose]: end };
}

test("[LNK5] after a lost connection an attempt waits a random part of the service's spread, doubled after each failure, up to a minute", () => {
  for (const [chance, share] of [
    [0, 0.1],
    [1, 1],
  ] as const) {
    const reconnect = new ReconnectDelay(() => chance);
    expect(reconnect.next()).toBe(1_000 * share);
    reconnect.connectionEnded(60_001);
    reconnect.setSpread(20_000);
    expect([reconnect.next(), reconnect.next(), reconnect.next(), reconnect.next()]).toEqual(
      [20_000, 40_000, 60_000, 60_000].map((ms) => ms * share),
    );
    reconnect.connectionEnded(59_000);
    expect(reconnect.next()).toBe(60_000 * share);
    reconnect.connectionEnded(60_001);
    expect(reconnect.next()).toBe(20_000 * share);
    // The player is the only one connected to its service again.
    reconnect.connectionEnded(60_001);
    reconnect.setSpread(3);
    expect(reconnect.next()).toBe(1_000 * share);
  }
});

test("[LNK6] the spread of a welcome is kept over a lost connection, and a requested heartbeat does not shorten the wait", async () => {
  await using folder = await temporaryFolder();
  await using service = await startFakeService(60_000);
  await using api = new ServiceApi(() => service.url);
  const base = new FakeClock();
  const clock = new CorrectedClock(base);
  const identity = await Identity.open(folder.path, silentLog);
  const access = new AccessTokens(api, identity, { server: service.url, playerId, playerName: "Lobby", serviceKey: key }, clock);
  const connection = new Connection({
    api,
    accessTokens: access,
    clock,
    log: silentLog,
    createHeartbeat: async () => heartbeat(),
    onRevision: () => undefined,
    onCommand: async () => undefined,
    onRevocation: async () => undefined,
  });
  const stop = new AbortController();
  const running = connection.run(stop.signal);
  await eventually(() => connection.link.value.is === "online");
  service.hangUp();
  await eventually(() => connection.link.value.is === "connecting");
  const waiting = base.pendingWaits;
  connection.sendHeartbeatNow();
  base.advance(5_999);
  // If the wait had ended, the player would have opened a socket by now.
  expect([service.seen.connected, base.pendingWaits, waiting]).toEqual([1, 1, 1]);
  base.advance(54_001);
  await eventually(() => service.seen.connected === 2);
  stop.abort();
  await expect(running).rejects.toMatchObject({ name: "AbortError" });
});

test.each([9e15, 1e300, -1e300, 7.3e12])("[BOU2] a service time outside the allowed range, %d, does not change the clock", async (ms) => {
  await using folder = await temporaryFolder();
  await using service = await startFakeService(1_000, { received_at_ms: ms, answered_at_ms: ms });
  await using api = new ServiceApi(() => service.url);
  const base = new FakeClock();
  const clock = new CorrectedClock(base);
  const identity = await Identity.open(folder.path, silentLog);
  const access = new AccessTokens(api, identity, { server: service.url, playerId, playerName: "Lobby", serviceKey: key }, clock);
  const before = clock.now();
  const reported: string[] = [];
  const connection = new Connection({
    api,
    accessTokens: access,
    clock,
    log: { ...silentLog, warn: (_: unknown, message?: string) => void reported.push(message ?? "") } as typeof silentLog,
    createHeartbeat: async () => heartbeat(),
    onRevision: () => undefined,
    onCommand: async () => undefined,
    onRevocation: async () => undefined,
  });
  const stop = new AbortController();
  const running = connection.run(stop.signal);
  await eventually(() => reported.includes("ignored a message that this player does not know") || connection.link.value.is === "online");
  expect(clock.now()).toBe(before);
  expect(new Date(clock.now()).toISOString()).toBe(new Date(before).toISOString());
  stop.abort();
  await expect(running).rejects.toMatchObject({ name: "AbortError" });
});
