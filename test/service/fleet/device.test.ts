// The device's socket, its polling, its commands and its screenshots.
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { thumbprint, verifyJws } from "../../../src/base/jws.ts";
import {
  Command,
  commandJwsType,
  revocationJwsType,
  Screenshot,
  SignedCommand,
  SignedRevocation,
} from "../../../src/protocol/device/commands.ts";
import { HeartbeatAnswer } from "../../../src/protocol/device/heartbeat.ts";
import { ServiceMessage } from "../../../src/protocol/device/messages.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { TestService, heartbeat, DeviceSocket, picture, type Device } from "../harness.ts";

const shot = "shot_01jd3v8q6m9x2k4n7r5t1w0yzh";

test("[DEV3] hello is answered by welcome with all that a device needs, and the player is online", async () => {
  await using folder = await temporaryFolder();
  await using bench = await TestService.start(folder.path);
  const device = await bench.pairDevice();
  const path = `players/${device.playerId}`;
  expect((await bench.call("GET", path)).body).toMatchObject({ status: "offline", last_seen_at: null });
  const link = device.socket();
  link.hello();
  const welcome = ServiceMessage.parse(await link.next("welcome"));
  const { desired_revision: revision } = (await bench.call("GET", path)).body;
  expect(welcome).toMatchObject({ data: { resumed: false, heartbeat_ms: 30_000, answer: { sent_at_ms: 1_000, revision, commands: [] } } });
  const content = { is: "applied", revision, applied_revision: revision, ready_bytes: 0, total_bytes: 0, detail: null } as const;
  link.send({ type: "heartbeat", data: heartbeat({ sent_at_ms: 2_000, content }) });
  expect((await link.next("heartbeat.answer")).data.sent_at_ms).toBe(2_000);
  expect((await bench.call("GET", path)).body).toMatchObject({
    status: "online",
    in_sync: true,
    applied_revision: revision,
    player_version: "1.2.4",
    engine: "chromium 156",
    resolution: { width: 1_280, height: 720 },
  });
  expect((await bench.call("GET", `${path}/now`)).body).toMatchObject({ rendering: true, now_playing: [], content });
  link.socket.close();
  await link.closed;
  await expect.poll(async () => (await bench.call("GET", path)).body.status).toBe("offline");
});

test("[DEV4] a change reaches the screen's socket at once, with the revision that the state then has", async () => {
  await using folder = await temporaryFolder();
  await using bench = await TestService.start(folder.path);
  const device = await bench.pairDevice();
  const { playlist } = await bench.showPicture(device);
  const link = await device.connect();
  const begun = performance.now();
  await bench.call("PATCH", `playlists/${playlist.id}`, { items: [{ type: "text", text: "new" }] });
  const hint = await link.next("state.changed");
  expect(performance.now() - begun).toBeLessThan(500);
  expect(hint.data.revision).toBe((await device.call("GET", "state")).body.revision);
  expect(hint.seq).toBeGreaterThan(0);
  link.socket.close();
});

test("[DEV5] a device that comes back gets what it missed; one whose place is no longer known starts anew", async () => {
  await using folder = await temporaryFolder();
  await using bench = await TestService.start(folder.path);
  const device = await bench.pairDevice();
  const first = device.socket();
  first.hello();
  const { data, seq } = await first.next("welcome");
  await bench.showPicture(device);
  const missedAfter = (await first.next("state.changed")).seq!;
  first.socket.close();
  await first.closed;

  await bench.call("PATCH", `players/${device.playerId}`, { name: "A" });
  await bench.call("PATCH", `players/${device.playerId}`, { name: "B" });
  const { id: commandId } = (await bench.call("POST", `players/${device.playerId}/commands`, { type: "reload" })).body;
  const second = device.socket();
  second.hello(data.epoch, missedAfter);
  expect((await second.next("welcome")).data.resumed).toBe(true);
  const hint = await second.next("state.changed");
  expect([hint.seq, hint.data.revision]).toEqual([missedAfter + 2, (await device.call("GET", "state")).body.revision]);
  const command = await second.next("command");
  expect(command.seq).toBe(missedAfter + 3);
  expect(verifyJws(commandJwsType, command.data.command, device.access.service_key)).toMatchObject({ jti: commandId });
  second.send({ type: "ack", ack: command.seq, data: {} });
  expect(await second.receivesNo("state.changed")).toBe(true);
  second.socket.close();
  await second.closed;

  const third = device.socket();
  third.hello(data.epoch, seq ?? 0);
  const anew = await third.next("welcome");
  expect([anew.data.resumed, anew.seq]).toEqual([false, command.seq]);
  third.socket.close();
});

test("[DEV6] a newer socket replaces the older one; the player stays online", async () => {
  await using folder = await temporaryFolder();
  await using bench = await TestService.start(folder.path);
  const device = await bench.pairDevice();
  const older = await device.connect();
  const newer = await device.connect();
  expect(await older.closed).toBe(4409);
  expect((await bench.call("GET", `players/${device.playerId}`)).body.status).toBe("online");
  newer.socket.close();
});

test("[DEV7] a removed player's socket gets the signed revocation and ends; its old token gets the same", async () => {
  await using folder = await temporaryFolder();
  await using bench = await TestService.start(folder.path);
  const device = await bench.pairDevice();
  const link = await device.connect();
  await bench.call("DELETE", `players/${device.playerId}`);
  const { revocation } = (await link.next("revoked")).data;
  expect(await link.closed).toBe(4403);
  const said = SignedRevocation.parse(verifyJws(revocationJwsType, revocation, device.access.service_key));
  expect(said).toMatchObject({ sub: thumbprint(device.keys.publicKey), player_id: device.playerId });
  const late = device.socket();
  await late.next("revoked");
  expect(await late.closed).toBe(4403);
});

test("[DEV8] a bad token closes with 4401, a foreign subprotocol is refused, a silent socket is ended", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using bench = await TestService.start(folder.path, { clock });
  const device = await bench.pairDevice();
  expect(await device.socket("sgn_dev_wrong").closed).toBe(4401);
  const foreign = new WebSocket(`${device.url.replace("http", "ws")}/api/v1/device/ws`, "other");
  await expect(new Promise((_resolve, reject) => foreign.once("error", reject))).rejects.toThrow("400");
  const before = clock.pendingWaits;
  const silent = device.socket();
  await new Promise((resolve) => silent.socket.once("open", resolve));
  await expect.poll(() => clock.pendingWaits).toBeGreaterThan(before);
  clock.advance(10_000);
  expect(await silent.closed).toBe(1006);
});

test("[DEV8] a socket without a sign of life for 40 s is ended", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using bench = await TestService.start(folder.path, { clock });
  const device = await bench.pairDevice();
  const link = await device.connect();
  // Its machine is gone: nothing answers the pings any more.
  link.socket.pause();
  clock.advance(15_000);
  await expect.poll(() => clock.pendingWaits).toBeGreaterThan(1);
  clock.advance(30_000);
  await expect.poll(async () => (await bench.call("GET", `players/${device.playerId}`)).body.status).toBe("offline");
  link.socket.terminate();
});

test("[DEV9] messages that are malformed or unknown are ignored; the socket stays", async () => {
  await using folder = await temporaryFolder();
  await using bench = await TestService.start(folder.path);
  const device = await bench.pairDevice();
  const link = await device.connect();
  for (const message of ["{", "null", '{"type":"future","id":"1","ts":1,"data":{}}', '{"type":"heartbeat"}']) link.send(message);
  expect(await link.receivesNo("revoked")).toBe(true);
  link.send(`{"type":"${"x".repeat(70_000)}"}`);
  expect(await link.closed).toBe(1009);
});

test("[DEV10] stopping sends every device away with a time to come back", async () => {
  await using folder = await temporaryFolder();
  const bench = await TestService.start(folder.path);
  const link = await (await bench.pairDevice()).connect();
  const begun = performance.now();
  await bench[Symbol.asyncDispose]();
  expect((await link.next("goaway")).data.reconnect_after_ms).toBeGreaterThan(0);
  expect(await link.closed).toBe(1012);
  expect(performance.now() - begun).toBeLessThan(1_500);
});

test("[DEV12] the spread of reconnects grows with the players in service and is told with each heartbeat; a restart does not shrink it", async () => {
  await using folder = await temporaryFolder();
  let device: Device;
  let alone: number;
  {
    await using bench = await TestService.start(folder.path);
    device = await bench.pairDevice("First");
    const first = device.socket();
    first.hello();
    alone = (await first.next("welcome")).data.reconnect_spread_ms;
    for (const name of ["Second", "Third"]) await (await bench.pairDevice(name)).connect();
    first.send({ type: "heartbeat", data: heartbeat() });
    expect((await first.next("heartbeat.answer")).data.reconnect_spread_ms).toBe(3 * alone);
    expect(alone).toBeGreaterThan(0);
  }
  await using bench = await TestService.start(folder.path);
  const again = new DeviceSocket(bench.service.url, device.access.access_token);
  again.hello();
  // The first to come back finds nobody else connected.
  expect((await again.next("welcome")).data.reconnect_spread_ms).toBe(3 * alone);
  again.socket.close();
});

test("[DEV11] where sockets are blocked, polling gives the same: online, revision, commands", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using bench = await TestService.start(folder.path, { clock });
  const device = await bench.pairDevice();
  await bench.call("POST", `players/${device.playerId}/commands`, { type: "identify" });
  const answer = await device.call("POST", "heartbeat", heartbeat());
  expect(HeartbeatAnswer.parse(answer.body)).toMatchObject({ sent_at_ms: 1_000, commands: [expect.any(String)] });
  const path = `players/${device.playerId}`;
  expect((await bench.call("GET", path)).body).toMatchObject({ status: "online", desired_revision: answer.body.revision });
  expect((await bench.call("GET", `${path}/commands`)).body.data[0].status).toBe("delivered");
  clock.advance(90_001);
  expect((await bench.call("GET", path)).body.status).toBe("offline");
});

test("[SCM1] a command is signed for one device, delivered at once, and moves only forward", async () => {
  await using folder = await temporaryFolder();
  await using bench = await TestService.start(folder.path);
  const device = await bench.pairDevice();
  const link = await device.connect();
  const base = `players/${device.playerId}/commands`;
  const sent = await bench.call("POST", base, { type: "screenshot" });
  expect(sent.status).toBe(202);
  expect(Command.parse(sent.body)).toMatchObject({ status: "queued", args: { format: "jpeg" }, result: null });
  const { command } = (await link.next("command")).data;
  const signed = SignedCommand.parse(verifyJws(commandJwsType, command, device.access.service_key));
  expect(signed).toMatchObject({ sub: thumbprint(device.keys.publicKey), jti: sent.body.id, type: "screenshot", args: { format: "jpeg" } });
  expect(signed.exp * 1_000).toBe(Date.parse(sent.body.expires_at));
  const status = async () => (await bench.call("GET", `${base}/${sent.body.id}`)).body;
  await expect.poll(async () => (await status()).status).toBe("delivered");

  const tell = (update: object) => device.call("POST", `commands/${sent.body.id}/status`, update);
  for (const word of ["running", "acknowledged"]) expect((await tell({ status: word })).status).toBe(204);
  expect((await status()).status).toBe("running");
  expect((await tell({ status: "succeeded", result: { screenshot_id: shot } })).status).toBe(204);
  expect((await tell({ status: "failed", error: { code: "late", detail: "late" } })).status).toBe(204);
  expect(await status()).toMatchObject({ status: "succeeded", result: { screenshot_id: shot }, error: null });
  const other = await bench.pairDevice("Other");
  expect((await other.call("POST", `commands/${sent.body.id}/status`, { status: "running" })).status).toBe(404);
  link.socket.close();
});

test("[SCM1] commands come newest first; unknown ones and bad arguments are refused", async () => {
  await using folder = await temporaryFolder();
  await using bench = await TestService.start(folder.path);
  const device = await bench.pairDevice();
  const base = `players/${device.playerId}/commands`;
  for (const type of ["reload", "restart"]) await bench.call("POST", base, { type });
  expect((await bench.call("GET", base)).body.data.map(({ type }: { type: string }) => type)).toEqual(["restart", "reload"]);
  for (const bad of [
    { type: "explode" },
    { type: "reload", args: { x: 1 } },
    { type: "identify", args: { duration_ms: 1 } },
    { type: "reload", ttl_s: 0 },
  ]) {
    expect((await bench.call("POST", base, bad)).status).toBe(422);
  }
});

test("[SCM2] a command not begun in time has expired, and is no longer sent", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using bench = await TestService.start(folder.path, { clock });
  const device = await bench.pairDevice();
  const base = `players/${device.playerId}/commands`;
  const { id } = (await bench.call("POST", base, { type: "reload", ttl_s: 10 })).body;
  clock.advance(10_001);
  expect((await bench.call("GET", `${base}/${id}`)).body.status).toBe("expired");
  expect((await device.call("POST", "heartbeat", heartbeat())).body.commands).toEqual([]);
  // It had run all the same, and only the word of it was late: that is the truth then.
  await device.call("POST", `commands/${id}/status`, { status: "succeeded" });
  expect((await bench.call("GET", `${base}/${id}`)).body.status).toBe("succeeded");
});

test("[SCM2] commands that nobody has taken survive a restart of the service", async () => {
  await using folder = await temporaryFolder();
  await using first = await TestService.start(folder.path);
  const device = await first.pairDevice();
  const { id } = (await first.call("POST", `players/${device.playerId}/commands`, { type: "reload" })).body;
  await first[Symbol.asyncDispose]();
  await using second = await TestService.start(folder.path);
  const moved = Object.assign(Object.create(Object.getPrototypeOf(device)), device, { url: second.service.url });
  const link = moved.socket();
  link.hello();
  const { commands } = (await link.next("welcome")).data.answer;
  expect(commands.map((jws: string) => verifyJws(commandJwsType, jws, device.access.service_key))).toMatchObject([{ jti: id }]);
  link.socket.close();
});

test("[SCM3] a screenshot is taken in once its digest is right and it is a picture; a repeat is fine", async () => {
  await using folder = await temporaryFolder();
  await using bench = await TestService.start(folder.path);
  const device = await bench.pairDevice();
  const { id: command } = (await bench.call("POST", `players/${device.playerId}/commands`, { type: "screenshot" })).body;
  const bytes = await picture();
  const put = (more = {}) => device.putScreenshot(shot, bytes, { "command-id": command, ...more });
  expect((await put()).status).toBe(204);
  expect((await put()).status).toBe(204);
  const list = (await bench.call("GET", `players/${device.playerId}/screenshots`)).body;
  expect(list.data).toHaveLength(1);
  expect(Screenshot.parse(list.data[0])).toMatchObject({
    id: shot,
    command_id: command,
    mime_type: "image/png",
    width: 64,
    captured_at: "2026-11-21T12:00:00.000Z",
  });
  const image = await bench.call("GET", list.data[0].image_url);
  expect([image.status, image.headers.get("content-type"), image.body]).toEqual([200, "image/png", bytes]);
  expect((await bench.call("GET", `screenshots/${shot}`)).body).toEqual(list.data[0]);

  const wrong = createHash("sha256").update("other").digest("base64");
  const refusals = [
    await put({ "content-digest": `sha-256=:${wrong}:` }),
    await put({ "content-digest": "" }),
    await put({ "captured-at": "yesterday" }),
    await device.putScreenshot("shot_01jd3v8q6m9x2k4n7r5t1w0yzj", Buffer.from("no picture")),
    await device.putScreenshot(shot, await picture("png", 32)),
    await device.putScreenshot("shot_01jd3v8q6m9x2k4n7r5t1w0yzj", Buffer.alloc(8 * 1_024 * 1_024 + 1)),
  ];
  expect(refusals.map(({ status }) => status)).toEqual([400, 400, 400, 422, 409, 413]);
  const other = await bench.pairDevice("Other");
  expect((await other.putScreenshot(shot, bytes)).status).toBe(409);
});
