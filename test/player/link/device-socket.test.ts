// The socket to the service over real connections, also half-open ones.
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, test } from "vitest";
import { WebSocketServer, type WebSocket } from "ws";
import { directNetwork } from "../../../src/base/http/network.ts";
import { DeviceSocket } from "../../../src/player/link/device-socket.ts";
import { deviceSubprotocol } from "../../../src/protocol/device/messages.ts";
import { FakeClock } from "../../support/clock.ts";

const signal = new AbortController().signal;

/** The service's end of the socket. `greet` runs for each device that connects. */
async function startFakeService(greet: (device: WebSocket) => void) {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1", handleProtocols: () => deviceSubprotocol });
  server.on("connection", greet);
  await new Promise<void>((resolve) => server.on("listening", resolve));
  const end = async (): Promise<void> => {
    for (const device of server.clients) device.terminate();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`, [Symbol.asyncDispose]: end };
}

test("[LNK1] the connection handles messages one after the other, also those that arrive with the handshake", async () => {
  await using service = await startFakeService((device) => {
    for (const text of ["1", "2", "3"]) device.send(text);
    device.close(1012);
  });
  using socket = await DeviceSocket.open(service.url, "token", directNetwork(), new FakeClock(), signal);
  const events: string[] = [];
  const handle = async (text: string): Promise<void> => {
    events.push(`begin ${text}`);
    await new Promise((resolve) => setImmediate(resolve));
    events.push(`end ${text}`);
  };
  await expect(socket.receive(handle, signal)).rejects.toMatchObject({ code: "unreachable" });
  expect(events).toEqual(["begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3"]);
});

test("[LNK2] a half-open socket is detected after forty seconds without a message or ping", async () => {
  const clock = new FakeClock();
  let device: WebSocket | undefined;
  await using service = await startFakeService((opened) => (device = opened));
  using socket = await DeviceSocket.open(service.url, "token", directNetwork(), clock, signal);
  const received: string[] = [];
  void socket.receive(async (text) => void received.push(text), signal).catch(() => undefined);
  const silent = expect(socket.watchForSilence(signal)).rejects.toMatchObject({ code: "timeout" });
  clock.advance(39_000);
  device!.send("still here");
  while (received.length === 0) await new Promise((resolve) => setImmediate(resolve));
  clock.advance(2_000);
  await new Promise((resolve) => setImmediate(resolve));
  expect(clock.pendingWaits).toBeGreaterThan(0);
  clock.advance(39_000);
  await silent;
});

test("[LNK3] opening a socket fails if the service rejects the token or the upgrade, or cannot be reached", async () => {
  await using service = await startFakeService((device) => device.close(4401));
  using socket = await DeviceSocket.open(service.url, "token", directNetwork(), new FakeClock(), signal);
  await expect(socket.receive(async () => undefined, signal)).rejects.toMatchObject({ code: "refused" });
  await expect(DeviceSocket.open("ws://127.0.0.1:9", "token", directNetwork(), new FakeClock(), signal)).rejects.toMatchObject({
    code: "unreachable",
  });
});

test("[LNK3] opening a socket fails if the other end accepts the connection but says nothing for the given time", async () => {
  const mute = createServer().listen(0, "127.0.0.1");
  await once(mute, "listening");
  const url = `ws://127.0.0.1:${(mute.address() as AddressInfo).port}`;
  const opening = DeviceSocket.open(url, "token", directNetwork(), new FakeClock(), signal, 100);
  await expect(opening).rejects.toMatchObject({ code: "unreachable" });
  mute.close();
});

test("[LNK4] aborting the opening of a socket ends it at once", async () => {
  await using service = await startFakeService(() => undefined);
  const giveUp = new AbortController();
  const opening = DeviceSocket.open(service.url, "token", directNetwork(), new FakeClock(), giveUp.signal);
  giveUp.abort();
  await expect(opening).rejects.toMatchObject({ name: "AbortError" });
});
