// The bundled Electron player on the stand-in for Electron's binary: how it starts, with its own service, and how it ends.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rootFolder } from "../../../src/main/folders.ts";
import { chromiumFlags, sharedSwitches } from "../../../src/host/chromium/flags.ts";
import { hasGpu } from "../../../src/host/linux/gpu.ts";
import { startXvfb, type Xvfb } from "../../support/browser/xvfb.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { plainImage } from "../../support/media/media.ts";
import { eventually } from "../../support/polling.ts";
import { bundleProgramsIfStale } from "../../support/programs/bundle.ts";
import {
  realBinary,
  recorded,
  startElectronPlayer,
  startOnStandIn,
  startSupervisedPlayer,
} from "../../support/programs/electron-player.ts";
import { Api, type Program } from "../../support/programs/programs.ts";
import { expectNoSurvivors } from "../../support/programs/survivors.ts";
import { giveAway } from "../../support/programs/unprivileged.ts";
import { processesNaming } from "../../host/processes.ts";

const green = [20, 160, 60] as const;
const unreachable = "http://127.0.0.1:9";
const mediaProgram = join(rootFolder, "dist/main/media-child.js");
// Tests that need the stand-in.
const standInTest = test.skipIf(realBinary !== null);

let xvfb: Xvfb;
beforeAll(async () => {
  await bundleProgramsIfStale();
  xvfb = await startXvfb({ width: 1280, height: 720 });
});
afterAll(() => xvfb[Symbol.asyncDispose]());

test("[ELE2] the embedded service runs after the start and serves the screen, and ends with the player", async () => {
  await using folder = await temporaryFolder();
  // Of two players on one display, the one whose window opens last covers the other.
  await using own = await startXvfb({ width: 1280, height: 720 });
  await using player = startElectronPlayer(folder.path, own.display);
  const { url } = await player.line("listening");
  const api = new Api(String(url), (await readFile(join(folder.path, "player/service/admin-token"), "utf8")).trim());
  const asset_id = await api.upload("one.png", await plainImage(green));
  const { layoutId } = await api.publish([{ type: "image", asset_id, duration_ms: 600_000, fit: "fill" }]);
  await api.pair(player, layoutId);
  await eventually(() => own.framebuffer.pixel(640, 360).every((value, channel) => Math.abs(value - green[channel]!) <= 4));
  // Electron's main process forks the service's media processes, because the package cannot run Node programs.
  expect(await processesNaming(mediaProgram)).not.toEqual([]);
  expect(await player.stop("SIGINT")).toBe(0);
  await eventually(async () => (await processesNaming(folder.path)).length === 0);
  // Of the player: its service may have found its first port in use.
  const lines = player.lines.filter(({ program }) => program === "player");
  expect(lines.filter(({ level }) => level === "fatal" || level === "error").map(({ msg }) => msg)).toEqual([]);
});

test("[KIL1] an Electron player that is supervised ends with its parent, and so does its browser", async () => {
  await using folder = await temporaryFolder();
  await using player = startSupervisedPlayer(folder.path, xvfb.display, ["--server", unreachable]);
  await player.line("screen shown");
  await expectNoSurvivors(player, ["chrom"]);
});

// The tests use one player, which the last one kills.
let started: { folder: string; player: Program } & AsyncDisposable;
beforeAll(async () => {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryFolder()).path;
  giveAway(folder);
  const data = join("..", "..", "..", "..", "..", "..", folder, "player");
  const player = stack.use(startOnStandIn(rootFolder, folder, xvfb.display, ["--server", unreachable, "--data", data]));
  const owned = stack.move();
  started = { folder, player, [Symbol.asyncDispose]: () => owned.disposeAsync() };
});
afterAll(() => started[Symbol.asyncDispose]());

test("[ELE8] the player on Electron starts with a relative data folder, which begins at the working directory", async () => {
  const { folder, player } = started;
  // It gets so far only with paths that Electron accepts, and with a data folder that it could make.
  await player.line(({ msg }) => msg === "pairing failed: trying again");
  expect(existsSync(join(folder, "player/identity.json"))).toBe(true);
  if (realBinary !== null) return;
  const paths = recorded(folder).filter(({ call }) => call === "app.setPath");
  expect(paths.map(({ path }) => path)).toEqual([join(folder, "player/electron"), join(folder, "player/electron")]);
});

standInTest(
  "[ELE3] Electron is configured before it is ready: the Chromium host's switches, the sandbox, the player's own profile, no menu",
  async () => {
    const { folder, player } = started;
    await player.line("screen shown");
    const calls = recorded(folder);
    const ready = calls.findIndex(({ call }) => call === "ready");
    const before = calls.slice(0, ready);
    const wanted = Object.fromEntries(sharedSwitches(hasGpu()).map(({ name, value = "" }) => [name, value]));
    expect(calls[ready]!["switches"]).toEqual(wanted);
    expect(wanted).toMatchObject({ "force-device-scale-factor": "1", "password-store": "basic", "site-per-process": "" });
    // The Chromium host uses the same switches.
    const flags = chromiumFlags({
      profileFolder: "/x",
      display: "x11",
      window: { width: 1, height: 1 },
      proxy: "http://127.0.0.1:9",
      hasGpu: hasGpu(),
      cache: null,
    });
    for (const [name, value] of Object.entries(wanted)) expect(flags).toContain(value === "" ? `--${name}` : `--${name}=${value}`);
    const profile = join(folder, "player/electron");
    expect(before).toContainEqual({ call: "app.setPath", name: "userData", path: profile, ready: false });
    expect(before).toContainEqual({ call: "app.enableSandbox" });
    expect(before).toContainEqual({ call: "Menu.setApplicationMenu", menu: null, ready: false });
    expect(calls).toContainEqual({ call: "powerSaveBlocker.start", type: "prevent-display-sleep", id: 0 });
    expect(calls.find(({ call }) => call === "new BrowserWindow")).toMatchObject({ kiosk: true, frame: false, width: 1280, height: 720 });
  },
);

test("[KIL1] an Electron player that is killed leaves no browser", async () => {
  await expectNoSurvivors(started.player, ["chrom"]);
});

standInTest.for(["throws", "rejects"])(
  "[ELE4] an uncaught error is logged and ends the program with 1, without a dialog: %s",
  async (kind) => {
    await using folder = await temporaryFolder();
    await using program = startOnStandIn(join(import.meta.dirname, "../../support/electron/apps/fails.ts"), folder.path, xvfb.display, [
      kind,
    ]);
    expect(await program.exitCode).toBe(1);
    expect(program.lines).toContainEqual(expect.objectContaining({ level: "fatal", msg: "planted" }));
    expect(recorded(folder.path).map(({ call }) => call)).not.toContain("dialog.showErrorBox");
  },
);
