// A live view whose viewers and player are at different nodes.
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually, waitUntil } from "../../support/polling.ts";
import { startPostgres, type TestPostgres } from "../../support/postgres.ts";
import { picture } from "../harness.ts";
import { nextLive, putFrame, Viewer } from "../live/viewer.ts";
import { startTwoServices } from "./two-services.ts";

let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres[Symbol.asyncDispose]());

test("[NDL9] viewers at two nodes share the stream of a player that is at one of them, until its end, and until the last of them has left", async () => {
  await using two = await startTwoServices(postgres);
  const { a, b } = two;
  const device = await b.pairDevice();
  const socket = await device.connect();
  await waitUntil("A knows that it is online", async () => (await a.call("GET", `players/${device.playerId}`)).body.status === "online");
  const watch = (node: typeof a, query: string) => Viewer.open(node.service.url, `players/${device.playerId}/live${query}`, a.token);
  const [one, other] = [await picture("jpeg", 64), await picture("jpeg", 96)];
  // The player is at B, its first viewer at A.
  const opening = watch(a, "?fps=5&width=640&quality=50");
  // Nodes hear of each other within a second, on a busy machine later.
  const next = () => eventually(() => nextLive(device, socket).catch(() => null));
  const first = await next();
  expect((await putFrame(device, first.stream_id, one)).body).toEqual({ is: "continue", max_fps: 5, max_width: 640, quality: 50 });
  const atA = await opening;
  expect(await atA.next()).toEqual({ type: "image/jpeg", bytes: one });
  // A second viewer, at B: the player is asked for what either of them wants, and starts no other stream.
  const openingB = watch(b, "?fps=1.5&width=960&quality=60");
  await waitUntil("B joins", async () => (await putFrame(device, first.stream_id, other)).body.max_width === 960);
  const atB = await openingB;
  expect((await atB.next())!.bytes).toEqual(other);
  // Its viewers get at most as many frames a second as they have asked for.
  await new Promise((resolve) => setTimeout(resolve, 300));
  await putFrame(device, first.stream_id, other);
  for (let part = await atA.next(); !part!.bytes.equals(other);) part = await atA.next();
  expect(await socket.receivesNo("command")).toBe(true);
  atA.leave();
  await waitUntil("A wants no more", async () => (await putFrame(device, first.stream_id, one)).body.max_fps === 1.5);
  atB.leave();
  await waitUntil("nobody watches", async () => (await putFrame(device, first.stream_id, one)).status === 410);
  // The player ends the next one, by way of B.
  const again = watch(a, "");
  const second = await next();
  await putFrame(device, second.stream_id, one);
  const viewer = await again;
  const result = { reason: "no-picture", detail: "The display is off" };
  await device.call("POST", `commands/${second.commandId}/status`, { status: "succeeded", result, error: null });
  for (let part = await viewer.next(); ; part = await viewer.next()) {
    if (part!.type !== "application/json") continue;
    expect(JSON.parse(part!.bytes.toString())).toEqual({ code: "no-picture", detail: "The display is off" });
    break;
  }
});
