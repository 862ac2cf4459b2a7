// New content that a real browser cannot show: the content before comes back.
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startXvfb, type Xvfb } from "../../support/browser/xvfb.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { plainImage } from "../../support/media/media.ts";
import { eventually } from "../../support/polling.ts";
import { startPlayer, startService } from "../../support/programs/programs.ts";

const slow = { timeout: 240_000 };
const [green, blue] = [
  [20, 160, 60],
  [30, 60, 200],
] as const;

let xvfb: Xvfb;
beforeAll(async () => {
  xvfb = await startXvfb({ width: 1280, height: 720 });
});
afterAll(() => xvfb[Symbol.asyncDispose]());

const shows = (color: readonly number[]): boolean =>
  xvfb.framebuffer.pixel(640, 360).every((value, channel) => Math.abs(value - color[channel]!) <= 4);

test("[GNR14] content that cannot be shown gives way to the content before, also after kill -9, until it is fixed", slow, async () => {
  await using folder = await temporaryFolder();
  await using service = await startService(join(folder.path, "service"));
  const { api } = service;
  const image = async (name: string, color: readonly [number, number, number]) => {
    const asset_id = await api.upload(name, await plainImage(color));
    return { type: "image", asset_id, duration_ms: 1_000, fit: "fill" };
  };
  const { playlistId, layoutId } = await api.publish([await image("green.png", green)]);
  // No server listens there.
  const dead = { type: "web", url: "http://127.0.0.1:9/", duration_ms: 1_000 };
  const data = join(folder.path, "player");
  const isReverted = async (): Promise<boolean> => {
    const { problems, in_sync } = (await api.ok("GET", `players/${playerId}`)) as unknown as {
      problems: { code: string }[];
      in_sync: boolean;
    };
    return problems.some(({ code }) => code === "content-reverted") && !in_sync;
  };
  let playerId: string;
  {
    await using player = startPlayer(api.url, data, xvfb.display);
    playerId = await api.pair(player, layoutId);
    // The second play proves that the first one worked.
    await player.line("presented");
    await player.line("presented", player.lines.length);
    await eventually(() => shows(green));
    await api.ok("PATCH", `playlists/${playlistId}`, { items: [dead] });
    await player.line(({ msg, plays }) => msg === "the newest state fails: the state before it plays" && plays === "previous");
    await eventually(() => shows(green));
    await eventually(isReverted);
    await player.kill();
  }
  await using player = startPlayer(api.url, data, xvfb.display);
  await eventually(() => shows(green));
  await eventually(isReverted);
  expect(player.lines.some(({ msg }) => /^the newest state (?:fails|plays)/.test(msg))).toBe(false);
  await api.ok("PATCH", `playlists/${playlistId}`, { items: [await image("blue.png", blue)] });
  await eventually(() => shows(blue));
  await eventually(async () => !(await isReverted()));
});
