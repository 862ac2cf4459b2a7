// Which players are online, as every node of one service knows it.
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectionTo } from "../../../src/service/store/postgres/pools.ts";
import { startPostgres, waitForLockedQuery, type TestPostgres } from "../../support/postgres.ts";
import { waitUntil } from "../../support/polling.ts";
import { EventSubscriber } from "../events/event-subscriber.ts";
import { displayState } from "../alerts/alert-fleet.ts";
import { heartbeat, type Device } from "../harness.ts";
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

test("[NMS7] a socket that closes while a node writes that others have closed is known as closed at the other node, too", async () => {
  await using two = await startTwoServices(postgres);
  const { a, b } = two;
  const connect = async (name: string) => {
    const device = await a.pairDevice(name);
    const socket = await device.connect();
    socket.send({ type: "heartbeat", data: heartbeat() });
    await socket.next("heartbeat.answer");
    const isOnline = async (node: typeof a) => (await node.call("GET", `players/${device.playerId}`)).body.status === "online";
    await waitUntil("it is online at B", () => isOnline(b));
    return { device, socket: socket.socket, isOnline };
  };
  const [first, second] = [await connect("First"), await connect("Second")];
  const pool = new pg.Pool(connectionTo(two.database));
  try {
    const client = await pool.connect();
    await client.query("BEGIN");
    await client.query("SELECT 1 FROM telemetry.heartbeats WHERE player_id = $1 FOR UPDATE", [first.device.playerId]);
    first.socket.terminate();
    await waitForLockedQuery(pool);
    second.socket.terminate();
    await waitUntil("A knows that the second has closed", async () => !(await second.isOnline(a)));
    await client.query("COMMIT");
    client.release();
  } finally {
    await pool.end();
  }
  await waitUntil("both are offline at B", async () => !(await first.isOnline(b)) && !(await second.isOnline(b)));
});

test("[NDL10] the figures of all players are those of all nodes together: each player counts at the node that it is at", async () => {
  await using two = await startTwoServices(postgres);
  const { a, b } = two;
  const [one, other] = [await a.pairDevice("One"), await b.pairDevice("Other")];
  const beat = (device: Device) => device.call("POST", "heartbeat", heartbeat({ telemetry: displayState("on", "on") }));
  await beat(one);
  await beat(other);
  const displaysOn = async (node: typeof a): Promise<number> => {
    const text = await (await fetch(`${node.service.url}/metrics`)).text();
    const line = text.split("\n").find((each) => each.startsWith("signage_players_by_display{") && each.includes('state="on"'))!;
    expect(line).toContain('node="nod_');
    return Number(line.split(" ").at(-1));
  };
  const figures = async () => [await displaysOn(a), await displaysOn(b)];
  const isOnline = async (node: typeof a, { playerId }: Device) => (await node.call("GET", `players/${playerId}`)).body.status === "online";
  await waitUntil("both know both", async () => (await isOnline(a, other)) && (await isOnline(b, one)));
  expect(await figures()).toEqual([1, 1]);
  // It moves to the other node.
  Object.assign(one, { url: b.service.url });
  await beat(one);
  await waitUntil("it counts at the other", async () => (await displaysOn(a)) === 0);
  expect(await figures()).toEqual([0, 2]);
});

test("[NDL11] what the former device of a player sent is forgotten at every node, and so is a player that is erased", async () => {
  await using two = await startTwoServices(postgres);
  const { a, b } = two;
  const device = await b.pairDevice();
  await device.call("POST", "heartbeat", heartbeat());
  const shownAt = async (node: typeof a) => (await node.call("GET", `players/${device.playerId}`)).body as { last_seen_at: string | null };
  await waitUntil("A has its heartbeat", async () => (await shownAt(a)).last_seen_at !== null);
  // Not written yet at B when A exchanges the device.
  await device.call("POST", "heartbeat", heartbeat());
  const next = await b.newDevice();
  const replaced = await a.call("POST", `players/${device.playerId}/replace`, { code: next.grant.user_code });
  expect([replaced.status, replaced.body.last_seen_at]).toEqual([200, null]);
  await waitUntil("B has forgotten it", async () => (await shownAt(b)).last_seen_at === null);
  // Longer than heartbeats take to be stored, and to be read by the other node.
  await new Promise((resolve) => setTimeout(resolve, 3_500));
  expect([(await shownAt(a)).last_seen_at, (await shownAt(b)).last_seen_at]).toEqual([null, null]);
  await next.firstToken();
  await next.call("POST", "heartbeat", heartbeat());
  await waitUntil("A has that of the new device", async () => (await shownAt(a)).last_seen_at !== null);
  expect((await a.call("DELETE", `players/${device.playerId}?permanent=true`)).status).toBe(204);
  const atB = async () => (await b.call("GET", "alerts/now")).body.counts.total as number;
  await waitUntil("B counts no player", async () => (await atB()) === 0);
});
