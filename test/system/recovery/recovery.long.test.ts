// A real player whose processes are killed or stopped: the content comes back on a real screen.
import { open } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../support/folder.ts";
import { plainImage } from "../../support/media/media.ts";
import { eventually } from "../../support/polling.ts";
import { chromiumProcesses } from "../../support/programs/chromium-processes.ts";
import { startPlayer, startService } from "../../support/programs/programs.ts";
import { startXvfb, type Xvfb } from "../../support/browser/xvfb.ts";

const green = [20, 160, 60] as const;
let xvfb: Xvfb;
beforeAll(async () => {
  xvfb = await startXvfb({ width: 1280, height: 720 });
});
afterAll(() => xvfb[Symbol.asyncDispose]());

const isGreen = (): boolean => xvfb.framebuffer.pixel(640, 360).every((value, channel) => Math.abs(value - green[channel]!) <= 4);

async function playing(folder: string) {
  const service = await startService(join(folder, "service"));
  const { api } = service;
  const item = { type: "image", asset_id: await api.upload("green.png", await plainImage(green)), duration_ms: 1_000, fit: "fill" };
  const { layoutId } = await api.publish([item]);
  const player = startPlayer(api.url, join(folder, "player"), xvfb.display);
  const playerId = await api.pair(player, layoutId);
  await eventually(isGreen);
  const end = async (): Promise<void> => {
    await player[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  };
  return { api, player, playerId, [Symbol.asyncDispose]: end };
}

// One player for all faults, each of which it has to survive after the ones before.
describe("a player", () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let at: Awaited<ReturnType<typeof playing>>;
  beforeAll(async () => {
    folder = await temporaryFolder();
    at = await playing(folder.path);
  });
  afterAll(async () => {
    await at[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  test.each([
    ["browser", "SIGKILL"],
    ["renderer", "SIGKILL"],
    ["renderer", "SIGSTOP"],
  ] as const)("[REC3] after %s receives %s the content comes back by itself, and the fault is logged", async (kind, signal) => {
    const from = at.player.lines.length;
    for (const pid of await chromiumProcesses(at.player, kind)) process.kill(pid, signal);
    await at.player.line("rendering failed", from);
    await at.player.line("presented", at.player.lines.length);
    await eventually(isGreen);
    expect(at.player.lines.some(({ msg }) => msg === "already paired")).toBe(false);
    // Commands and screenshots still work.
    expect(await at.api.command(at.playerId, "screenshot")).toMatchObject({ status: "succeeded" });
  });

  test.each([
    ["browser", "rendering failed"],
    ["zygote", "rendering failed"],
    ["renderer", "rendering failed"],
    ["gpu-process", null],
    ["network.mojom.NetworkService", null],
    ["storage.mojom.StorageService", null],
  ] as const)(
    "[REC12] when %s is stopped, the fault is logged and content plays within 30 s, without a useless reload",
    async (kind, fault) => {
      const from = at.player.lines.length;
      const stopped = await chromiumProcesses(at.player, kind);
      expect(stopped.length).toBeGreaterThan(0);
      const stoppedAtMs = performance.now();
      for (const pid of stopped) process.kill(pid, "SIGSTOP");
      await at.player.line("a process of the browser is stopped and is ended", from);
      if (fault !== null) await at.player.line(fault, from);
      await eventually(async () => (await chromiumProcesses(at.player, kind)).every((pid) => !stopped.includes(pid)));
      // The first report may be of an item that was presented before the fault.
      for (let presented = 0; presented < 3; presented += 1) await at.player.line("presented", at.player.lines.length);
      await eventually(isGreen);
      expect(performance.now() - stoppedAtMs).toBeLessThan(30_000);
      const actions = at.player.lines.slice(from).filter(({ msg }) => msg === "recovering the display");
      expect(actions.map(({ action }) => action)).toEqual(kind === "renderer" ? ["reload"] : fault === null ? [] : ["relaunch"]);
    },
  );

  test("[REC4] a heartbeat reports that the screen is rendering, and the items on it", async () => {
    // A heartbeat from a moment without frames may be the latest.
    const now = await eventually(async () => {
      const seen = await at.api.ok("GET", `players/${at.playerId}/now`);
      return seen["rendering"] === true && (seen["now_playing"] as unknown[]).length > 0 ? seen : null;
    });
    expect(now).toMatchObject({ content: { is: "applied" } });
  });

  // The last one: the recovery has relaunched the browser three times by now, and takes stronger steps after the fourth.
  test("[REC19] when a zygote is killed, the browser is relaunched without waiting for the page", async () => {
    const from = at.player.lines.length;
    const zygotes = await chromiumProcesses(at.player, "zygote");
    process.kill(zygotes.at(-1)!, "SIGKILL");
    await at.player.line("the browser has lost a process that starts the others, and is ended", from);
    await at.player.line("recovering the display", from);
    for (let presented = 0; presented < 3; presented += 1) await at.player.line("presented", at.player.lines.length);
    await eventually(isGreen);
    const actions = at.player.lines.slice(from).filter(({ msg }) => msg === "recovering the display");
    expect(actions.map(({ action }) => action)).toEqual(["relaunch"]);
  });
});

test("[WIR22] on a real screen a picture whose file was damaged is skipped, and shown again once it is fetched again", async () => {
  await using folder = await temporaryFolder();
  await using service = await startService(join(folder.path, "service"));
  const { api } = service;
  const upload = async (name: string, color: readonly [number, number, number]) => ({
    type: "image",
    asset_id: await api.upload(name, await plainImage(color)),
    duration_ms: 1_000,
    fit: "fill",
  });
  const items = [await upload("green.png", green), await upload("blue.png", [30, 60, 200])];
  const { layoutId } = await api.publish(items);
  await using player = startPlayer(api.url, join(folder.path, "player"), xvfb.display);
  await api.pair(player, layoutId);
  await eventually(isGreen);
  const { sha256 } = await api.ok("GET", `assets/${items[0]!.asset_id}`);
  const path = join(folder.path, "player", "content", String(sha256));
  {
    // Through one handle: the player may remove the file before its times are set back.
    await using file = await open(path, "r+");
    const { size, atime, mtime } = await file.stat();
    await file.write(Buffer.alloc(size, "damaged"));
    await file.utimes(atime, mtime);
  }
  await player.line("a stored file is damaged or missing: fetching it again");
  await player.line("a lost file is here again");
  const from = player.lines.length;
  await player.line(({ msg, asset_id }) => msg === "presented" && asset_id === items[0]!.asset_id, from);
  await eventually(isGreen);
});
