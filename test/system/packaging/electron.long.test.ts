// The bundled Electron player on the stand-in for Electron's binary, with a real service.
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rootFolder } from "../../../src/main/folders.ts";
import { eventually } from "../../support/polling.ts";
import { bundleProgramsIfStale } from "../../support/programs/bundle.ts";
import {
  sendTestEvent,
  realBinary,
  recorded,
  startElectronPlayer,
  startOnStandIn,
  startSupervisedPlayer,
} from "../../support/programs/electron-player.ts";
import { temporaryFolder } from "../../support/folder.ts";
import type { Rgb } from "../../support/browser/framebuffer.ts";
import { plainImage } from "../../support/media/media.ts";
import { Api, type Program, startService } from "../../support/programs/programs.ts";
import { startXvfb, type Xvfb } from "../../support/browser/xvfb.ts";
import { killAll, pidListeningOn, processesNaming } from "../../host/processes.ts";

const red: Rgb = [220, 30, 40];
const blue: Rgb = [30, 60, 200];
const green: Rgb = [20, 160, 60];
const mediaProgram = join(rootFolder, "dist/main/media-child.js");

let xvfb: Xvfb;

// Tests that need the stand-in.
const standInTest = test.skipIf(realBinary !== null);

beforeAll(async () => {
  await bundleProgramsIfStale();
  xvfb = await startXvfb({ width: 1280, height: 720 });
});
afterAll(() => xvfb[Symbol.asyncDispose]());

/** Waits until the middle and the corners of the screen have this color. */
function shows(color: Rgb, { width, height } = { width: 1280, height: 720 }): Promise<boolean> {
  const { framebuffer } = xvfb;
  const points = [
    [0, 0],
    [width - 1, 0],
    [width - 1, height - 1],
    [0, height - 1],
    [width / 2, height / 2],
  ] as const;
  return eventually(() => points.every(([x, y]) => framebuffer.pixel(x, y).every((value, at) => Math.abs(value - color[at]!) <= 4)));
}

const image = (assetId: string) => ({ type: "image", asset_id: assetId, duration_ms: 600_000, fit: "fill" });

/** The API of a player's embedded service. */
async function embeddedApi(player: Program, folder: string): Promise<Api> {
  const { url } = await player.line("listening");
  return new Api(String(url), (await readFile(join(folder, "player/service/admin-token"), "utf8")).trim());
}

async function publish(api: Api, player: Program, color: Rgb): Promise<{ playerId: string; playlistId: string }> {
  const { playlistId, layoutId } = await api.publish([image(await api.upload("one.png", await plainImage(color)))]);
  return { playerId: await api.pair(player, layoutId), playlistId };
}

test("[ELE1] on Electron a player is paired, plays, updates, takes a screenshot, repairs its page and exits with 0", async () => {
  await using serviceFolder = await temporaryFolder();
  await using service = await startService(serviceFolder.path);
  const { api } = service;
  await using folder = await temporaryFolder();
  const at = folder.path;
  await using player = startElectronPlayer(at, xvfb.display, ["--server", api.url]);
  expect((await player.line("pairing code"))["code"]).toMatch(/^[B-DF-HJ-NP-TV-Z]{4}-[B-DF-HJ-NP-TV-Z]{4}$/);
  const { playerId, playlistId } = await publish(api, player, red);
  await shows(red);

  await api.ok("PATCH", `playlists/${playlistId}`, { items: [image(await api.upload("two.png", await plainImage(blue)))] });
  await shows(blue);

  const command = await api.command(playerId, "screenshot");
  expect(command).toMatchObject({ status: "succeeded" });
  const { screenshot_id: id } = command["result"] as { screenshot_id: string };
  const bytes = Buffer.from(await (await api.call("GET", `screenshots/${id}/image`)).arrayBuffer());
  const picture = sharp(bytes);
  expect(await picture.metadata()).toMatchObject({ width: 1280, height: 720 });
  const { channels } = await picture.stats();
  for (const [channel, { mean }] of channels.entries()) expect(Math.abs(mean - blue[channel]!)).toBeLessThan(4);

  // The page's process is killed, then a helper of the browser: the picture comes back each time.
  const kill = async (type: string): Promise<void> =>
    killAll((await processesNaming(at)).filter((one) => one.type === type).map(({ pid }) => pid));
  await kill("renderer");
  await player.line(({ msg, fault }) => msg === "browser fault" && fault === "page-crashed");
  await shows(blue);
  const from = player.lines.length;
  await kill("gpu-process");
  expect(await player.line("a process of the browser ended", from)).toMatchObject({ type: "GPU" });
  await shows(blue);
  expect(player.lines.slice(from).filter(({ msg }) => msg === "browser fault")).toEqual([]);

  expect(await player.stop("SIGTERM")).toBe(0);
  expect(player.lines.filter(({ level }) => level === "fatal" || level === "error").map(({ msg }) => msg)).toEqual(["rendering failed"]);
  await eventually(async () => (await processesNaming(at)).length === 0);
  if (realBinary === null) {
    const ends = recorded(at).filter(({ call }) => ["before-quit", "close", "app.exit"].includes(call));
    // Quitting is prevented, so that the window stays open while the player stops.
    expect(ends).toEqual([
      { call: "before-quit", prevented: true },
      { call: "app.exit", code: 0 },
    ]);
  }
});

test("[ELE2] the embedded service runs after each start, on another port if its own is in use, and is restarted when it dies", async () => {
  await using folder = await temporaryFolder();
  const at = folder.path;
  let port: number;
  {
    await using first = startElectronPlayer(at, xvfb.display);
    const api = await embeddedApi(first, at);
    port = Number(new URL(api.url).port);
    await publish(api, first, green);
    await shows(green);
    // Electron's main process forks the service's media processes, because the package cannot run Node programs.
    expect(await processesNaming(mediaProgram)).toHaveLength(1);
    expect(await first.stop("SIGINT")).toBe(0);
    expect(await processesNaming(mediaProgram)).toEqual([]);
  }
  {
    await using second = startElectronPlayer(at, xvfb.display);
    const api = await embeddedApi(second, at);
    expect(Number(new URL(api.url).port)).toBe(port);
    await second.line("already paired");
    await shows(green);

    // The service is killed: the picture stays, and the service restarts on the same port.
    const from = second.lines.length;
    process.kill(await pidListeningOn(port), "SIGKILL");
    expect(await second.line("listening", from)).toMatchObject({ url: api.url });
    await shows(green);
    expect(await second.stop("SIGHUP")).toBe(0);
  }
  const taken = createServer().listen(port, "127.0.0.1");
  await once(taken, "listening");
  try {
    await using third = startElectronPlayer(at, xvfb.display);
    const api = await embeddedApi(third, at);
    expect(Number(new URL(api.url).port)).not.toBe(port);
    await shows(green);
    expect(third.lines.some(({ msg }) => msg === "pairing code")).toBe(false);
    const { data } = (await api.ok("GET", "players")) as unknown as { data: { id: string }[] };
    await eventually(async () => (await api.ok("GET", `players/${data[0]!.id}`))["status"] === "online");
    expect(await third.stop("SIGTERM")).toBe(0);
  } finally {
    taken.close();
  }
  await eventually(async () => (await processesNaming(at)).length === 0);
});

standInTest("[ELE5] the window follows its display, and is reopened when its DevTools connection is lost", async () => {
  await using serviceFolder = await temporaryFolder();
  await using service = await startService(serviceFolder.path);
  await using folder = await temporaryFolder();
  const at = folder.path;
  await using player = startElectronPlayer(at, xvfb.display, ["--server", service.api.url]);
  await publish(service.api, player, red);
  await shows(red);

  // Of the layout's proportions, so that the picture fills it.
  const smaller = { width: 960, height: 540 };
  sendTestEvent(at, { is: "display", ...smaller });
  await eventually(() => xvfb.framebuffer.pixel(1_000, 700).every((value) => value === 0));
  await shows(red, smaller);
  sendTestEvent(at, { is: "display", width: 1280, height: 720 });
  await shows(red);

  const from = player.lines.length;
  sendTestEvent(at, { is: "detach", reason: "replaced_with_devtools" });
  expect(await player.line("browser fault", from)).toMatchObject({
    fault: "browser-exited",
    detail: expect.stringContaining("replaced"),
  });
  await player.line("presented", from);
  await shows(red);
  expect(await player.stop("SIGTERM")).toBe(0);
});

standInTest(
  "[ELE6] the tests' stand-in for Electron never becomes ready if an app awaits its readiness at top level, just like Electron",
  async () => {
    await using folder = await temporaryFolder();
    const app = join(import.meta.dirname, "../../support/electron/apps/waits-at-top-level.ts");
    const program = startOnStandIn(app, folder.path, xvfb.display);
    try {
      await program.line("evaluating");
      // Another app became ready in the meantime, so this one never will.
      await using other = startElectronPlayer(folder.path, xvfb.display, ["--server", "http://127.0.0.1:9"]);
      await other.line("screen shown");
      expect(program.lines.map(({ msg }) => msg)).toEqual(["evaluating"]);
    } finally {
      await program.kill();
    }
  },
);

test("[ELE7] if Electron hangs, its parent process restarts it; if the parent is killed, Electron exits", async () => {
  await using serviceFolder = await temporaryFolder();
  await using service = await startService(serviceFolder.path);
  await using folder = await temporaryFolder();
  await using program = startSupervisedPlayer(folder.path, xvfb.display, ["--server", service.api.url]);
  await publish(service.api, program, green);
  await shows(green);

  const from = program.lines.length;
  const [electron] = (await processesNaming("--data=")).filter(({ parent }) => parent === program.pid);
  process.kill(electron!.pid, "SIGSTOP");
  await program.line("restarting Electron", from);
  await program.line("presented", from);
  await shows(green);

  await program.kill();
  await eventually(async () => (await processesNaming(folder.path)).length === 0);
  await eventually(() => xvfb.framebuffer.pixel(640, 360).every((value) => value === 0));
});
