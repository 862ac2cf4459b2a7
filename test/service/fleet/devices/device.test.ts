// A device's socket, polling, commands and screenshots.
import { createHash } from "node:crypto";
import { once } from "node:events";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { thumbprint, verifyJws } from "../../../../src/base/jws.ts";
import {
  Command,
  commandJwsType,
  revocationJwsType,
  Screenshot,
  SignedCommand,
  SignedRevocation,
} from "../../../../src/protocol/device/commands.ts";
import { HeartbeatAnswer } from "../../../../src/protocol/device/heartbeat.ts";
import { DesiredState } from "../../../../src/protocol/device/desired-state.ts";
import { ServiceMessage, statePushFeature } from "../../../../src/protocol/device/messages.ts";
import { FakeClock } from "../../../support/clock.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { TestService, heartbeat, DeviceSocket, picture, type Device } from "../../harness.ts";
import { useService } from "../../shared-service.ts";

const shared = useService();

const shot = "shot_01jd3v8q6m9x2k4n7r5t1w0yzh";

test("[DEV3] the message hello is answered with a welcome that contains everything a device needs, and the player is online", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  const path = `players/${device.playerId}`;
  expect((await api.call("GET", path)).body).toMatchObject({ status: "offline", last_seen_at: null });
  const link = device.socket();
  link.hello();
  const welcome = ServiceMessage.parse(await link.next("welcome"));
  const { desired_revision: revision } = (await api.call("GET", path)).body;
  expect(welcome).toMatchObject({ data: { resumed: false, heartbeat_ms: 30_000, answer: { sent_at_ms: 1_000, revision, commands: [] } } });
  const content = { is: "applied", revision, applied_revision: revision, ready_bytes: 0, total_bytes: 0, detail: null } as const;
  link.send({ type: "heartbeat", data: heartbeat({ sent_at_ms: 2_000, content }) });
  expect((await link.next("heartbeat.answer")).data.sent_at_ms).toBe(2_000);
  expect((await api.call("GET", path)).body).toMatchObject({
    status: "online",
    in_sync: true,
    applied_revision: revision,
    player_version: "1.2.4",
    engine: "chromium 156",
    resolution: { width: 1_280, height: 720 },
  });
  expect((await api.call("GET", `${path}/now`)).body).toMatchObject({ rendering: true, now_playing: [], content });
  link.socket.close();
  await link.closed;
  await expect.poll(async () => (await api.call("GET", path)).body.status).toBe("offline");
});

test("[DEV4] a change is pushed to the device at once, with the new revision of its state", async () => {
  await using folder = await temporaryFolder();
  // Its clock stands still: nothing that waits for a time is sent.
  await using api = await TestService.start(folder.path, { clock: new FakeClock() });
  const device = await api.pairDevice();
  const { playlist } = await api.showPicture(device);
  const link = await device.connect();
  await api.call("PATCH", `playlists/${playlist.id}`, { items: [{ type: "text", text: "new" }] });
  const hint = await link.next("state.changed");
  expect(hint.data.revision).toBe((await device.call("GET", "state")).body.revision);
  expect(hint.seq).toBeGreaterThan(0);
  link.socket.close();
});

test("[DEV14] a device that takes states gets the new one with the hint that it has changed, unless it is too long", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  const { playlist } = await api.showPicture(device);
  const link = device.socket();
  link.hello(null, 0, {}, [statePushFeature]);
  await link.next("welcome");
  const change = async (items: object[]) => {
    await api.call("PATCH", `playlists/${playlist.id}`, { items });
    return { message: ServiceMessage.parse(await link.next("state.changed")), fetched: (await device.call("GET", "state")).body };
  };
  const short = await change([{ type: "text", text: "short – é" }]);
  expect(short.message).toMatchObject({ seq: expect.any(Number), data: { revision: short.fetched.revision } });
  expect(short.message.data).toHaveProperty("state", DesiredState.parse(short.fetched));
  const long = await change(Array.from({ length: 40 }, (_, at) => ({ type: "text", text: `${at} ${"é".repeat(1_000)}` })));
  expect(long.message.data).toEqual({ revision: long.fetched.revision });
  link.socket.close();
  // Who does not ask for states only gets hints.
  const plain = await device.connect();
  await api.call("PATCH", `playlists/${playlist.id}`, { items: [{ type: "text", text: "plain" }] });
  expect((await plain.next("state.changed")).data).not.toHaveProperty("state");
  plain.socket.close();
});

test("[DEV14] of many changes at once the hint of the newest comes last, and no command is lost or out of order", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  const { playlist } = await api.showPicture(device);
  const link = device.socket();
  link.hello(null, 0, {}, [statePushFeature]);
  let seq = (await link.next("welcome")).seq ?? 0;
  const texts = Array.from({ length: 20 }, (_, at) => `text ${at}`);
  const send = () => api.call("POST", `players/${device.playerId}/commands`, { type: "identify" });
  await Promise.all(texts.flatMap((text) => [api.call("PATCH", `playlists/${playlist.id}`, { items: [{ type: "text", text }] }), send()]));
  const { revision } = (await device.call("GET", "state")).body;
  let commands = 0;
  let hinted = "";
  while (commands < 20 || hinted !== revision) {
    const message = await link.nextOf(["state.changed", "command"]);
    expect(message.seq).toBeGreaterThan(seq);
    seq = message.seq!;
    if (message.type === "command") commands += 1;
    else hinted = message.data.revision;
    // A state that is sent is the one of the hint.
    if (message.type === "state.changed" && message.data.state) expect(message.data.state.revision).toBe(hinted);
  }
  expect(commands).toBe(20);
  expect(await link.receivesNo("state.changed")).toBe(true);
  link.socket.close();
});

test("[DEV5] a device that reconnects gets the messages it missed; a device whose position is no longer stored fetches everything again", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  const first = device.socket();
  first.hello();
  const { data, seq } = await first.next("welcome");
  await api.showPicture(device);
  const missedAfter = (await first.next("state.changed")).seq!;
  first.socket.close();
  await first.closed;

  await api.call("PATCH", `players/${device.playerId}`, { name: "A" });
  await api.call("PATCH", `players/${device.playerId}`, { name: "B" });
  const { id: commandId } = (await api.call("POST", `players/${device.playerId}/commands`, { type: "reload" })).body;
  const second = device.socket();
  second.hello(data.epoch, missedAfter);
  expect((await second.next("welcome")).data.resumed).toBe(true);
  const hint = await second.next("state.changed");
  expect([hint.seq, hint.data.revision]).toEqual([missedAfter + 2, (await device.call("GET", "state")).body.revision]);
  const command = await second.next("command");
  expect(command.seq).toBe(missedAfter + 3);
  expect(await verifyJws(commandJwsType, command.data.command, device.access.service_key)).toMatchObject({ jti: commandId });
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

test("[DEV6] a newer socket replaces the older one, and the player stays online", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  const older = await device.connect();
  const newer = await device.connect();
  expect(await older.closed).toBe(4409);
  expect((await api.call("GET", `players/${device.playerId}`)).body.status).toBe("online");
  newer.socket.close();
});

test("[DEV7] a deleted player's socket gets the signed revocation and closes; so does a new socket with its old token", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  const link = await device.connect();
  await api.call("DELETE", `players/${device.playerId}`);
  const { revocation } = (await link.next("revoked")).data;
  expect(await link.closed).toBe(4403);
  const payload = SignedRevocation.parse(await verifyJws(revocationJwsType, revocation, device.access.service_key));
  expect(payload).toMatchObject({ sub: thumbprint(device.keys.publicKey), player_id: device.playerId });
  const late = device.socket();
  await late.next("revoked");
  expect(await late.closed).toBe(4403);
});

test("[DEV8] an invalid token closes the socket with 4401, an unknown subprotocol is rejected, a socket without hello is closed", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const device = await api.pairDevice();
  expect(await device.socket("sgn_dev_wrong").closed).toBe(4401);
  const silent = device.socket();
  await new Promise((resolve) => silent.socket.once("open", resolve));
  // The service may begin to wait for hello only now.
  const codeTenSecondsLater = (): Promise<number | null> => {
    clock.advance(10_000);
    return Promise.race([silent.closed, Promise.resolve(null)]);
  };
  await expect.poll(codeTenSecondsLater).toBe(1006);
  const foreign = new WebSocket(`${device.url.replace("http", "ws")}/api/v1/device/ws`, "other");
  await expect(new Promise((_resolve, reject) => foreign.once("error", reject))).rejects.toThrow("400");
});

test("[DEV8] a socket from which nothing is received for 40 s is closed", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const device = await api.pairDevice();
  // It sends nothing by itself and answers no pings, like a machine without power.
  const link = new DeviceSocket(device.url, device.access.access_token, undefined, { autoPong: false });
  link.hello();
  await link.next("welcome");
  // It is pinged every 15 s.
  const seen: unknown[] = [];
  for (let time = 0; time < 3; time += 1) {
    const next = Promise.race([once(link.socket, "ping").then(() => "ping"), link.closed]);
    clock.advance(15_000);
    seen.push(await next);
  }
  expect(seen).toEqual(["ping", "ping", 1006]);
  await expect.poll(async () => (await api.call("GET", `players/${device.playerId}`)).body.status).toBe("offline");
});

test("[DEV9] malformed and unknown messages are ignored, and the socket stays open", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  const link = await device.connect();
  for (const message of ["{", "null", '{"type":"future","id":"1","ts":1,"data":{}}', '{"type":"heartbeat"}']) link.send(message);
  expect(await link.receivesNo("revoked")).toBe(true);
  link.send(`{"type":"${"x".repeat(70_000)}"}`);
  expect(await link.closed).toBe(1009);
});

test("[DEV10] a stopping service sends each device a delay to wait before reconnecting", async () => {
  await using folder = await temporaryFolder();
  const api = await TestService.start(folder.path);
  const link = await (await api.pairDevice()).connect();
  await api[Symbol.asyncDispose]();
  expect((await link.next("goaway")).data.reconnect_after_ms).toBeGreaterThan(0);
  expect(await link.closed).toBe(1012);
});

test("[DEV12] the reconnect spread grows with the players in service and is in every heartbeat answer; a restart does not reduce it", async () => {
  await using folder = await temporaryFolder();
  let device: Device;
  let alone: number;
  {
    await using api = await TestService.start(folder.path);
    device = await api.pairDevice("First");
    const first = device.socket();
    first.hello();
    alone = (await first.next("welcome")).data.reconnect_spread_ms;
    for (const name of ["Second", "Third"]) await (await api.pairDevice(name)).connect();
    first.send({ type: "heartbeat", data: heartbeat() });
    expect((await first.next("heartbeat.answer")).data.reconnect_spread_ms).toBe(3 * alone);
    expect(alone).toBeGreaterThan(0);
  }
  await using api = await TestService.start(folder.path);
  const again = new DeviceSocket(api.service.url, device.access.access_token);
  again.hello();
  // The first player to reconnect finds no others connected.
  expect((await again.next("welcome")).data.reconnect_spread_ms).toBe(3 * alone);
  again.socket.close();
});

test("[DEV11] polling gives a device the same information as the socket: online status, revision, commands", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const device = await api.pairDevice();
  await api.call("POST", `players/${device.playerId}/commands`, { type: "identify" });
  const answer = await device.call("POST", "heartbeat", heartbeat());
  expect(HeartbeatAnswer.parse(answer.body)).toMatchObject({ sent_at_ms: 1_000, commands: [expect.any(String)] });
  const path = `players/${device.playerId}`;
  expect((await api.call("GET", path)).body).toMatchObject({ status: "online", desired_revision: answer.body.revision });
  expect((await api.call("GET", `${path}/commands`)).body.data[0].status).toBe("delivered");
  clock.advance(90_001);
  expect((await api.call("GET", path)).body.status).toBe("offline");
});

test("[SCM1] a command is signed for one device, delivered at once, and its status only moves forward", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  const link = await device.connect();
  const base = `players/${device.playerId}/commands`;
  const sent = await api.call("POST", base, { type: "screenshot" });
  expect(sent.status).toBe(202);
  expect(Command.parse(sent.body)).toMatchObject({ status: "queued", args: { format: "jpeg" }, result: null });
  const { command } = (await link.next("command")).data;
  const signed = SignedCommand.parse(await verifyJws(commandJwsType, command, device.access.service_key));
  expect(signed).toMatchObject({ sub: thumbprint(device.keys.publicKey), jti: sent.body.id, type: "screenshot", args: { format: "jpeg" } });
  expect(signed.exp * 1_000).toBe(Date.parse(sent.body.expires_at));
  const status = async () => (await api.call("GET", `${base}/${sent.body.id}`)).body;
  await expect.poll(async () => (await status()).status).toBe("delivered");

  const reportStatus = (update: object) => device.call("POST", `commands/${sent.body.id}/status`, update);
  for (const status of ["running", "acknowledged"]) expect((await reportStatus({ status })).status).toBe(204);
  expect((await status()).status).toBe("running");
  expect((await reportStatus({ status: "succeeded", result: { screenshot_id: shot } })).status).toBe(204);
  expect((await reportStatus({ status: "failed", error: { code: "late", detail: "late" } })).status).toBe(204);
  expect(await status()).toMatchObject({ status: "succeeded", result: { screenshot_id: shot }, error: null });
  const other = await api.pairDevice("Other");
  expect((await other.call("POST", `commands/${sent.body.id}/status`, { status: "running" })).status).toBe(404);
  link.socket.close();
});

test("[SCM1] commands are listed newest first; unknown commands and invalid arguments are rejected", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  const base = `players/${device.playerId}/commands`;
  for (const type of ["reload", "restart"]) await api.call("POST", base, { type });
  expect((await api.call("GET", base)).body.data.map(({ type }: { type: string }) => type)).toEqual(["restart", "reload"]);
  for (const bad of [
    { type: "explode" },
    { type: "reload", args: { x: 1 } },
    { type: "identify", args: { duration_ms: 1 } },
    { type: "reload", ttl_s: 0 },
  ]) {
    expect((await api.call("POST", base, bad)).status).toBe(422);
  }
});

test("[SCM2] a command that was not started in time expires and is no longer sent", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const device = await api.pairDevice();
  const base = `players/${device.playerId}/commands`;
  const { id } = (await api.call("POST", base, { type: "reload", ttl_s: 10 })).body;
  clock.advance(10_001);
  expect((await api.call("GET", `${base}/${id}`)).body.status).toBe("expired");
  expect((await device.call("POST", "heartbeat", heartbeat())).body.commands).toEqual([]);
  // A late report of the device still counts.
  await device.call("POST", `commands/${id}/status`, { status: "succeeded" });
  expect((await api.call("GET", `${base}/${id}`)).body.status).toBe("succeeded");
});

test("[SCM2] undelivered commands survive a restart of the service", async () => {
  await using folder = await temporaryFolder();
  await using first = await TestService.start(folder.path);
  const device = await first.pairDevice();
  const { id } = (await first.call("POST", `players/${device.playerId}/commands`, { type: "reload" })).body;
  await first[Symbol.asyncDispose]();
  await using second = await TestService.start(folder.path);
  const reconnected = Object.assign(Object.create(Object.getPrototypeOf(device)), device, { url: second.service.url });
  const link = reconnected.socket();
  link.hello();
  const { commands } = (await link.next("welcome")).data.answer;
  const payloads = await Promise.all(commands.map((jws: string) => verifyJws(commandJwsType, jws, device.access.service_key)));
  expect(payloads).toMatchObject([{ jti: id }]);
  link.socket.close();
});

test("[SCM3] a screenshot is stored if it is an image and its digest is correct; uploading it again is allowed", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  const { id: command } = (await api.call("POST", `players/${device.playerId}/commands`, { type: "screenshot" })).body;
  const bytes = await picture();
  const put = (more = {}) => device.putScreenshot(shot, bytes, { "command-id": command, ...more });
  expect((await put()).status).toBe(204);
  expect((await put()).status).toBe(204);
  const list = (await api.call("GET", `players/${device.playerId}/screenshots`)).body;
  expect(list.data).toHaveLength(1);
  expect(Screenshot.parse(list.data[0])).toMatchObject({
    id: shot,
    command_id: command,
    mime_type: "image/png",
    width: 64,
    captured_at: "2026-11-21T12:00:00.000Z",
  });
  const image = await api.call("GET", list.data[0].image_url);
  expect([image.status, image.headers.get("content-type"), image.body]).toEqual([200, "image/png", bytes]);
  expect((await api.call("GET", `screenshots/${shot}`)).body).toEqual(list.data[0]);

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
  const other = await api.pairDevice("Other");
  expect((await other.putScreenshot(shot, bytes)).status).toBe(409);
});
