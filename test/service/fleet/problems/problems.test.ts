// Problems of players appear with the same text in REST, events, webhooks and MCP.
import { expect, test } from "vitest";
import type { PlayerProblem } from "../../../../src/protocol/device/player-problems.ts";
import { FakeClock } from "../../../support/clock.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { newId } from "../../../support/states.ts";
import { Agent } from "../../mcp/agent.ts";
import { TestService, Device, heartbeat } from "../../harness.ts";
import { messageValidators, EventSubscriber } from "../../events/event-subscriber.ts";
import { Receiver } from "../../events/receiver.ts";
import { isOnPostgres } from "../../test-database.ts";

const patience = { timeout: 20_000, interval: 50 };
const start = Date.UTC(2026, 10, 22, 12);

function problem(more: Partial<PlayerProblem> = {}): PlayerProblem {
  const zone_id = newId("zon");
  const item_id = newId("itm");
  return { code: "item-load", since: "2026-11-22T11:00:00.000Z", zone_id, item_id, detail: "HTTP 404", remedy: "Check it", ...more };
}

function applied(revision: string) {
  return { is: "applied", revision, applied_revision: revision, ready_bytes: 0, total_bytes: 0, detail: null } as const;
}

async function revisionOf(device: Device): Promise<string> {
  return (await device.call("GET", "state")).body.revision;
}

test("[PRB1] in_sync is null for an offline player and true or false for an online one", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(start);
  await using api = await TestService.start(folder.path, { clock });
  const device = await api.pairDevice();
  const path = `players/${device.playerId}`;
  expect((await api.call("GET", path)).body).toMatchObject({ status: "offline", in_sync: null });
  await device.call("POST", "heartbeat", heartbeat({ content: applied(await revisionOf(device)) }));
  expect((await api.call("GET", path)).body).toMatchObject({ status: "online", in_sync: true });
  await api.showPicture(device);
  expect((await api.call("GET", path)).body).toMatchObject({ status: "online", in_sync: false });
  clock.advance(91_000);
  expect((await api.call("GET", path)).body).toMatchObject({ status: "offline", in_sync: null });
  expect((await api.call("GET", `${path}/now`)).body).toMatchObject({ status: "offline" });
});

test("[PRB2] a problem that a player reports appears with the same text in the player, lists, /now, events, webhooks and MCP until it ends", async () => {
  await using folder = await temporaryFolder();
  await using receiver = await Receiver.start();
  await using api = await TestService.start(folder.path, { allowAddresses: ["127.0.0.0/8"] });
  const device = await api.pairDevice("Lobby");
  const path = `players/${device.playerId}`;
  await api.call("POST", "webhooks", { name: "W", url: receiver.url, events: ["player.problems"] });
  using listener = new EventSubscriber(api.service.url, api.token);
  await listener.subscribe(["problems", "heartbeat"]);
  const problems = [problem(), problem({ code: "from-a-later-version", zone_id: null, item_id: null })];
  await device.call("POST", "heartbeat", heartbeat({ problems, problems_left_out: 3 }));

  const reported = { problems, problems_left_out: 3 };
  const about = { player_id: device.playerId, name: "Lobby" };
  expect((await api.call("GET", path)).body).toMatchObject(reported);
  expect((await api.call("GET", "players")).body.data[0]).toMatchObject(reported);
  expect((await api.call("GET", `${path}/now`)).body).toMatchObject(reported);
  expect((await listener.event("player.problems")).data.data).toEqual({ ...about, ...reported });
  const pushed = await listener.next((message) => message.type === "heartbeat");
  expect(pushed.data.heartbeat).toMatchObject(reported);
  const described = await messageValidators(api.service.url);
  for (const message of listener.received) expect(described.get(message.type)!(message), message.type).toBe(true);
  await expect.poll(() => receiver.received.length, patience).toBe(1);
  expect(JSON.parse(receiver.received[0]!.body).data).toEqual({ ...about, ...reported });
  await using agent = await Agent.connect(api.service.url, api.token, "2026");
  expect(await agent.ok("get_player_now", { id: device.playerId })).toMatchObject(reported);

  // A repeated problem sends no event. Its end sends one, and the list is empty.
  await device.call("POST", "heartbeat", heartbeat({ problems, problems_left_out: 3 }));
  await device.call("POST", "heartbeat", heartbeat({ problems: [] }));
  await expect.poll(() => receiver.received.length, patience).toBe(2);
  expect(JSON.parse(receiver.received[1]!.body).data).toEqual({ ...about, problems: [], problems_left_out: 0 });
  expect((await api.call("GET", path)).body).toMatchObject({ problems: [], problems_left_out: 0 });
});

test("[PRB3] the service reports players that are silent or more than ten minutes behind; both problems end with their cause", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(start);
  await using api = await TestService.start(folder.path, { clock });
  const device = await api.pairDevice();
  const codes = async () =>
    (await api.call("GET", `players/${device.playerId}`)).body.problems.map(({ code, since }: PlayerProblem) => [code, since]);
  const report = (revision: string) => device.call("POST", "heartbeat", heartbeat({ content: applied(revision) }));
  expect(await codes()).toEqual([["offline", new Date(start).toISOString()]]);
  const old = await revisionOf(device);
  await report(old);
  expect(await codes()).toEqual([]);
  using listener = new EventSubscriber(api.service.url, api.token);
  const place = await listener.subscribe(["problems"]);

  await api.showPicture(device);
  const behindSince = new Date(clock.now()).toISOString();
  // Eleven minutes on an old revision, with a heartbeat every 30 s.
  for (let count = 0; count < 22; count += 1) {
    await report(old);
    clock.advance(30_000);
  }
  await report(old);
  expect(await codes()).toEqual([["out-of-sync", behindSince]]);
  await report(await revisionOf(device));
  expect(await codes()).toEqual([]);

  const lastHeard = new Date(clock.now()).toISOString();
  clock.advance(91_000);
  expect(await codes()).toEqual([["offline", lastHeard]]);
  // The service checks for silent players every five seconds.
  clock.advance(40_000);
  using later = new EventSubscriber(api.service.url, api.token);
  await later.subscribe(["problems"], { after: { epoch: place.epoch, seq: place.seq } });
  const lists = () => later.events.filter(({ data }) => data.type === "player.problems");
  const reportedCodes = () => lists().map(({ data }) => (data.data["problems"] as PlayerProblem[]).map(({ code }) => code));
  await expect.poll(reportedCodes, patience).toEqual([["out-of-sync"], [], ["offline"]]);
});

test("[PRB4] players can be filtered by whether they have problems", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const [well, ill] = [await api.pairDevice("Well"), await api.pairDevice("Ill")];
  await well.call("POST", "heartbeat", heartbeat());
  await ill.call("POST", "heartbeat", heartbeat({ problems: [problem()] }));
  const names = async (query: string) => (await api.call("GET", `players?${query}`)).body.data.map(({ name }: { name: string }) => name);
  expect(await names("has_problems=true")).toEqual(["Ill"]);
  expect(await names("has_problems=false")).toEqual(["Well"]);
});

test("[PRB5] after a restart the service neither repeats the events of known problems nor forgets the problems", async () => {
  await using folder = await temporaryFolder();
  const problems = [problem()];
  let device: Device;
  {
    await using api = await TestService.start(folder.path);
    device = await api.pairDevice();
    await device.call("POST", "heartbeat", heartbeat({ problems }));
  }
  await using api = await TestService.start(folder.path);
  using listener = new EventSubscriber(api.service.url, api.token);
  await listener.subscribe(["problems"]);
  const { body } = await api.call("GET", `players/${device.playerId}`);
  // Where other nodes may have received its heartbeats, a player without a socket is online for 90 s after the last one.
  expect(body.problems.map(({ code }: PlayerProblem) => code)).toEqual(isOnPostgres ? ["item-load"] : ["offline", "item-load"]);
  device = Object.assign(new Device(api.service.url), { keys: device.keys, access: device.access });
  await device.call("POST", "heartbeat", heartbeat({ problems }));
  await device.call("POST", "heartbeat", heartbeat({ problems: [] }));
  expect((await listener.event("player.problems")).data.data["problems"]).toEqual([]);
});
