// Schedules and overrides on the screen of a real player.
import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../support/folder.ts";
import type { Rgb } from "../../support/browser/framebuffer.ts";
import { plainImage } from "../../support/media/media.ts";
import { eventually } from "../../support/polling.ts";
import { startPlayer, startService } from "../../support/programs/programs.ts";
import { startXvfb, type Xvfb } from "../../support/browser/xvfb.ts";

const red: Rgb = [220, 30, 40];
const green: Rgb = [20, 160, 60];
const blue: Rgb = [30, 60, 200];

let xvfb: Xvfb;
beforeAll(async () => {
  xvfb = await startXvfb({ width: 1920, height: 1080 });
});
afterAll(() => xvfb[Symbol.asyncDispose]());

const shows = (color: Rgb): boolean => xvfb.framebuffer.pixel(960, 540).every((value, channel) => Math.abs(value - color[channel]!) <= 4);
const image = (assetId: string) => ({ type: "image", asset_id: assetId, duration_ms: 10_000, fit: "fill" });

test("[SCH19] a schedule appears on screen when it is due and disappears when it ends; deleted, it disappears at once", async () => {
  await using folder = await temporaryFolder();
  await using service = await startService(join(folder.path, "service"));
  const { api } = service;
  const usual = await api.publish([image(await api.upload("red.png", await plainImage(red)))]);
  const special = await api.publish([image(await api.upload("green.png", await plainImage(green)))]);
  await using player = startPlayer(api.url, join(folder.path, "player"), xvfb.display);
  const playerId = await api.pair(player, usual.layoutId);
  await eventually(() => shows(red));
  const target = { type: "player", player_id: playerId };
  const about = { name: "S", layout_id: special.layoutId, target };
  const after = (ms: number): string => new Date(Date.now() + ms).toISOString();
  await api.ok("POST", "schedules", { ...about, starts_at: after(2_000), ends_at: after(8_000) });
  await eventually(() => shows(green));
  await eventually(() => shows(red));
  const open = await api.ok("POST", "schedules", { ...about, starts_at: after(-60_000) });
  await eventually(() => shows(green));
  // The service explains why.
  await eventually(async () => {
    const [reason] = (await api.ok("GET", `players/${playerId}/now`))["why"] as Record<string, unknown>[];
    return reason?.["verdict"] === "shows" && reason["id"] === open.id;
  });
  await api.ok("DELETE", `schedules/${open.id}`);
  await eventually(() => shows(red));
}, 180_000);

test("[OVR10] on a real screen, an override shows at once, survives kill -9, and disappears when it is cleared or ends", async () => {
  await using folder = await temporaryFolder();
  await using service = await startService(join(folder.path, "service"));
  const { api } = service;
  const usual = await api.publish([image(await api.upload("red.png", await plainImage(red)))]);
  const special = await api.publish([image(await api.upload("green.png", await plainImage(green)))]);
  const blueId = await api.upload("blue.png", await plainImage(blue));
  const playerFolder = join(folder.path, "player");
  const player = startPlayer(api.url, playerFolder, xvfb.display);
  let playerId: string;
  try {
    playerId = await api.pair(player, usual.layoutId);
    await eventually(() => shows(red));
    const shown = await api.command(playerId, "override.set", { layout_id: special.layoutId });
    expect(shown).toMatchObject({ status: "succeeded", result: { override_id: shown["id"], until: null } });
    await eventually(() => shows(green));
    await player.kill();
  } finally {
    await player[Symbol.asyncDispose]();
  }
  await eventually(() => xvfb.framebuffer.pixel(960, 540).every((value) => value === 0));
  await using again = startPlayer(api.url, playerFolder, xvfb.display);
  await eventually(() => shows(green));
  expect(again.lines.some(({ msg }) => msg === "pairing code")).toBe(false);
  // A temporary override by an asset at a higher level; then the first override again, until it is cleared.
  expect(await api.command(playerId, "override.set", { asset_id: blueId, level: "emergency", duration_ms: 6_000 })).toMatchObject({
    status: "succeeded",
  });
  await eventually(() => shows(blue));
  await eventually(() => shows(green));
  expect(await api.command(playerId, "override.clear")).toMatchObject({ status: "succeeded", result: { ended: 1 } });
  await eventually(() => shows(red));
}, 180_000);

test("[OVR11] skip and pause take effect on the screen", async () => {
  await using folder = await temporaryFolder();
  await using service = await startService(join(folder.path, "service"));
  const { api } = service;
  const day = (assetId: string) => ({ ...image(assetId), duration_ms: 40_000_000 });
  const redId = await api.upload("red.png", await plainImage(red));
  const greenId = await api.upload("green.png", await plainImage(green));
  const { layoutId } = await api.publish([day(redId), day(greenId)]);
  await using player = startPlayer(api.url, join(folder.path, "player"), xvfb.display);
  const playerId = await api.pair(player, layoutId);
  await eventually(() => shows(red) || shows(green));
  const [first, second] = shows(red) ? [red, green] : [green, red];
  expect(await api.command(playerId, "skip")).toMatchObject({ status: "succeeded" });
  await eventually(() => shows(second));
  expect(shows(first)).toBe(false);
  expect(await api.command(playerId, "pause", { duration_ms: 60_000 })).toMatchObject({ status: "succeeded" });
  expect(await api.command(playerId, "resume")).toMatchObject({ status: "succeeded", result: { ended: 1 } });
  await eventually(() => shows(second));
}, 180_000);

test("[VAR8] a variable set by command or trigger activates its schedule immediately, survives kill -9, and ends when it is cleared", async () => {
  await using folder = await temporaryFolder();
  await using service = await startService(join(folder.path, "service"));
  const { api } = service;
  const usual = await api.publish([image(await api.upload("red.png", await plainImage(red)))]);
  const special = await api.publish([image(await api.upload("green.png", await plainImage(green)))]);
  const conditions = [{ type: "variable", name: "door_open", value: true }];
  const playerFolder = join(folder.path, "player");
  const player = startPlayer(api.url, playerFolder, xvfb.display);
  let playerId: string;
  const reported = async () => (await api.ok("GET", `players/${playerId}`))["reported_variables"];
  try {
    playerId = await api.pair(player, usual.layoutId);
    const target = { type: "player", player_id: playerId };
    const starts_at = new Date(Date.now() - 60_000).toISOString();
    await api.ok("POST", "schedules", { name: "S", layout_id: special.layoutId, target, starts_at, conditions });
    await eventually(() => shows(red));
    expect(await api.command(playerId, "variables.set", { variables: { door_open: true } })).toMatchObject({ status: "succeeded" });
    await eventually(() => shows(green));
    await eventually(async () => ((await reported()) as Record<string, unknown> | null)?.["door_open"] === true);
    await player.kill();
  } finally {
    await player[Symbol.asyncDispose]();
  }
  await eventually(() => xvfb.framebuffer.pixel(960, 540).every((value) => value === 0));
  await using _again = startPlayer(api.url, playerFolder, xvfb.display, ["--triggers"]);
  await eventually(() => shows(green));
  expect(await api.command(playerId, "variables.clear")).toMatchObject({ status: "succeeded", result: { ended: 1 } });
  await eventually(() => shows(red));
  // A sensor sets the variable for as long as the door is open.
  const sensor = request({ socketPath: join(playerFolder, "triggers/socket"), method: "POST", path: "/variables" });
  sensor.end(JSON.stringify({ variables: { door_open: true }, duration_ms: 5_000 }));
  const [response] = (await once(sensor, "response")) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  await eventually(() => shows(green));
  await eventually(async () => ((await reported()) as Record<string, unknown> | null)?.["door_open"] === true);
  await eventually(() => shows(red));
}, 180_000);
