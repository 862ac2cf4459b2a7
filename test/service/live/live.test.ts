// Live views at the service: viewers over REST, and a device that sends the frames.
import { request } from "node:http";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../support/folder.ts";
import { FakeClock } from "../../support/clock.ts";
import { eventually } from "../../support/polling.ts";
import { call, picture, TestService, type Device } from "../harness.ts";
import { createOtherTeam, inviteMember, owner } from "../people/people.ts";
import { nextLive, putFrame, Viewer } from "./viewer.ts";

/** A service with a connected device. Its time passes only when a test advances it, so no view ends because the machine is slow. */
async function setup(clock = new FakeClock()) {
  const folder = await temporaryFolder();
  const api = await TestService.start(folder.path, { clock });
  const device = await api.pairDevice("Lobby");
  const socket = await device.connect();
  const watch = (query = "", token: string | null = api.token) =>
    Viewer.open(api.service.url, `players/${device.playerId}/live${query}`, token);
  return {
    api,
    device,
    socket,
    watch,
    audit: async () =>
      (await api.call("GET", "audit?limit=100")).body.data.filter(({ action }: { action: string }) => /watch/i.test(action)),
    [Symbol.asyncDispose]: async () => {
      socket.socket.close();
      let hasStopped = false;
      const stopping = api[Symbol.asyncDispose]().then(() => (hasStopped = true));
      // The grace for responses that nobody has read.
      await eventually(() => {
        clock.advance(1_000);
        return hasStopped;
      });
      await stopping;
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Reports the end of a command. */
async function endCommand(device: Device, id: string, update: object): Promise<void> {
  expect((await device.call("POST", `commands/${id}/status`, update)).status).toBe(204);
}

test("[LIV5] the first viewer starts the stream with a signed command; the frames arrive as they were sent, until the viewer leaves", async () => {
  const clock = new FakeClock();
  await using live = await setup(clock);
  const { device, socket, api } = live;
  const opening = live.watch("?fps=4&width=640&quality=50");
  const args = await nextLive(device, socket);
  expect(args).toMatchObject({ max_fps: 4, max_width: 640, quality: 50 });
  const [one, two] = [await picture("jpeg", 64), await picture("jpeg", 96)];
  expect((await putFrame(device, args.stream_id, one)).body).toEqual({ is: "continue", max_fps: 4, max_width: 640, quality: 50 });
  const viewer = await opening;
  expect([viewer.status, viewer.headers.get("cache-control")]).toEqual([200, "no-store"]);
  expect(viewer.headers.get("content-type")).toMatch(/^multipart\/x-mixed-replace; boundary=\w+$/);
  expect(await viewer.next()).toEqual({ type: "image/jpeg", bytes: one });
  clock.advance(300);
  await putFrame(device, args.stream_id, two);
  expect(await viewer.next()).toEqual({ type: "image/jpeg", bytes: two });
  viewer.leave();
  await eventually(async () => (await putFrame(device, args.stream_id, one)).status === 410);
  // Without the label of the node, which they have on PostgreSQL.
  const text = await (await fetch(`${api.service.url}/metrics`)).text();
  const metrics = text.replaceAll(/\{node="[^"]*"\}/g, "").split("\n");
  expect(metrics).toContain("signage_live_streams_total 1");
  expect(metrics).toContain("signage_live_viewers 0");
  expect(metrics.find((line) => line.startsWith("signage_live_frames_total "))).toMatch(/ [2-9]$/);
});

test("[LIV6] viewers of a player share one stream, each at its own rate; it goes on until the last of them has left", async () => {
  const clock = new FakeClock();
  await using live = await setup(clock);
  const { device, socket } = live;
  const opening = [live.watch("?fps=1&width=320"), live.watch("?fps=5&width=960&quality=80")];
  const { stream_id: streamId } = await nextLive(device, socket);
  const bytes = await picture("jpeg", 64);
  const frame = (number: number): Buffer => Buffer.concat([bytes, Buffer.from([number])]);
  await eventually(async () => (await putFrame(device, streamId, bytes)).body.max_fps === 5);
  expect((await putFrame(device, streamId, bytes)).body).toEqual({ is: "continue", max_fps: 5, max_width: 960, quality: 80 });
  const [slow, quick] = (await Promise.all(opening)) as [Viewer, Viewer];
  for (const viewer of [slow, quick]) expect((await viewer.next())!.bytes).toEqual(bytes);
  // Ten frames a second; a frame may come a tenth of its interval early.
  for (let number = 1; number <= 20; number += 1) {
    clock.advance(100);
    await putFrame(device, streamId, frame(number));
    if (number % 2 === 0) expect((await quick.next())!.bytes).toEqual(frame(number));
    if (number % 9 === 0) expect((await slow.next())!.bytes).toEqual(frame(number));
  }
  quick.leave();
  await eventually(async () => (await putFrame(device, streamId, bytes)).body.max_fps === 1);
  clock.advance(1_000);
  expect((await putFrame(device, streamId, frame(21))).body).toEqual({ is: "continue", max_fps: 1, max_width: 320, quality: 60 });
  expect((await slow.next())!.bytes).toEqual(frame(21));
  expect(await socket.receivesNo("command")).toBe(true);
  slow.leave();
  await eventually(async () => (await putFrame(device, streamId, bytes)).status === 410);
});

test("[LIV7] a live view ends after ten minutes by itself, with the reason as its last part", async () => {
  const clock = new FakeClock();
  await using live = await setup(clock);
  const { device, socket } = live;
  const opening = live.watch();
  const { stream_id: streamId, commandId } = await nextLive(device, socket);
  expect((await device.call("POST", `commands/${commandId}/status`, { status: "running" })).status).toBe(204);
  const bytes = await picture("jpeg", 64);
  await putFrame(device, streamId, bytes);
  const viewer = await opening;
  await viewer.next();
  for (let elapsed = 0; elapsed < 600; elapsed += 20) {
    clock.advance(20_000);
    await new Promise((resolve) => setImmediate(resolve));
    if (elapsed < 580) await putFrame(device, streamId, bytes);
  }
  let last = await viewer.next();
  for (let part = last; part !== null; part = await viewer.next()) last = part;
  expect(last?.type).toBe("application/json");
  expect(JSON.parse(last!.bytes.toString())).toMatchObject({ code: "duration", detail: expect.stringContaining("ten minutes") });
  await eventually(async () => (await putFrame(device, streamId, bytes)).status === 410);
});

test("[LIV7] a live view ends when its player falls silent or ends it, with that reason", async () => {
  const clock = new FakeClock();
  await using live = await setup(clock);
  const { device, socket } = live;
  const bytes = await picture("jpeg", 64);
  const begin = async () => {
    const opening = live.watch();
    const args = await nextLive(device, socket);
    await putFrame(device, args.stream_id, bytes);
    const viewer = await opening;
    await viewer.next();
    return { viewer, ...args };
  };
  const endOf = async (viewer: Viewer): Promise<unknown> => JSON.parse((await viewer.next())!.bytes.toString());
  const silent = await begin();
  clock.advance(31_000);
  expect(await endOf(silent.viewer)).toMatchObject({ code: "silent" });
  await eventually(async () => (await putFrame(device, silent.stream_id, bytes)).status === 410);
  const off = await begin();
  const detail = "the display is switched off";
  await endCommand(device, off.commandId, { status: "succeeded", result: { frames: 1, bytes: 2, reason: "no-picture", detail } });
  expect(await endOf(off.viewer)).toEqual({ code: "no-picture", detail });
  expect(await off.viewer.next()).toBeNull();
});

test("[LIV8] without a picture the response is a problem with the reason: offline, refused by the player, or none in time", async () => {
  const clock = new FakeClock();
  await using live = await setup(clock);
  const { api, device, socket } = live;
  const offline = await api.pairDevice("Away");
  const path = `players/${offline.playerId}/live`;
  const away = await Viewer.open(api.service.url, path, api.token);
  expect([away.status, (await away.json())["detail"]]).toEqual([409, expect.stringContaining("“Away” is offline")]);
  const refused = live.watch();
  const error = { code: "display-off", detail: "There is no picture, because the display is switched off" };
  await endCommand(device, (await nextLive(device, socket)).commandId, { status: "failed", error });
  const answer = await refused;
  expect([answer.status, await answer.json()]).toMatchObject([409, { type: "/problems/no-picture", detail: error.detail }]);
  const late = live.watch();
  await nextLive(device, socket);
  let isAnswered = false;
  void late.finally(() => (isAnswered = true));
  // The wait begins after the command is sent: on a service of several nodes, some queries later.
  await expect
    .poll(() => {
      clock.advance(5_000);
      return isAnswered;
    })
    .toBe(true);
  expect([(await late).status, (await (await late).json())["detail"]]).toEqual([409, expect.stringContaining("no picture within 20 s")]);
});

test("[LIV9] only the player that was asked can send frames, only JPEGs, and only of at most 512 kB", async () => {
  await using live = await setup();
  const { api, device, socket } = live;
  const other = await api.pairDevice("Other");
  const opening = live.watch();
  const { stream_id: streamId } = await nextLive(device, socket);
  const bytes = await picture("jpeg", 64);
  const forged = `liv_${"0".repeat(26)}`;
  for (const [sender, id] of [
    [other, streamId],
    [device, forged],
    [other, forged],
  ] as const) {
    expect((await putFrame(sender, id, bytes)).status).toBe(410);
  }
  expect((await call(api.service.url, "PUT", `device/live/${streamId}`, bytes, { "content-type": "image/jpeg" })).status).toBe(401);
  expect((await putFrame(device, streamId, bytes, "image/png")).status).toBe(422);
  expect((await putFrame(device, streamId, Buffer.from("--boundary\r\nContent-Type: text/html\r\n\r\n<script>"))).status).toBe(422);
  expect((await putFrame(device, streamId, Buffer.concat([bytes, Buffer.alloc(512 * 1_024)]))).status).toBe(413);
  expect((await putFrame(device, streamId, bytes)).status).toBe(200);
  const viewer = await opening;
  expect((await viewer.next())?.bytes).toEqual(bytes);
  viewer.leave();
});

test("[LIV10] another team, or a token without the right, sees nothing; a ticket opens one view of one player, once", async () => {
  await using live = await setup();
  const { api, device, socket } = live;
  const foreign = await createOtherTeam(api);
  const path = `players/${device.playerId}/live`;
  expect((await foreign.call("GET", path)).status).toBe(404);
  expect((await foreign.call("POST", `${path}/tickets`)).status).toBe(404);
  const viewer = await inviteMember(api, await owner(api), "viewer");
  expect((await viewer.call("GET", path)).status).toBe(403);
  expect((await call(api.service.url, "GET", path)).status).toBe(401);
  const { secret } = (await api.call("POST", "tokens", { name: "remote", scopes: ["commands:write", "players:read"] })).body;
  expect((await call(api.service.url, "GET", path, undefined, { authorization: `Bearer ${secret}` })).status).toBe(403);

  const ticket = async (): Promise<string> => (await api.call("POST", `${path}/tickets`)).body.ticket as string;
  const [used, elsewhere] = [await ticket(), await ticket()];
  const otherPlayer = (await api.pairDevice("Other")).playerId;
  expect((await call(api.service.url, "GET", `players/${otherPlayer}/live?ticket=${elsewhere}`)).status).toBe(401);
  expect((await call(api.service.url, "GET", `players/${device.playerId}?ticket=${await ticket()}`)).status).toBe(401);
  const opening = live.watch(`?ticket=${used}`, null);
  const { stream_id: streamId } = await nextLive(device, socket);
  await putFrame(device, streamId, await picture("jpeg", 64));
  const shown = await opening;
  expect(shown.status).toBe(200);
  expect((await call(api.service.url, "GET", `${path}?ticket=${used}`)).status).toBe(401);
  shown.leave();
});

test("[LIV11] the audit log has who watched which player, from when to when", async () => {
  await using live = await setup();
  const { device, socket, api } = live;
  const opening = live.watch();
  const { stream_id: streamId } = await nextLive(device, socket);
  await putFrame(device, streamId, await picture("jpeg", 64));
  const viewer = await opening;
  const [start] = await live.audit();
  expect(start).toMatchObject({ action: "watchPlayer", resource_id: device.playerId, user_id: (await owner(api)).userId });
  expect(await live.audit()).toHaveLength(1);
  viewer.leave();
  const [end] = await eventually(async () => {
    const entries = await live.audit();
    return entries.length === 2 ? entries : null;
  });
  expect(end).toMatchObject({
    action: "stopWatchingPlayer",
    resource_id: device.playerId,
    user_id: start.user_id,
    request_id: start.request_id,
  });
  expect((await api.call("GET", "audit/verify")).body.holds).toBe(true);
});

test("[LIV11] a revoked token ends its live views, and a service that stops records their ends", async () => {
  await using live = await setup();
  const { device, socket, api } = live;
  const { secret, id } = (await api.call("POST", "tokens", { name: "wall", scopes: ["commands:write", "screenshots:read"] })).body;
  const opening = live.watch("", secret as string);
  const { stream_id: streamId } = await nextLive(device, socket);
  const bytes = await picture("jpeg", 64);
  await putFrame(device, streamId, bytes);
  await opening;
  expect((await api.call("DELETE", `tokens/${id}`)).status).toBe(204);
  await eventually(async () => (await putFrame(device, streamId, bytes)).status === 410);
  await eventually(async () => (await live.audit()).length === 2);
});

test("[LIV12] a viewer that does not read gets the newest frame later and costs the service no memory", async () => {
  const clock = new FakeClock();
  await using live = await setup(clock);
  const { device, socket, api } = live;
  const stalled = await stalledViewer(api, device);
  const { stream_id: streamId } = await nextLive(device, socket);
  const bytes = Buffer.concat([await picture("jpeg", 64), Buffer.alloc(500 * 1_024)]);
  const count = 100;
  const before = bytesInUse();
  for (let frame = 0; frame < count; frame += 1) {
    expect((await putFrame(device, streamId, bytes)).status).toBe(200);
    // Time for the next one, at five frames a second.
    clock.advance(200);
  }
  // All frames together have 50 MB. The last ones may still be on their way.
  await eventually(() => bytesInUse() - before < 20e6);
  stalled.destroy();
  await eventually(async () => (await putFrame(device, streamId, bytes)).status === 410);
});

/** The memory of buffers that something still uses. */
function bytesInUse(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().arrayBuffers;
}

/** Opens a live view and does not read it. */
async function stalledViewer(api: TestService, { playerId }: Device): Promise<{ destroy(): void }> {
  const url = new URL(`${api.service.url}/api/v1/players/${playerId}/live?fps=5`);
  const sent = request(url, { headers: { authorization: `Bearer ${api.token}` } }, (response) => response.pause());
  sent.on("error", () => undefined);
  sent.end();
  return sent;
}

test("[LIV12] only so many people watch a player at once", async () => {
  const clock = new FakeClock();
  await using live = await setup(clock);
  const { device, socket } = live;
  let open = 0;
  const opening = Array.from({ length: 20 }, async () => {
    const viewer = await live.watch();
    open += 1;
    return viewer;
  });
  const { stream_id: streamId } = await nextLive(device, socket);
  const bytes = await picture("jpeg", 64);
  await eventually(async () => {
    await putFrame(device, streamId, bytes);
    clock.advance(200);
    return open === opening.length;
  });
  expect((await live.watch()).status).toBe(429);
  for (const viewer of await Promise.all(opening)) viewer.leave();
});
