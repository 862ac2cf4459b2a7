// Subscriptions at GET /events: acknowledged, in order, resumable without gaps or repeats, bounded.
import { connect } from "node:net";
import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import type { EventKind } from "../../../src/protocol/operator/events.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { TestService, heartbeat, picture } from "../harness.ts";
import { disconnectUnderLoad } from "./disconnect-under-load.ts";
import { messageValidators, EventSubscriber } from "./event-subscriber.ts";
import { createOtherTeam, owner, createTokenFor } from "../people/people.ts";
import { useService } from "../shared-service.ts";

const shared = useService();

const journalled: EventKind[] = ["layout_updates", "playlist_updates", "commands", "screenshot_results"];
test("[SUB1] a subscription is acknowledged with its position; later events arrive in order and numbered, as the served description states", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  using listener = new EventSubscriber(api.service.url, api.token);
  const { seq, resumed } = await listener.subscribe(journalled);
  expect(resumed).toBe(false);
  const { layout, playlist } = await api.showPicture(device);
  const command = (await api.call("POST", `players/${device.playerId}/commands`, { type: "screenshot" })).body;
  expect((await device.putScreenshot("shot_01jd3v8q6m9x2k4n7r5t1w0yzh", await picture(), { "command-id": command.id })).status).toBe(204);
  await listener.event("screenshot.ready");
  const received = listener.events;
  const types = ["playlist.created", "layout.created", "layout.assigned", "command.queued", "screenshot.ready"];
  expect(received.map(({ data }) => data.type)).toEqual(types);
  expect(received[0]!.data.data).toMatchObject({ playlist_id: playlist.id, name: "P" });
  expect(received[2]!.data.data).toEqual({ layout_id: layout.id, player_id: device.playerId });
  expect(received[3]!.data.data).toMatchObject({ id: command.id, status: "queued", type: "screenshot" });
  expect(received[4]!.data.data).toMatchObject({ command_id: command.id, player_id: device.playerId });
  expect(received[0]!.seq).toBeGreaterThan(seq);
  const seqs = received.map((event) => event.seq);
  expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
  const described = await messageValidators(api.service.url);
  for (const message of listener.received) expect(described.get(message.type)!(message), message.type).toBe(true);
});

test("[SUB2] a subscription can be limited to kinds and players; content events count for the players that show the content", async () => {
  const api = await shared.newTeam();
  const [one, other] = [await api.pairDevice("One"), await api.pairDevice("Other")];
  const { layout, playlist } = await api.showPicture(one);
  using content = new EventSubscriber(api.service.url, api.token);
  await content.subscribe(["layout_updates", "playlist_updates"], { players: [one.playerId] });
  using commands = new EventSubscriber(api.service.url, api.token);
  await commands.subscribe(["commands"], { players: [other.playerId] });
  await api.call("POST", "playlists", { name: "Nobody's" });
  await api.call("PATCH", `playlists/${playlist.id}`, { name: "Shown" });
  await api.call("PATCH", `layouts/${layout.id}`, { background_color: "#102030" });
  for (const { playerId } of [one, other]) await api.call("POST", `players/${playerId}/commands`, { type: "identify" });
  await content.event("layout.updated");
  await commands.event("command.queued");
  expect(content.events.map(({ data }) => data.type)).toEqual(["playlist.updated", "layout.updated"]);
  expect(commands.events.map(({ data }) => data.data["player_id"])).toEqual([other.playerId]);
});

test("[SUB3] a subscriber that is disconnected at random moments under load misses and repeats no event", () => disconnectUnderLoad(60));

test("[SUB4] a position that is too old or belongs to another journal is answered with resync, never with silence", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  using first = new EventSubscriber(api.service.url, api.token);
  const begin = await first.subscribe(journalled);
  for (let count = 0; count < 3; count += 1) await api.call("POST", "playlists", { name: `${count}` });
  for (const after of [
    { ...begin, epoch: "evt_other" },
    { ...begin, seq: 10_000 },
  ]) {
    using listener = new EventSubscriber(api.service.url, api.token);
    expect((await listener.subscribe(journalled, { after: { epoch: after.epoch, seq: after.seq } })).resumed).toBe(false);
    const { data } = await listener.next((message): message is Extract<typeof message, { type: "resync" }> => message.type === "resync");
    expect(data).toEqual({ epoch: begin.epoch, seq: 3 });
  }
  clock.advance(25 * 3_600_000);
  await expect
    .poll(async () => {
      clock.advance(600_000);
      using listener = new EventSubscriber(api.service.url, api.token);
      return (await listener.subscribe(journalled, { after: { epoch: begin.epoch, seq: begin.seq } })).resumed;
    })
    .toBe(false);
});

test("[SUB5] a subscriber gets the latest heartbeat of each player at once, and then every later one", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  await device.call("POST", "heartbeat", heartbeat({ cpu_load: 1 }));
  await device.call("POST", "heartbeat", heartbeat({ cpu_load: 2 }));
  using listener = new EventSubscriber(api.service.url, api.token);
  await listener.subscribe(["heartbeat"], { players: [device.playerId] });
  const loads = () => listener.received.flatMap((message) => (message.type === "heartbeat" ? [message.data.heartbeat.cpu_load] : []));
  await expect.poll(loads).toEqual([2]);
  await device.call("POST", "heartbeat", heartbeat({ cpu_load: 3 }));
  await expect.poll(loads).toEqual([2, 3]);
});

test("[SUB6] a subscriber that never reads uses no more memory than its buffer, does not affect others, and is disconnected", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const playerIds: string[] = [];
  for (let each = 0; each < 30; each += 1) playerIds.push((await api.pairDevice()).playerId);
  const url = new URL(api.service.url);
  // A hand-written client that upgrades, subscribes and never reads again.
  const stalled = connect(Number(url.port), url.hostname);
  const key = randomBytes(16).toString("base64");
  stalled.write(
    `GET /api/v1/events HTTP/1.1\r\nHost: ${url.host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\nSec-WebSocket-Protocol: signage.events.v1\r\nAuthorization: Bearer ${api.token}\r\n\r\n`,
  );
  await new Promise((resolve) => stalled.once("readable", resolve));
  stalled.pause();
  const subscribe = Buffer.from(JSON.stringify({ type: "subscribe", id: "1", data: { kinds: ["commands"] } }));
  stalled.write(Buffer.concat([Buffer.from([0x81, 0x80 | subscribe.length, 0, 0, 0, 0]), subscribe]));
  using quick = new EventSubscriber(api.service.url, api.token);
  await quick.subscribe(["commands"]);
  const before = process.memoryUsage().external;
  const requests = 100;
  const command = { target: { player_ids: playerIds }, type: "identify", args: { duration_ms: 1_000 } };
  for (let sent = 0; sent < requests; sent += 1) expect((await api.call("POST", "commands", command)).status).toBe(202);
  await expect.poll(() => quick.events.length).toBe(requests * playerIds.length);
  expect(process.memoryUsage().external - before).toBeLessThan(64e6);
  let isClosed = false;
  stalled.once("close", () => (isClosed = true));
  stalled.on("error", () => undefined);
  // Once the buffers of the system are full, the service waits up to half a minute, by its clock.
  await expect
    .poll(() => {
      clock.advance(31_000);
      stalled.write(Buffer.from([0x89, 0x80, 0, 0, 0, 0]));
      return isClosed;
    })
    .toBe(true);
});

test("[SUB7] a subscriber never receives events of another team", async () => {
  const api = await shared.newTeam();
  const stranger = await createOtherTeam(api);
  const device = await api.pairDevice();
  using listener = new EventSubscriber(api.service.url, stranger.secret);
  await listener.subscribe([...journalled, "heartbeat"]);
  using spy = new EventSubscriber(api.service.url, stranger.secret);
  await spy.subscribe([...journalled, "heartbeat"], { players: [device.playerId] });
  await api.showPicture(device);
  await device.call("POST", "heartbeat", heartbeat());
  await stranger.call("POST", "playlists", { name: "Theirs" });
  await listener.event("playlist.created");
  expect(listener.events.map(({ data }) => data.data["name"])).toEqual(["Theirs"]);
  expect([...listener.received, ...spy.received].filter(({ type }) => type === "heartbeat")).toEqual([]);
  expect(spy.events).toEqual([]);
});

test("[SUB8] revoking a token closes its sockets with 4403", async () => {
  const api = await shared.newTeam();
  const reader = await createTokenFor(api, await owner(api), ["events:read"]);
  using listener = new EventSubscriber(api.service.url, reader.secret);
  await listener.subscribe(["commands"]);
  expect((await api.call("DELETE", `tokens/${reader.tokenId}`)).status).toBe(204);
  expect(await listener.closed).toMatchObject({ code: 4403 });
  const other = await createTokenFor(api, await owner(api), ["players:read"]);
  expect((await new EventSubscriber(api.service.url, other.secret).closed).code).toBe(4403);
});

test("[SUB8] without a valid token the socket closes with 4401; a ticket opens one socket, once", async () => {
  const api = await shared.newTeam();
  expect((await new EventSubscriber(api.service.url, "sgn_pat_wrong").closed).code).toBe(4401);
  expect((await new EventSubscriber(api.service.url, null).closed).code).toBe(4401);
  const { ticket } = (await api.call("POST", "events/tickets")).body;
  using listener = new EventSubscriber(api.service.url, null, `?ticket=${ticket}`);
  expect((await listener.subscribe(["commands"])).resumed).toBe(false);
  expect((await new EventSubscriber(api.service.url, null, `?ticket=${ticket}`).closed).code).toBe(4401);
});

test("[SUB9] an invalid message is answered with an error that states the reason; the socket stays open", async () => {
  const api = await shared.newTeam();
  using listener = new EventSubscriber(api.service.url, api.token);
  await listener.subscribe([]);
  for (const text of ["{", '{"type":"future"}', '{"type":"subscribe","id":"1","data":{"kinds":["all"]}}']) listener.socket.send(text);
  const errors = () => listener.received.flatMap((message) => (message.type === "error" ? [message.data.code] : []));
  await expect.poll(errors).toEqual(["malformed", "unsupported", "malformed"]);
  expect((await listener.subscribe(["commands"])).resumed).toBe(false);
});

test("[SUB10] when the service stops, it sends each subscriber a delay to wait before reconnecting; after the restart the journal continues", async () => {
  await using folder = await temporaryFolder();
  const api = await TestService.start(folder.path);
  using listener = new EventSubscriber(api.service.url, api.token);
  const begin = await listener.subscribe(["playlist_updates"]);
  await api.call("POST", "playlists", { name: "One" });
  await listener.event("playlist.created");
  await api[Symbol.asyncDispose]();
  expect(await listener.closed).toMatchObject({ code: 1012 });
  expect(listener.received.at(-1)).toMatchObject({ type: "goaway" });
  await using again = await TestService.start(folder.path);
  using later = new EventSubscriber(again.service.url, again.token);
  expect((await later.subscribe(["playlist_updates"], { after: { epoch: begin.epoch, seq: begin.seq } })).resumed).toBe(true);
  expect((await later.event("playlist.created")).data.data["name"]).toBe("One");
});
