// Two nodes whose machines' clocks differ by minutes, on a real PostgreSQL, whose clock both go by.
import { expect, test } from "vitest";
import { createSystemClock, type Clock } from "../../../src/base/clock.ts";
import { WebSocket } from "ws";
import { silentLog } from "../../../src/base/log.ts";
import { Presence } from "../../../src/service/fleet/presence/presence.ts";
import { LoneNode } from "../../../src/service/nodes/lone-node.ts";
import { openStore } from "../../../src/service/store/store.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { waitUntil } from "../../support/polling.ts";
import { heartbeat, type Device, type TestService } from "../harness.ts";
import { connect } from "./faulty-database.ts";
import { startNode } from "./test-nodes.ts";
import { useTwoServices, type TwoServices } from "./two-services.ts";
import { usePostgres } from "./use-postgres.ts";

const postgres = usePostgres();

const minute = 60_000;
// Longer than a player is waited for, and than a service waits after its start.
const offlineMs = 121_000;

/** A machine's clock that is wrong, may be set, and whose time can pass more quickly. */
class WrongClock implements Clock {
  readonly #real = createSystemClock();
  aheadMs: number;
  passedMs = 0;

  constructor(aheadMs: number) {
    this.aheadMs = aheadMs;
  }

  now = () => this.#real.now() + this.aheadMs;
  monotonic = () => this.#real.monotonic() + this.passedMs;
  elapsed = () => this.#real.elapsed() + this.passedMs;
  wait = (ms: number, signal?: AbortSignal) => this.#real.wait(ms, signal);
}

const [clockOfA, clockOfB] = [new WrongClock(0), new WrongClock(5 * minute)];
const two = useTwoServices(postgres, () => ({ clock: clockOfA, secondClock: clockOfB }));

test("[NCL4] a machine whose clock is more than two seconds off is named in the log, in a metric and by /readyz, until it is right", async () => {
  const [right, wrong] = [two.a, two.b];
  const warnings = (lines: TwoServices["lines"]["a"]) => lines.filter(({ msg }) => msg?.startsWith("this machine's clock differs"));
  // To within the time that a query takes.
  const aboutFive = expect.closeTo(300, -1);
  expect(warnings(two.lines.a)).toEqual([]);
  expect(warnings(two.lines.b)).toEqual([expect.objectContaining({ ahead_seconds: aboutFive })]);
  expect(await ready(right)).toEqual({ status: "ready" });
  expect(await ready(wrong)).toEqual({ status: "ready", clock_ahead_seconds: aboutFive });
  expect(await metric(wrong, "signage_node_clock_skew_seconds")).toEqual(aboutFive);
  expect(await metric(right, "signage_node_clock_skew_seconds")).toEqual(expect.closeTo(0, -1));
  clockOfB.aheadMs = 0;
  expect(await ready(wrong)).toEqual({ status: "ready" });
  await waitUntil("it says that it agrees", () => two.lines.b.some(({ msg }) => msg?.endsWith("agrees with the database's again")));
});

test.for([
  [5, 0],
  [-5, 5],
])(
  "[NCL1] a connected player is online at both nodes, and its loss is reported once, when the duties' node is %i and its own %i minutes ahead",
  async ([atDuties, atOwn]) => {
    const { a, b } = two;
    [clockOfA.aheadMs, clockOfB.aheadMs] = [atDuties! * minute, atOwn! * minute];
    await passBoth(offlineMs);
    const from = Date.now();
    const device = await b.pairDevice();
    const socket = await device.connect();
    socket.send({ type: "heartbeat", data: heartbeat() });
    await socket.next("heartbeat.answer");
    await waitUntil("it is online at both", async () => (await isOnline(a, device)) && (await isOnline(b, device)));
    // The duties' node has looked at all players a few times: it polls every two seconds and looks every five.
    await renewals(two.database, 3);
    expect(await statusEvents(a, device)).toEqual(["player.online"]);
    socket.socket.terminate();
    await waitUntil("it is offline at both", async () => !(await isOnline(a, device)) && !(await isOnline(b, device)));
    await passBoth(offlineMs);
    await waitUntil("its loss is reported", async () => (await statusEvents(a, device)).length > 1);
    expect(await statusEvents(a, device)).toEqual(["player.online", "player.offline"]);
    const { last_seen_at: seenAt } = (await a.call("GET", `players/${device.playerId}`)).body as { last_seen_at: string };
    expect(Date.parse(seenAt)).toBeGreaterThan(from - minute);
    expect(Date.parse(seenAt)).toBeLessThan(Date.now() + minute);
  },
);

test("[NCL2] a machine's clock that is set while its node runs changes nothing", async () => {
  const { a, b } = two;
  [clockOfA.aheadMs, clockOfB.aheadMs] = [0, 0];
  const device = await b.pairDevice();
  await device.call("POST", "heartbeat", heartbeat());
  await waitUntil("it is online at both", async () => (await isOnline(a, device)) && (await isOnline(b, device)));
  for (const aheadMs of [10 * minute, -10 * minute]) {
    clockOfA.aheadMs = aheadMs;
    expect([await isOnline(a, device), await isOnline(b, device)]).toEqual([true, true]);
    clockOfB.aheadMs = aheadMs;
    expect([await isOnline(a, device), await isOnline(b, device)]).toEqual([true, true]);
    await device.call("POST", "heartbeat", heartbeat());
  }
});

test.for([5, -5])("[NCL3] what one node gives out for a time is valid at the other, whose clock is %i minutes ahead", async (ahead) => {
  const { a, b } = two;
  [clockOfA.aheadMs, clockOfB.aheadMs] = [0, ahead * minute];
  // A ticket is valid for seconds, a pairing code and a token of a device for minutes.
  const { ticket } = (await a.call("POST", "events/tickets")).body as { ticket: string };
  const upgraded = await openEvents(b.service.url, ticket);
  expect(upgraded).toBe("open");
  const device = await a.newDevice();
  const paired = await b.call("POST", "players/pair", { code: device.grant.user_code, name: "Screen" });
  expect(paired.status).toBe(201);
  await device.firstToken();
  const onB = Object.assign(Object.create(device) as Device, { url: b.service.url });
  expect((await onB.call("POST", "heartbeat", heartbeat())).status).toBe(200);
  // Of two nodes' rows, those that were written later have later times. Each node estimates the database's time with an error of up to
  // half the round trip of a request, so a later row may be earlier by that much, but not by the minutes between the two clocks.
  const created: number[] = [];
  for (const node of [a, b, a, b])
    created.push(Date.parse((await node.call("POST", "playlists", { name: "P", items: [] })).body.created_at as string));
  const largestStepBack = Math.max(...created.slice(1).map((time, index) => created[index]! - time));
  expect(largestStepBack).toBeLessThan(minute);
});

test("[NCL5] what a clock that was ahead has written of a player does not outlast what is newer", async () => {
  const { a, b } = two;
  [clockOfA.aheadMs, clockOfB.aheadMs] = [0, 0];
  const device = await b.pairDevice();
  await device.call("POST", "heartbeat", heartbeat());
  await waitUntil("A knows it", () => isOnline(a, device));
  await using database = await connect(two.database);
  // As a node of an older version does whose clock is ahead.
  const text = `UPDATE telemetry.heartbeats SET received_at = received_at + $2, node_id = 'nod_older', link = 'poll',
    changed_at = (extract(epoch from clock_timestamp()) * 1000)::bigint WHERE player_id = $1`;
  await database.query(text, [device.playerId, 10 * minute]);
  const seenAt = async (node: TestService) =>
    Date.parse(((await node.call("GET", `players/${device.playerId}`)).body as { last_seen_at: string }).last_seen_at);
  for (const node of [a, b]) await waitUntil("it has read it", async () => (await seenAt(node)) > Date.now() + minute);
  await device.call("POST", "heartbeat", heartbeat());
  await waitUntil("both have the newer one", async () => (await seenAt(a)) <= Date.now() && (await seenAt(b)) <= Date.now());
});

test("[NCL5] what a clock that was ahead has written does not replace a newer heartbeat that is not written yet", async () => {
  await using folder = await temporaryFolder();
  await using store = await openStore(folder.path);
  const clock = new FakeClock();
  const presence = await Presence.open(store.telemetry, clock, new LoneNode("nod_own", { clock, log: silentLog }));
  const [playerId, body] = ["plr_one", JSON.stringify(heartbeat())];
  const ahead = { playerId, receivedAt: clock.now() + 10 * minute, link: "poll", body } as const;
  expect(presence.recordRemote(ahead, "nod_older")).toBe(true);
  presence.recordHeartbeat(playerId, heartbeat(), "poll");
  expect(presence.recordRemoteLink(playerId, ahead.receivedAt, "poll", "nod_older")).toBe(true);
  expect(presence.recordRemote(ahead, "nod_older")).toBe(false);
  expect(presence.lastSeenAt(playerId)).toBe(clock.now());
  // The player may have moved to the node whose clock is ahead since it was written.
  await presence.flush();
  expect(presence.recordRemoteLink(playerId, ahead.receivedAt, "poll", "nod_older")).toBe(false);
  expect(presence.recordRemote(ahead, "nod_older")).toBe(true);
  expect(presence.lastSeenAt(playerId)).toBe(ahead.receivedAt);
});

test("[NCL6] nodes agree on the time to within their queries, whatever their machines' clocks say", async () => {
  const database = await postgres.createDatabase();
  await using one = await startNode(database, { clock: new WrongClock(7 * minute) });
  await using other = await startNode(database, { clock: new WrongClock(-7 * minute) });
  const differences = [one, other].map(({ nodes }) => Math.abs(nodes.clock.now() - Date.now()));
  for (const difference of differences) expect(difference).toBeLessThan(minute);
  expect([one, other].map(({ nodes }) => Math.round(nodes.figures.clockSkewSeconds / 60))).toEqual([7, -7]);
});

async function isOnline(node: TestService, { playerId }: Device): Promise<boolean> {
  return (await node.call("GET", `players/${playerId}`)).body.status === "online";
}

async function statusEvents(node: TestService, { playerId }: Device): Promise<string[]> {
  const { data } = (await node.call("GET", `events?types=player.online,player.offline&player_id=${playerId}`)).body;
  return (data as { type: string }[]).map(({ type }) => type);
}

/** Lets time pass at both machines, and waits until they have measured the database's clock again. */
async function passBoth(ms: number): Promise<void> {
  for (const clock of [clockOfA, clockOfB]) clock.passedMs += ms;
  await renewals(two.database, 2);
}

/** Resolves when each node has renewed its lease so often, which it does every three seconds, as it measures the clock. */
async function renewals(database: string, times: number): Promise<void> {
  await using client = await connect(database);
  const seen = new Map<string, Set<string>>();
  await waitUntil("both renew their leases", async () => {
    const { rows } = await client.query<{ id: string; lease_until: string }>("SELECT id, lease_until FROM state.nodes");
    for (const { id, lease_until } of rows) seen.set(id, (seen.get(id) ?? new Set()).add(lease_until));
    return seen.size >= 2 && [...seen.values()].every(({ size }) => size > times);
  });
}

async function ready(node: TestService): Promise<unknown> {
  return (await fetch(`${node.service.url}/readyz`)).json();
}

async function metric(node: TestService, name: string): Promise<number> {
  const text = await (await fetch(`${node.service.url}/metrics`)).text();
  return Number(
    text
      .split("\n")
      .find((line) => line.startsWith(`${name}{`))!
      .split(" ")
      .at(-1),
  );
}

/** @returns "open", or the code with which the socket was closed */
async function openEvents(url: string, ticket: string): Promise<string> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/api/v1/events?ticket=${ticket}`, "signage.events.v1");
  socket.on("error", () => undefined);
  const id = "one";
  socket.once("open", () => socket.send(JSON.stringify({ type: "subscribe", id, data: { kinds: ["playlist_updates"] } })));
  return new Promise((resolve) => {
    socket.once("message", () => {
      resolve("open");
      socket.terminate();
    });
    socket.once("close", (code) => resolve(String(code)));
  });
}
