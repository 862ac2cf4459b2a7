// Which players are online, as every node of one service knows it.
import { afterAll, beforeAll, test } from "vitest";
import { startPostgres, type TestPostgres } from "../../support/postgres.ts";
import { waitUntil } from "../../support/polling.ts";
import { EventSubscriber } from "../events/event-subscriber.ts";
import { heartbeat } from "../harness.ts";
import { startTwoServices } from "./two-services.ts";

let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres[Symbol.asyncDispose]());

test("[NMS7] a player that is connected to one node is online at the other with its latest heartbeat, and offline when its socket closes", async () => {
  await using two = await startTwoServices(postgres);
  const { a, b } = two;
  const device = await a.pairDevice();
  const seenAtB = async () => (await b.call("GET", `players/${device.playerId}`)).body as { status: string };
  using watcher = new EventSubscriber(b.service.url, a.token);
  await watcher.subscribe(["heartbeat"]);
  const socket = await device.connect();
  socket.send({ type: "heartbeat", data: heartbeat() });
  await socket.next("heartbeat.answer");
  const isOnline = async () => (await seenAtB()).status === "online";
  await waitUntil("it is online at B", isOnline);
  await watcher.next((message): message is Extract<typeof message, { type: "heartbeat" }> => message.type === "heartbeat");
  socket.socket.terminate();
  await waitUntil("it is offline at B", async () => !(await isOnline()));
});
