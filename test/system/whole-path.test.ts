// The whole path with one real service and one real player: pairing, content, commands, screenshots, faults, changes, kill -9.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { rootFolder } from "../../src/main/folders.ts";
import { readShowConfig, runShow } from "../../src/main/show/show.ts";
import type { Rgb } from "../support/browser/framebuffer.ts";
import { startXvfb, type Xvfb } from "../support/browser/xvfb.ts";
import { temporaryFolder } from "../support/folder.ts";
import { frameOnScreen, numberedVideo, plainImage } from "../support/media/media.ts";
import { startWebServer } from "../support/network/web-server.ts";
import { pdfOf } from "../support/media/pdf.ts";
import { eventually } from "../support/polling.ts";
import { chromiumProcesses } from "../support/programs/chromium-processes.ts";
import { type Api, Program, startPlayer, startService } from "../support/programs/programs.ts";
import { createLog } from "../support/recording-log.ts";
import { expectNoSurvivors } from "../support/programs/survivors.ts";

const red: Rgb = [220, 30, 40];
const green: Rgb = [20, 160, 60];
const blue: Rgb = [30, 60, 200];
const size = { width: 1280, height: 720 };
const longestMs = 600_000;

const owned = new AsyncDisposableStack();
let xvfb: Xvfb;
let folder: string;
let service: Program;
let api: Api;
let player: Program;
let playerId: string;
let playlistId: string;

// All tests use the same player, in the order of this file; the last ones end the service and kill the player.
beforeAll(async () => {
  xvfb = owned.use(await startXvfb(size));
  folder = owned.use(await temporaryFolder()).path;
  ({ program: service, api } = owned.use(await startService(join(folder, "signage-player/service"))));
  player = owned.use(startPlayer(api.url, join(folder, "player"), xvfb.display));
});
afterAll(() => owned.disposeAsync());

function shows(color: Rgb, x = 640, y = 60): boolean {
  return xvfb.framebuffer.pixel(x, y).every((value, channel) => Math.abs(value - color[channel]!) < 12);
}

const item = (type: string, assetId: string, durationMs: number) => ({ type, asset_id: assetId, duration_ms: durationMs, fit: "fill" });
const image = async (color: Rgb, durationMs: number, ...resolution: number[]) =>
  item("image", await api.upload("picture.png", await plainImage(color, ...resolution)), durationMs);
const setItems = (items: readonly object[]) => api.ok("PATCH", `playlists/${playlistId}`, { items });
const plays = (): number => player.lines.filter(({ msg }) => msg === "presented").length;

/** A picture whose quarters are red, green, blue and red. */
function quarters(): Promise<Buffer> {
  const quarter = (background: string) => ({ create: { width: 640, height: 360, channels: 3, background } }) as const;
  return sharp({ create: { ...size, channels: 3, background: "#dc1e28" } })
    .composite([
      { input: quarter("#14a03c"), left: 640, top: 0 },
      { input: quarter("#1e3cc8"), left: 0, top: 360 },
    ])
    .png()
    .toBuffer();
}

// An X server shows a frame part by part.
const showsQuarters = (): boolean => shows(green, 960, 180) && shows(blue, 320, 700) && shows(red, 960, 700);

test("[SYS1] a fresh player shows a code, is paired, and shows an image and a video on the screen", async () => {
  const shown = await player.line(({ msg, code }) => msg === "screen shown" && code !== undefined);
  const { code } = await player.line("pairing code");
  expect(shown["code"]).toBe(code);
  expect(code).toMatch(/^[B-DF-HJ-NP-TV-Z]{4}-[B-DF-HJ-NP-TV-Z]{4}$/);

  const videoId = await api.upload("video.mp4", await numberedVideo(2));
  const published = await api.publish([await image(red, 1_500), item("video", videoId, 2_000)]);
  playlistId = published.playlistId;
  playerId = await api.pair(player, published.layoutId);
  expect((await player.line("paired"))["player_id"]).toBe(playerId);
  await eventually(() => shows(red));
  const frames = new Set<number>();
  await eventually(() => {
    const frame = frameOnScreen(xvfb.framebuffer);
    if (frame !== null) frames.add(frame);
    return frames.size >= 5;
  });
  expect((await player.line(({ msg, asset_id }) => msg === "presented" && asset_id === videoId))["item_id"]).toMatch(/^itm_/);
  const about = await eventually(async () => {
    const seen = await api.ok("GET", `players/${playerId}`);
    return seen["in_sync"] === true ? seen : null;
  });
  expect(about).toMatchObject({ status: "online", name: "Lobby", resolution: size });
  expect(player.lines.filter(({ msg }) => msg === "state applied").map(({ revision }) => revision)).toContain(about["desired_revision"]);
});

test("[WFR15] a picture larger than its zone and a PDF, both rendered by workers, are on the real screen", async () => {
  const pdf = { type: "pdf", asset_id: await api.upload("page.pdf", pdfOf([blue])), duration_ms: 2_000 };
  await setItems([await image(green, 2_000, 1_920, 1_080), pdf]);
  // Without its worker neither would ever be shown.
  for (const color of [green, blue, green]) await eventually(() => shows(color));
  // A busy machine may not have an item ready in time at first.
  const faults = player.lines.filter(({ msg, code }) => /could not be shown|reports a fault/.test(msg) && code !== "timeout");
  expect(faults).toEqual([]);
});

test("[SYS3] the screenshot returned by a command shows the content of the screen", async () => {
  await setItems([item("image", await api.upload("quarters.png", await quarters()), longestMs)]);
  await eventually(showsQuarters);
  const { width, height } = xvfb.framebuffer;
  const glass = xvfb.framebuffer.rgb();
  for (const [args, resolution] of [
    [{}, { width, height }],
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
    expect({ width: info.width, height: info.height }).toEqual(resolution);
    const wanted = await sharp(glass, { raw: { width, height, channels: 3 } })
      .resize(info.width, info.height)
      .raw()
      .toBuffer();
    const difference = data.reduce((sum, value, index) => sum + Math.abs(value - wanted[index]!), 0) / data.length;
    // Mean difference of a channel: JPEG at quality 90 stays below one step in 256.
    expect(difference).toBeLessThan(1);
  }
  const { data } = (await api.ok("GET", `players/${playerId}/screenshots`)) as unknown as { data: { created_at: string }[] };
  const times = data.map(({ created_at }) => created_at);
  expect(times).toHaveLength(2);
  expect(times).toEqual(times.toSorted().toReversed());
});

test("[SYS4] the commands identify, reload and restart are executed and reported", async () => {
  // The second identify replaces the first one and ends after a second.
  for (const [duration_ms, isOver] of [
    [longestMs, false],
    [1_000, true],
  ] as const) {
    expect(await api.command(playerId, "identify", { duration_ms })).toMatchObject({ status: "succeeded" });
    await eventually(() => showsQuarters() === isOver);
  }
  for (const type of ["reload", "restart"]) {
    const from = player.lines.length;
    expect(await api.command(playerId, type)).toMatchObject({ status: "succeeded" });
    await player.line("presented", from);
    await eventually(showsQuarters);
  }
  expect(await api.call("POST", `players/${playerId}/commands`, { type: "fly", args: {} })).toMatchObject({ status: 422 });
});

test("[FST6] the commands of the README and of docs/api.md for showing one's own picture work as written", async () => {
  const run = promisify(execFile);
  await using site = await startWebServer("127.0.0.7", { "/": "<h1>A page</h1>" });
  const readme = await readFile(join(rootFolder, "README.md"), "utf8");
  const apiPage = await readFile(join(rootFolder, "docs/api.md"), "utf8");
  const sections = [
    readme.slice(readme.indexOf("## Your own picture"), readme.indexOf("## On a real screen")),
    apiPage.slice(apiPage.indexOf("## Show a picture with curl")),
  ];
  const commands = sections.flatMap((section) => [...section.matchAll(/```\n(.*?)```/gs)].map(([, text]) => text!));
  expect(commands).toHaveLength(2);
  // The default port may be in use here, and there is no internet. The folders are the default ones.
  const placed = commands
    .join("\n")
    .replaceAll("http://127.0.0.1:8080", api.url)
    .replaceAll("https://example.org", `${site.origin}/`)
    .replaceAll("npm run show --", `npm run show -- --wait 5m --server ${api.url}`)
    .replaceAll("~/.local/share", folder);
  const env = { ...process.env, XDG_DATA_HOME: folder, XDG_STATE_HOME: join(folder, "state") };
  // It stops at the first command that fails: each of the three was seen on the screen.
  const { stdout } = await run("bash", ["-euo", "pipefail", "-c", placed], { cwd: rootFolder, env });
  expect(stdout.match(/every screen has shown it/g)).toHaveLength(3);
  const shown = (await api.ok("GET", "show"))["data"] as { id: string; status: string; asset_id: string | null }[];
  // Four shows, of which three were cleared.
  expect(shown.map(({ status }) => status)).toEqual(["due", "cleared", "cleared", "cleared"]);
  expect(shown[0]!.asset_id).toMatch(/^ast_/);
  await api.ok("DELETE", `show/${shown[0]!.id}`);
  await eventually(showsQuarters);
});

test("[FST11] with a real player, an address that does not resolve is never called shown", async () => {
  const at = ["--server", api.url, "--token-file", join(folder, "signage-player/service/admin-token")];
  // Where the command notes its shows.
  vi.stubEnv("XDG_STATE_HOME", join(folder, "state"));
  const { log, lines } = createLog();
  const showing = runShow(readShowConfig(["http://nowhere.invalid/", "--wait", "5m", ...at]), log, new AbortController().signal);
  await expect(showing.finally(() => vi.unstubAllEnvs())).rejects.toMatchObject({
    code: "refused",
    message: expect.stringContaining("0 of 1 screens have shown it"),
  });
  expect(lines.at(-1)).toMatchObject({ name: "Lobby", why: expect.stringContaining("cannot be resolved"), msg: "failed" });
  expect(lines.map(({ msg }) => msg)).not.toContain("shown");
  await api.ok("DELETE", `show/${String(lines.find(({ show_id }) => show_id !== undefined)!["show_id"])}`);
  await eventually(showsQuarters);
});

test("[REC3] after the browser receives SIGKILL the content comes back by itself, and the fault is logged", async () => {
  const from = player.lines.length;
  for (const pid of await chromiumProcesses(player, "browser")) process.kill(pid, "SIGKILL");
  await player.line("rendering failed", from);
  await player.line("presented", player.lines.length);
  await eventually(showsQuarters);
  // It is still the same run of the player.
  expect(player.lines.slice(from).some(({ msg }) => msg === "already paired")).toBe(false);
});

test("[REC4] a heartbeat reports that the screen is rendering, and the items on it", async () => {
  // The latest heartbeat may be from a moment without frames, or of the show that failed.
  await eventually(async () => {
    const seen = await api.ok("GET", `players/${playerId}/now`);
    const isApplied = (seen["content"] as { is: string } | null)?.is === "applied";
    return isApplied && seen["rendering"] === true && (seen["now_playing"] as unknown[]).length > 0;
  });
});

test("[PRG5] a second player on the same data folder is rejected, and the first one continues", async () => {
  const data = join(folder, "player");
  await using second = startPlayer(api.url, data, xvfb.display);
  expect(await second.exitCode).toBe(1);
  expect(second.output).toContain(`another program uses ${data}`);
  expect(await api.command(playerId, "ping")).toMatchObject({ status: "succeeded" });
  expect(showsQuarters()).toBe(true);
});

test("[SYS2] an identical update restarts nothing; an update is shown; a lost service changes nothing on the screen", async () => {
  // [PLB5] The service sends what it has changed before the command, so the player has had both when the command has ended.
  const before = plays();
  const { items } = await api.ok("GET", `playlists/${playlistId}`);
  await setItems(items as object[]);
  expect(await api.command(playerId, "ping")).toMatchObject({ status: "succeeded" });
  expect(plays()).toBe(before);

  // [PLB7] The item on screen is removed: the new one is shown immediately.
  await setItems([await image(blue, 1_500), await image(green, 1_500)]);
  await eventually(() => shows(blue) || shows(green));
  await eventually(async () => (await api.ok("GET", `players/${playerId}`))["in_sync"] === true);
  await service.kill();
  for (const color of [blue, green, blue, green]) await eventually(() => shows(color));
});

test("[KIL1] a player that is killed leaves no browser, and its window disappears", async () => {
  await expectNoSurvivors(player, ["chrom"]);
  await eventually(() => xvfb.framebuffer.pixel(640, 360).every((value) => value === 0));
});

test("[SYS2] after kill -9 the player needs no new pairing, and shows its content without the service", async () => {
  await using again = startPlayer(api.url, join(folder, "player"), xvfb.display);
  for (const color of [blue, green]) await eventually(() => shows(color));
  expect(again.lines.some(({ msg }) => msg === "pairing code")).toBe(false);
  expect(await again.stop("SIGTERM")).toBe(0);
});
