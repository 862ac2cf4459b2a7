// The events of players, their connectivity and problems, assets, schedules and calendars, at /events and webhooks.
import { cp } from "node:fs/promises";
import { expect, test } from "vitest";
import type { EventKind } from "../../../src/protocol/operator/events.ts";
import { EventJournal } from "../../../src/service/events/event-journal.ts";
import { silentLog } from "../../../src/base/log.ts";
import { LoneNode } from "../../../src/service/nodes/lone-node.ts";
import { createIds } from "../../../src/service/store/ids.ts";
import { ConnectivityEvents } from "../../../src/service/fleet/presence/connectivity-events.ts";
import { PlayerProblems } from "../../../src/service/fleet/problems/problems.ts";
import { Presence } from "../../../src/service/fleet/presence/presence.ts";
import { openTestStore, isOnPostgres } from "../test-database.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { newId } from "../../support/states.ts";
import { TestService, Device, heartbeat, picture } from "../harness.ts";
import { messageValidators, EventSubscriber } from "./event-subscriber.ts";
import { createOtherTeam } from "../people/people.ts";
import { Receiver } from "./receiver.ts";

const start = Date.UTC(2026, 10, 22, 12);
const all: EventKind[] = ["player_updates", "presence", "problems", "asset_updates", "schedule_updates", "calendar_updates"];

function typesOf(listener: EventSubscriber): string[] {
  return listener.events.map(({ data }) => data.type);
}

/** The same device as a client of a restarted service. */
function reconnect(device: Device, url: string): Device {
  return Object.assign(new Device(url), { keys: device.keys, access: device.access });
}

test("[EVT1] changes of players, assets, schedules and calendars are sent to /events subscribers and webhooks of the same team, in order", async () => {
  await using folder = await temporaryFolder();
  await using receiver = await Receiver.start();
  await using api = await TestService.start(folder.path, { allowAddresses: ["127.0.0.0/8"] });
  const stranger = await createOtherTeam(api);
  await api.call("POST", "webhooks", { name: "W", url: receiver.url });
  using listener = new EventSubscriber(api.service.url, api.token);
  await listener.subscribe(all);
  using spy = new EventSubscriber(api.service.url, stranger.secret);
  await spy.subscribe(all);

  const device = await api.pairDevice("Lobby");
  const player = `players/${device.playerId}`;
  await api.call("PATCH", player, { name: "Hall" });
  const asset = (await api.upload(await picture())).body;
  // Its thumbnail, which is made in the background.
  await listener.event("asset.updated");
  await api.call("PATCH", `assets/${asset.id}`, { name: "Renamed" });
  await api.call("DELETE", `assets/${asset.id}`);
  await api.call("POST", `assets/${asset.id}/restore`);
  const layout = (await api.call("POST", "layouts", { name: "L", width: 100, height: 100, zones: [] })).body;
  const target = { type: "player", player_id: device.playerId };
  const times = { timezone: "UTC", starts_at: "2026-11-22T08:00:00", ends_at: "2026-11-22T09:00:00" };
  const created = await api.call("POST", "schedules", { name: "S", layout_id: layout.id, target, ...times });
  expect(created.status, JSON.stringify(created.body)).toBe(201);
  await api.call("PATCH", `schedules/${created.body.id}`, { name: "T" });
  await api.call("DELETE", `schedules/${created.body.id}`);
  await api.call("POST", `schedules/${created.body.id}/restore`);
  const calendar = (await api.call("POST", "calendars", { name: "C", dates: [] })).body;
  await api.call("PATCH", `calendars/${calendar.id}`, { name: "D" });
  await api.call("DELETE", `calendars/${calendar.id}`);
  await api.call("DELETE", player);
  await api.call("POST", `${player}/restore`);

  const expected = `
    player.paired player.updated
    asset.created asset.updated asset.updated asset.deleted asset.restored
    schedule.created schedule.updated schedule.deleted schedule.restored
    calendar.created calendar.updated calendar.deleted
    player.removed schedule.deleted player.restored schedule.restored`
    .trim()
    .split(/\s+/);
  await listener.event("player.restored");
  await expect.poll(() => typesOf(listener)).toEqual(expected);
  const about = listener.events.find(({ data }) => data.type === "schedule.updated")!.data.data;
  expect(about).toEqual({ schedule_id: created.body.id, name: "T", layout_id: layout.id });
  const described = await messageValidators(api.service.url);
  for (const message of listener.received) expect(described.get(message.type)!(message), message.type).toBe(true);
  // Webhooks do not guarantee an order.
  const sent = () => receiver.received.map(({ body }) => JSON.parse(body).type as string).filter((type) => !type.startsWith("layout."));
  await expect.poll(() => sent().toSorted()).toEqual(expected.toSorted());
  await stranger.call("POST", "calendars", { name: "Theirs", dates: [] });
  await spy.event("calendar.created");
  expect(typesOf(spy)).toEqual(["calendar.created"]);
});

test("[EVT1] events report that an import is ready or has failed, and all resources that are restored together", async () => {
  await using folder = await temporaryFolder();
  await using receiver = await Receiver.start((request, response) => {
    if (request.url === "/hook") response.writeHead(404).end();
    else response.writeHead(200, { "content-type": "image/svg+xml" }).end('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
  });
  await using api = await TestService.start(folder.path, { allowAddresses: ["127.0.0.0/8"] });
  using listener = new EventSubscriber(api.service.url, api.token);
  await listener.subscribe(["asset_updates", "playlist_updates", "layout_updates"]);
  await api.call("POST", "assets/import", { name: "Good", url: receiver.url.replace("/hook", "/picture.svg") });
  expect((await listener.event("asset.ready")).data.data).toMatchObject({ name: "Good", kind: "image" });
  await api.call("POST", "assets/import", { name: "Bad", url: receiver.url });
  expect((await listener.event("asset.failed")).data.data).toMatchObject({ name: "Bad" });

  const asset = (await api.upload(await picture())).body;
  const items = [{ type: "image", asset_id: asset.id, duration_ms: 5_000 }];
  const { playlist, layout } = await api.createLayout(items);
  for (const path of [`layouts/${layout.id}`, `playlists/${playlist.id}`, `assets/${asset.id}`]) {
    expect((await api.call("DELETE", path)).status, path).toBe(204);
  }
  expect((await api.call("POST", `layouts/${layout.id}/restore`)).status).toBe(200);
  await listener.event("layout.restored");
  const back = () => typesOf(listener).filter((type) => type.endsWith(".restored"));
  await expect.poll(back).toEqual(["asset.restored", "playlist.restored", "layout.restored"]);
});

test("[EVT2] events report that a problem opened and closed, with its code and start time", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const device = await api.pairDevice("Lobby");
  using listener = new EventSubscriber(api.service.url, api.token);
  await listener.subscribe(["problems"]);
  const [zone_id, item_id] = [newId("zon"), newId("itm")];
  const one = { code: "item-load", since: "2026-11-22T11:00:00.000Z", zone_id, item_id, detail: "HTTP 404", remedy: "Check it" };
  const other = { code: "disk-low", since: "2026-11-22T11:05:00.000Z", zone_id: null, item_id: null, detail: "Full", remedy: "Free it" };
  await device.call("POST", "heartbeat", heartbeat({ problems: [one] }));
  // A problem with another detail text is the same problem; when it closes, its event has the first start time.
  await device.call(
    "POST",
    "heartbeat",
    heartbeat({ problems: [other, { ...one, since: "2026-11-22T11:01:00.000Z", detail: "HTTP 500" }] }),
  );
  await device.call("POST", "heartbeat", heartbeat({ problems: [other] }));
  const recorded = () => listener.events.filter(({ data }) => data.type.startsWith("problem.")).map(({ data }) => data);
  await expect
    .poll(() => recorded().map(({ type, data }) => [type, data["code"], data["since"]]))
    .toEqual([
      ["problem.opened", "item-load", one.since],
      ["problem.opened", "disk-low", other.since],
      ["problem.closed", "item-load", one.since],
    ]);
  const about = { player_id: device.playerId, name: "Lobby" };
  expect(recorded()[0]!.data).toEqual({ ...about, ...one });
  expect(recorded()[2]!.data).toEqual({ ...about, code: "item-load", since: one.since, zone_id, item_id, ended_at: expect.any(String) });
});

test("[EVT2] after a restart of the service an open problem is not reported again and keeps its start time", async () => {
  await using folder = await temporaryFolder();
  const problem = { code: "disk-low", since: "2026-11-22T11:05:00.000Z", zone_id: null, item_id: null, detail: "Full", remedy: "Free it" };
  let device: Device;
  {
    await using api = await TestService.start(folder.path);
    device = await api.pairDevice();
    await device.call("POST", "heartbeat", heartbeat({ problems: [problem] }));
  }
  await using api = await TestService.start(folder.path);
  using listener = new EventSubscriber(api.service.url, api.token);
  await listener.subscribe(["problems"]);
  device = reconnect(device, api.service.url);
  await device.call("POST", "heartbeat", heartbeat({ problems: [problem] }));
  await device.call("POST", "heartbeat", heartbeat({ problems: [] }));
  expect((await listener.event("problem.closed")).data.data).toMatchObject({ code: "disk-low", since: problem.since });
  expect(typesOf(listener)).not.toContain("problem.opened");
});

test.skipIf(isOnPostgres)(
  "[EVT3] online and offline events alternate; a player that is back within two minutes, or after a restart, was never offline",
  async () => {
    await using folder = await temporaryFolder();
    await using copy = await temporaryFolder();
    const clock = new FakeClock(start);
    let [stays, leaves]: Device[] = [];
    let place: { epoch: string; seq: number };
    {
      await using api = await TestService.start(folder.path, { clock });
      stays = await api.pairDevice("Stays");
      leaves = await api.pairDevice("Leaves");
      place = await presencePosition(api);
      // Ten short interruptions.
      for (let count = 0; count < 10; count += 1) {
        const link = await stays.connect();
        link.socket.close();
        await link.closed;
        clock.advance(80_000);
      }
      await leaves.call("POST", "heartbeat", heartbeat());
      await stays.call("POST", "heartbeat", heartbeat());
      expect(await presenceAfter(api, place, 2)).toEqual(["online Stays", "online Leaves"]);
      // Copy the databases as they are now, as after SIGKILL.
      await cp(folder.path, copy.path, { recursive: true, filter: (path) => !path.endsWith(".lock") });
    }
    await using api = await TestService.start(copy.path, { clock });
    stays = reconnect(stays, api.service.url);
    // One of the two players reconnects.
    for (let count = 0; count < 6; count += 1) {
      await stays.call("POST", "heartbeat", heartbeat());
      clock.advance(30_000);
    }
    expect(await presenceAfter(api, place, 3)).toEqual(["online Stays", "online Leaves", "offline Leaves"]);
    await reconnect(leaves, api.service.url).call("POST", "heartbeat", heartbeat());
    // Deleting the player reports it offline first; after a restore it is online again.
    await api.call("DELETE", `players/${stays.playerId}`);
    await api.call("POST", `players/${stays.playerId}/restore`);
    stays.access = (await stays.renew()).body;
    await stays.call("POST", "heartbeat", heartbeat());
    expect((await presenceAfter(api, place, 6)).slice(3)).toEqual(["online Leaves", "offline Stays", "online Stays"]);
  },
);

test("[EVT3] a player that disconnects before its heartbeat is processed has time to reconnect: no problem is reported", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(start);
  let player: { id: string; team_id: string; created_at: number };
  {
    await using api = await TestService.start(folder.path, { clock });
    const { playerId: id } = await api.pairDevice();
    player = { id, team_id: (await api.call("GET", "me")).body.team.id, created_at: start };
  }
  await using store = await openTestStore(folder.path);
  const events = new EventJournal("evt_test", clock, createIds(clock), new LoneNode("nod_test", { clock, log: silentLog }));
  const presence = await Presence.open(store.telemetry, clock, new LoneNode("nod_1", { clock, log: silentLog }));
  const nodes = new LoneNode("nod_test", { clock, log: silentLog });
  const problems = new PlayerProblems(presence, clock);
  const links = await ConnectivityEvents.open({ store, nodes, clock, events, presence, problems });
  const { last } = await events.positionOf(store.db, player.team_id);
  // Another write blocks the database.
  const blocked = Promise.withResolvers<void>();
  const holding = store.write(() => blocked.promise);
  presence.recordHeartbeat(player.id, heartbeat(), "socket");
  const recorded = links.recordHeartbeat(player, heartbeat());
  presence.socketClosed(player.id);
  blocked.resolve();
  await Promise.all([holding, recorded]);
  const types = (await events.readAfter(store.db, player.team_id, last, 10)).map(({ event }) => event.type);
  expect(types).toEqual(["player.online"]);
});

test("[EVT2] deleting a player closes its problems", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const device = await api.pairDevice("Lobby");
  const problem = { code: "disk-low", since: "2026-11-22T11:05:00.000Z", zone_id: null, item_id: null, detail: "Full", remedy: "Free it" };
  await device.call("POST", "heartbeat", heartbeat({ problems: [problem] }));
  await api.call("DELETE", `players/${device.playerId}`);
  const types = "player.offline,player.removed,problem.opened,problem.closed";
  const { data } = (await api.call("GET", `events?types=${types}`)).body;
  expect(data.map(({ type }: { type: string }) => type)).toEqual(["problem.opened", "player.offline", "problem.closed", "player.removed"]);
});

/** The end of the journal. Uses a new socket each time: advancing the clock would close an open one. */
async function presencePosition(api: TestService): Promise<{ epoch: string; seq: number }> {
  using listener = new EventSubscriber(api.service.url, api.token);
  const { epoch, seq } = await listener.subscribe(["presence"]);
  return { epoch, seq };
}

/** The online and offline events since `after`, once there are `count` of them. */
async function presenceAfter(api: TestService, after: { epoch: string; seq: number }, count: number): Promise<string[]> {
  using listener = new EventSubscriber(api.service.url, api.token);
  await listener.subscribe(["presence"], { after });
  await expect.poll(() => listener.events.length).toBeGreaterThanOrEqual(count);
  return listener.events.map(({ data }) => `${data.type.slice("player.".length)} ${String(data.data["name"])}`);
}
