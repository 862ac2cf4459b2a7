// Pictures of a real screen, from the player's Chromium to the operator: on command, at an interval, and live.
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Viewer } from "../service/live/viewer.ts";
import { temporaryFolder } from "../support/folder.ts";
import { plainImage } from "../support/media/media.ts";
import type { Rgb } from "../support/browser/framebuffer.ts";
import { eventually } from "../support/polling.ts";
import { startPlayer, startService } from "../support/programs/programs.ts";
import { startXvfb, type Xvfb } from "../support/browser/xvfb.ts";

const green: Rgb = [20, 160, 60];
const blue: Rgb = [30, 60, 200];
const corner = { left: 75, top: 0, width: 25, height: 25 };

let xvfb: Xvfb;

beforeAll(async () => {
  xvfb = await startXvfb({ width: 1920, height: 1080 });
});
afterAll(() => xvfb[Symbol.asyncDispose]());

/** A service, and a player that shows a green picture. */
async function setup() {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryFolder());
  const service = stack.use(await startService(join(folder.path, "service")));
  const { api } = service;
  const player = stack.use(startPlayer(api.url, join(folder.path, "player"), xvfb.display));
  const show = async (color: Rgb) => ({
    type: "image",
    asset_id: await api.upload("p.png", await plainImage(color)),
    duration_ms: 60_000,
    fit: "fill",
  });
  const { playlistId, layoutId } = await api.publish([await show(green)]);
  const playerId = await api.pair(player, layoutId);
  await player.line("presented");
  const owned = stack.move();
  return {
    api,
    player,
    playerId,
    /** Shows a plain picture of this colour. */
    change: async (color: Rgb) => {
      await api.ok("PATCH", `playlists/${playlistId}`, { items: [await show(color)] });
      await eventually(() => xvfb.framebuffer.pixel(960, 540).every((value, channel) => Math.abs(value - color[channel]!) <= 4));
    },
    settings: async (screenshots: object) => {
      const { desired_revision } = await api.ok("PATCH", `players/${playerId}`, { screenshots });
      await eventually(async () => (await api.ok("GET", `players/${playerId}`))["applied_revision"] === desired_revision);
    },
    image: async (screenshotId: unknown) =>
      Buffer.from(await (await api.call("GET", `screenshots/${String(screenshotId)}/image`)).arrayBuffer()),
    list: async (source: string) =>
      (await api.ok("GET", `players/${playerId}/screenshots?source=${source}`))["data"] as {
        id: string;
        command_id: string | null;
        width: number;
      }[],
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The colour of a picture at a place, in percent. */
async function colorAt(bytes: Buffer, x: number, y: number): Promise<number[]> {
  const { data, info } = await sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const from = (Math.round((y * info.height) / 100) * info.width + Math.round((x * info.width) / 100)) * info.channels;
  return [...data.subarray(from, from + 3)];
}

const near = (color: readonly number[], wanted: Rgb): boolean => color.every((value, channel) => Math.abs(value - wanted[channel]!) <= 8);

test("[PIC10] a screenshot of a real screen has the asked form and is redacted; at an interval only a changed screen is sent", async () => {
  await using run = await setup();
  const full = await run.api.command(run.playerId, "screenshot", { quality: 60 });
  expect(full).toMatchObject({ status: "succeeded", result: { width: 1920, height: 1080 } });
  const { screenshot_id, size_bytes } = full["result"] as Record<string, unknown>;
  const bytes = await eventually(async () => {
    const image = await run.image(screenshot_id);
    return image.length === size_bytes ? image : null;
  });
  expect(near(await colorAt(bytes, 90, 10), green)).toBe(true);

  await run.settings({ redact: [corner], every_s: 10, max_width: 480, only_changed: true });
  for (const format of ["jpeg", "png", "webp"]) {
    const taken = await run.api.command(run.playerId, "screenshot", { format, max_width: 640 });
    expect(taken).toMatchObject({ status: "succeeded", result: { width: 640, height: 360 } });
    const image = await eventually(async () => {
      const got = await run.image((taken["result"] as Record<string, unknown>)["screenshot_id"]);
      return got.length === (taken["result"] as Record<string, unknown>)["size_bytes"] ? got : null;
    });
    for (const [x, y] of [
      [76, 1],
      [99, 1],
      [88, 12],
      [76, 24],
    ] as const)
      expect(near(await colorAt(image, x, y), [0, 0, 0])).toBe(true);
    for (const [x, y] of [
      [73, 10],
      [88, 28],
      [10, 90],
    ] as const)
      expect(near(await colorAt(image, x, y), green)).toBe(true);
  }

  const first = await eventually(async () => {
    const list = await run.list("interval");
    return list.length === 1 ? list[0]! : null;
  });
  expect(first).toMatchObject({ command_id: null, width: 480 });
  expect(near(await colorAt(await run.image(first.id), 88, 12), [0, 0, 0])).toBe(true);
  expect(near(await colorAt(await run.image(first.id), 10, 90), green)).toBe(true);
  await run.change(blue);
  const second = await eventually(async () => {
    const list = await run.list("interval");
    return list.length === 2 ? list[0]! : null;
  });
  expect(near(await colorAt(await run.image(second.id), 10, 90), blue)).toBe(true);
  expect(await run.list("command")).toHaveLength(4);
});

test("[LIV13] a live view of a real screen shows what is on it, redacted, and its command ends when nobody watches", async () => {
  await using run = await setup();
  await run.settings({ redact: [corner] });
  const viewer = await Viewer.open(run.api.url, `players/${run.playerId}/live?fps=5&width=640`, run.api.token);
  expect(viewer.status).toBe(200);
  const frameThat = async (matches: (bytes: Buffer) => Promise<boolean>): Promise<Buffer> => {
    for (;;) {
      const part = await viewer.next();
      if (part === null) throw new Error("the live view ended");
      expect(part.type).toBe("image/jpeg");
      if (await matches(part.bytes)) return part.bytes;
    }
  };
  const frame = await frameThat(async (bytes) => near(await colorAt(bytes, 10, 90), green));
  expect((await sharp(frame).metadata()).width).toBe(640);
  expect(near(await colorAt(frame, 88, 12), [0, 0, 0])).toBe(true);
  const [, changed] = await Promise.all([run.change(blue), frameThat(async (bytes) => near(await colorAt(bytes, 10, 90), blue))]);
  expect(near(await colorAt(changed, 88, 12), [0, 0, 0])).toBe(true);
  viewer.leave();
  const ended = await eventually(async () => {
    const [live] = (await run.api.ok("GET", `players/${run.playerId}/commands?type=live`))["data"] as Record<string, unknown>[];
    return live!["status"] === "succeeded" ? live! : null;
  });
  expect(ended["result"]).toMatchObject({ reason: "unwatched" });
  expect((ended["result"] as Record<string, number>)["frames"]).toBeGreaterThan(1);
});
