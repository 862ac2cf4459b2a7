// Problems of a real player, as its screen and its service report them.
import { join } from "node:path";
import { expect, test } from "vitest";
import { killAll } from "../../host/processes.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { plainImage } from "../../support/media/media.ts";
import { eventually } from "../../support/polling.ts";
import { startXvfb } from "../../support/browser/xvfb.ts";
import { chromiumProcesses } from "../../support/programs/chromium-processes.ts";
import { Program, startPlayer, startService } from "../../support/programs/programs.ts";

const slow = { timeout: 240_000 };

type Problems = { code: string; detail: string; zone_id: string | null; item_id: string | null }[];

test("[PRB12] an item that fails on a real screen is among the service's problems until it is removed", slow, async () => {
  await using folder = await temporaryFolder();
  await using service = await startService(join(folder.path, "service"));
  const { api } = service;
  const image = { type: "image", asset_id: await api.upload("green.png", await plainImage([20, 160, 60])), duration_ms: 1_000 };
  // No server listens there.
  const dead = { type: "web", url: "http://127.0.0.1:9/", duration_ms: 1_000 };
  const { playlistId, layoutId } = await api.publish([image, dead]);
  await using player = startPlayer(api.url, join(folder.path, "player"));
  const playerId = await api.pair(player, layoutId);
  const problems = async () => (await api.ok("GET", `players/${playerId}`))["problems"] as Problems;
  const reported = await eventually(async () => {
    const all = await problems();
    return all.some(({ code }) => code === "item-load") ? all : null;
  });
  const items = (await api.ok("GET", `playlists/${playlistId}`))["items"] as { id: string; type: string }[];
  const { id: item_id } = items.find(({ type }) => type === "web")!;
  expect(reported).toMatchObject([{ code: "item-load", item_id, zone_id: expect.stringMatching(/^zon_/) }]);
  expect(await api.ok("GET", `players/${playerId}/now`)).toMatchObject({ problems: reported });
  await api.ok("PATCH", `playlists/${playlistId}`, { items: [image] });
  await eventually(async () => (await problems()).length === 0);
});

test("[REC9] when a real browser crashes repeatedly, the screen, the heartbeat and now say that content is withheld", slow, async () => {
  await using folder = await temporaryFolder();
  await using service = await startService(join(folder.path, "service"));
  const { api } = service;
  const image = { type: "image", asset_id: await api.upload("green.png", await plainImage([20, 160, 60])), duration_ms: 1_000 };
  const { layoutId } = await api.publish([image]);
  await using player = startPlayer(api.url, join(folder.path, "player"));
  const playerId = await api.pair(player, layoutId);
  await killUntilWithheld(player);
  await player.line(({ msg, screen }) => msg === "screen shown" && screen === "withheld");
  const now = await eventually(async () => {
    const seen = await api.ok("GET", `players/${playerId}/now`);
    return (seen["problems"] as Problems).length > 0 ? seen : null;
  });
  expect(now).toMatchObject({ now_playing: [], content: { is: "failed" }, problems: [{ code: "content-withheld" }] });
  expect((now["problems"] as Problems)[0]!.detail).toMatch(/6 times/);
  expect(await api.ok("GET", `players/${playerId}`)).toMatchObject({ in_sync: false });
});

test("[REC13] a player whose display has failed exits with 1 if systemd supervises it, so that systemd starts another", slow, async () => {
  await using folder = await temporaryFolder();
  const flags = ["--server", "http://127.0.0.1:9", "--data", folder.path, "--engine", "chromium", "--headless"];
  await using player = new Program(["src/main/cli.ts", "start", ...flags], { NOTIFY_SOCKET: join(folder.path, "nobody-listens") });
  for (let kills = 0, from = 0; kills < 5; kills += 1) {
    await player.line("browser started", from);
    from = player.lines.length;
    killAll(await chromiumProcesses(player, "browser"));
    await player.line("recovering the display", from);
  }
  expect(await player.exitCode).toBe(1);
  expect(player.lines.at(-1)).toMatchObject({ msg: expect.stringContaining("no milder step brought the display back") });
});

test("[REC17] without the service a real screen shows the operator's picture, whole, in place of withheld content", slow, async () => {
  await using folder = await temporaryFolder();
  await using xvfb = await startXvfb({ width: 1_280, height: 720 });
  const service = await startService(join(folder.path, "service"));
  await using player = startPlayer(service.api.url, join(folder.path, "player"), xvfb.display);
  {
    await using _ = service;
    const { api } = service;
    const green = await api.upload("green.png", await plainImage([20, 160, 60]));
    const safe_asset_id = await api.upload("logo.png", await plainImage([200, 30, 30], 300, 300));
    const { layoutId } = await api.publish([{ type: "image", asset_id: green, duration_ms: 1_000 }]);
    const playerId = await api.pair(player, layoutId);
    await api.ok("PATCH", `players/${playerId}`, { safe_asset_id });
    await eventually(async () => (await api.ok("GET", `players/${playerId}`))["in_sync"]);
  }
  await killUntilWithheld(player);
  const isNear = (x: number, color: readonly number[]): boolean =>
    xvfb.framebuffer.pixel(x, 360).every((value, channel) => Math.abs(value - color[channel]!) <= 4);
  // The square picture is whole, between black margins.
  await eventually(() => isNear(640, [200, 30, 30]) && isNear(100, [0, 0, 0]) && isNear(1_180, [0, 0, 0]));
});

/** Kills the browser until the ladder withholds content: after four relaunches and a restart of the player. */
async function killUntilWithheld(player: Program): Promise<void> {
  let from = 0;
  for (let kills = 0; kills < 6; kills += 1) {
    await player.line("presented", from);
    killAll(await chromiumProcesses(player, "browser"));
    await player.line("recovering the display", from);
    from = player.lines.length;
  }
}
