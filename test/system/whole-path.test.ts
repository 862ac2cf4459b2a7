// The whole path with real programs: pairing, content, changes, screenshots, commands.
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../support/folder.ts";
import type { Framebuffer, Rgb } from "../support/browser/framebuffer.ts";
import { frameOnScreen, numberedVideo, plainImage } from "../support/media/media.ts";
import { eventually } from "../support/polling.ts";
import { startPlayer, startService } from "../support/programs/programs.ts";
import { startXvfb, type Xvfb } from "../support/browser/xvfb.ts";

const red: Rgb = [220, 30, 40];
const green: Rgb = [20, 160, 60];
const blue: Rgb = [30, 60, 200];
const fps = 30;

let xvfb: Xvfb;
let video: Buffer;

beforeAll(async () => {
  xvfb = await startXvfb({ width: 1920, height: 1080 });
  video = await numberedVideo(20, fps);
});
afterAll(() => xvfb[Symbol.asyncDispose]());

function shows(framebuffer: Framebuffer, color: Rgb, x = 960, y = 540): boolean {
  return framebuffer.pixel(x, y).every((value, channel) => Math.abs(value - color[channel]!) <= 4);
}

const image = (assetId: string, durationMs: number) => ({ type: "image", asset_id: assetId, duration_ms: durationMs, fit: "fill" });

test("[SYS1] a fresh player shows a code, is paired, and shows an image and a video on the screen", async () => {
  await using folder = await temporaryFolder();
  await using service = await startService(join(folder.path, "service"));
  const { api } = service;
  await using player = startPlayer(api.url, join(folder.path, "player"), xvfb.display);
  const shown = await player.line(({ msg, code }) => msg === "screen shown" && code !== undefined);
  const { code } = await player.line("pairing code");
  expect(shown["code"]).toBe(code);
  expect(code).toMatch(/^[B-DF-HJ-NP-TV-Z]{4}-[B-DF-HJ-NP-TV-Z]{4}$/);

  const redId = await api.upload("red.png", await plainImage(red));
  const videoId = await api.upload("video.mp4", video);
  const { layoutId } = await api.publish([image(redId, 1_500), { type: "video", asset_id: videoId, duration_ms: 2_000, fit: "fill" }]);
  const playerId = await api.pair(player, layoutId);
  expect((await player.line("paired"))["player_id"]).toBe(playerId);
  await eventually(() => shows(xvfb.framebuffer, red));
  const frames = new Set<number>();
  await eventually(() => {
    const frame = frameOnScreen(xvfb.framebuffer);
    if (frame !== null) frames.add(frame);
    return frames.size >= 10;
  });
  expect((await player.line(({ msg, asset_id }) => msg === "presented" && asset_id === videoId))["item_id"]).toMatch(/^itm_/);
  const { revision } = await player.line("state applied");
  const about = await eventually(async () => {
    const seen = await api.ok("GET", `players/${playerId}`);
    return seen["in_sync"] === true ? seen : null;
  });
  expect(about).toMatchObject({ status: "online", name: "Lobby", resolution: { width: 1920, height: 1080 } });
  expect(player.lines.filter(({ msg }) => msg === "state applied").map((line) => line["revision"])).toContain(about["desired_revision"]);
  expect(revision).toBeTypeOf("string");
});

test("[SYS2] an update is shown; an identical update restarts nothing; a lost service changes nothing on the screen; after kill -9 the player needs no new pairing", async () => {
  await using folder = await temporaryFolder();
  const serviceFolder = join(folder.path, "service");
  const playerFolder = join(folder.path, "player");
  const service = await startService(serviceFolder);
  const { api } = service;
  const videoId = await api.upload("video.mp4", video);
  const blueId = await api.upload("blue.png", await plainImage(blue));
  const greenId = await api.upload("green.png", await plainImage(green));
  // A day long, so that its next play does not begin during the test.
  const longVideo = { type: "video", asset_id: videoId, duration_ms: 86_400_000, fit: "fill" };
  const { playlistId, layoutId } = await api.publish([longVideo]);
  const player = startPlayer(api.url, playerFolder, xvfb.display);
  try {
    await api.pair(player, layoutId);
    const frame = () => frameOnScreen(xvfb.framebuffer);
    const before = await eventually(frame);
    await player.line("presented");

    // [PLB5] An identical PATCH: the video continues, and no play begins.
    const plays = () => player.lines.filter(({ msg }) => msg === "presented").length;
    const playsBefore = plays();
    const { items } = await api.ok("GET", `playlists/${playlistId}`);
    await api.ok("PATCH", `playlists/${playlistId}`, { items });
    await api.ok("PATCH", `playlists/${playlistId}`, { items: [longVideo] });
    const after = await eventually(() => {
      const now = frame();
      return now !== null && now !== before ? now : null;
    });
    const framesSince = (earlier: number, now: number) => (now - earlier + 20 * fps) % (20 * fps);
    expect(framesSince(before, after)).toBeLessThan(10 * fps);
    await eventually(() => {
      const now = frame();
      return now !== null && framesSince(after, now) > 15;
    });
    expect(plays()).toBe(playsBefore);

    // [PLB7] The item on screen is removed: the new one is shown immediately.
    await api.ok("PATCH", `playlists/${playlistId}`, { items: [image(blueId, 700), image(greenId, 700)] });
    await eventually(() => shows(xvfb.framebuffer, blue) || shows(xvfb.framebuffer, green));

    // The service dies: both pictures keep alternating.
    await service.program.kill();
    for (const color of [blue, green, blue, green]) await eventually(() => shows(xvfb.framebuffer, color));

    // The player dies, and is restarted while the service is still down.
    await player.kill();
  } finally {
    await player[Symbol.asyncDispose]();
  }
  await eventually(() => xvfb.framebuffer.pixel(960, 540).every((value) => value === 0));
  await using again = startPlayer(api.url, playerFolder, xvfb.display);
  for (const color of [blue, green]) await eventually(() => shows(xvfb.framebuffer, color));
  expect(again.lines.some(({ msg }) => msg === "pairing code")).toBe(false);
});

test("[SYS3] the screenshot returned by a command shows the content of the screen", async () => {
  await using folder = await temporaryFolder();
  await using service = await startService(join(folder.path, "service"));
  const { api } = service;
  const quarters = await sharp({ create: { width: 1920, height: 1080, channels: 3, background: "#dc1e28" } })
    .composite([
      { input: { create: { width: 960, height: 540, channels: 3, background: "#14a03c" } }, left: 960, top: 0 },
      { input: { create: { width: 960, height: 540, channels: 3, background: "#1e3cc8" } }, left: 0, top: 540 },
    ])
    .png()
    .toBuffer();
  const { layoutId } = await api.publish([image(await api.upload("quarters.png", quarters), 10_000)]);
  await using player = startPlayer(api.url, join(folder.path, "player"), xvfb.display);
  const playerId = await api.pair(player, layoutId);
  // An X server shows a frame part by part.
  await eventually(
    () =>
      shows(xvfb.framebuffer, green, 1_440, 270) && shows(xvfb.framebuffer, blue, 480, 1_050) && shows(xvfb.framebuffer, red, 1_440, 1_050),
  );
  const { width, height } = xvfb.framebuffer;
  const glass = xvfb.framebuffer.rgb();

  for (const [args, size] of [
    [{}, { width, height }],
    [{ format: "png" }, { width, height }],
    [
      { format: "webp", max_width: 640 },
      { width: 640, height: 360 },
    ],
  ] as const) {
    const command = await api.command(playerId, "screenshot", args);
    expect(command).toMatchObject({ status: "succeeded", error: null });
    const { screenshot_id: id } = command["result"] as { screenshot_id: string };
    const response = await api.call("GET", `screenshots/${id}/image`);
    const picture = sharp(Buffer.from(await response.arrayBuffer()));
    const { data, info } = await picture.removeAlpha().raw().toBuffer({ resolveWithObject: true });
    expect({ width: info.width, height: info.height }).toEqual(size);
    const wanted = await sharp(glass, { raw: { width, height, channels: 3 } })
      .resize(info.width, info.height)
      .raw()
      .toBuffer();
    const difference = data.reduce((sum, value, index) => sum + Math.abs(value - wanted[index]!), 0) / data.length;
    // Mean difference of a channel: JPEG at quality 90 stays below one step in 256.
    expect(difference).toBeLessThan(1);
  }
  const { data } = (await api.ok("GET", `players/${playerId}/screenshots`)) as unknown as { data: { created_at: string }[] };
  expect(data).toHaveLength(3);
  expect(data.map(({ created_at }) => created_at)).toEqual(
    data
      .map(({ created_at }) => created_at)
      .toSorted()
      .toReversed(),
  );
});

test("[SYS4] the commands identify, reload and restart are executed and reported", async () => {
  await using folder = await temporaryFolder();
  await using service = await startService(join(folder.path, "service"));
  const { api } = service;
  const { layoutId } = await api.publish([image(await api.upload("red.png", await plainImage(red)), 10_000)]);
  await using player = startPlayer(api.url, join(folder.path, "player"), xvfb.display);
  const playerId = await api.pair(player, layoutId);
  await eventually(() => shows(xvfb.framebuffer, red));

  expect(await api.command(playerId, "identify", { duration_ms: 1_000 })).toMatchObject({ status: "succeeded" });
  await eventually(() => !shows(xvfb.framebuffer, red));
  await eventually(() => shows(xvfb.framebuffer, red));

  for (const type of ["reload", "restart"]) {
    const from = player.lines.length;
    expect(await api.command(playerId, type)).toMatchObject({ status: "succeeded" });
    await player.line("presented", from);
    await eventually(() => shows(xvfb.framebuffer, red));
  }
  expect(await api.call("POST", `players/${playerId}/commands`, { type: "fly", args: {} })).toMatchObject({ status: 422 });
});
