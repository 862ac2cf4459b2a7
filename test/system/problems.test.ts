// Problems of a real player, as its screen and its service report them.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/folder.ts";
import { plainImage } from "../support/media/media.ts";
import { eventually, startPlayer, startService, type Program } from "../support/programs/programs.ts";

const slow = { timeout: 240_000 };

type Told = { code: string; detail: string; zone_id: string | null; item_id: string | null }[];

test("[PRB12] an item that fails on a real screen is listed in the service's problems until it is removed", slow, async () => {
  await using folder = await temporaryFolder();
  await using service = await startService(join(folder.path, "service"));
  const { api } = service;
  const image = { type: "image", asset_id: await api.upload("green.png", await plainImage([20, 160, 60])), duration_ms: 1_000 };
  // Nothing listens there.
  const dead = { type: "web", url: "http://127.0.0.1:9/", duration_ms: 1_000 };
  const { playlistId, layoutId } = await api.publish([image, dead]);
  await using player = startPlayer(api.url, join(folder.path, "player"));
  const playerId = await api.pair(player, layoutId);
  const problems = async () => (await api.ok("GET", `players/${playerId}`))["problems"] as Told;
  const told = await eventually(async () => {
    const all = await problems();
    return all.some(({ code }) => code === "item-load") ? all : null;
  });
  const items = (await api.ok("GET", `playlists/${playlistId}`))["items"] as { id: string; type: string }[];
  const { id: item_id } = items.find(({ type }) => type === "web")!;
  expect(told).toMatchObject([{ code: "item-load", item_id, zone_id: expect.stringMatching(/^zon_/) }]);
  expect(await api.ok("GET", `players/${playerId}/now`)).toMatchObject({ problems: told });
  await api.ok("PATCH", `playlists/${playlistId}`, { items: [image] });
  await eventually(async () => (await problems()).length === 0);
});

test("[REC9] if a real browser ends again and again, the screen, the heartbeat and now report that content is withheld", slow, async () => {
  await using folder = await temporaryFolder();
  await using service = await startService(join(folder.path, "service"));
  const { api } = service;
  const image = { type: "image", asset_id: await api.upload("green.png", await plainImage([20, 160, 60])), duration_ms: 1_000 };
  const { layoutId } = await api.publish([image]);
  await using player = startPlayer(api.url, join(folder.path, "player"));
  const playerId = await api.pair(player, layoutId);
  let from = 0;
  for (let kills = 0; kills < 5; kills += 1) {
    await player.line("presented", from);
    for (const pid of await browsersOf(player)) killIfThere(pid);
    await player.line("recovering the display", from);
    from = player.lines.length;
  }
  await player.line(({ msg, screen }) => msg === "screen shown" && screen === "withheld");
  const now = await eventually(async () => {
    const seen = await api.ok("GET", `players/${playerId}/now`);
    return (seen["problems"] as Told).length > 0 ? seen : null;
  });
  expect(now).toMatchObject({ now_playing: [], content: { is: "failed" }, problems: [{ code: "content-withheld" }] });
  expect((now["problems"] as Told)[0]!.detail).toMatch(/5 times/);
  expect(await api.ok("GET", `players/${playerId}`)).toMatchObject({ in_sync: false });
});

/** The player's browser processes. */
async function browsersOf(player: Program): Promise<number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = new Map<number, number>();
  const browsers: number[] = [];
  for (const pid of pids) {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
    const argv = (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).split("\0");
    parents.set(pid, Number(/\) \S (\d+)/.exec(stat)?.[1]));
    if (argv[0]?.includes("chromium") === true && !argv.some((word) => word.startsWith("--type="))) browsers.push(pid);
  }
  const isOurs = (pid: number | undefined): boolean => pid !== undefined && pid > 1 && (pid === player.pid || isOurs(parents.get(pid)));
  return browsers.filter((pid) => isOurs(pid));
}

/** Kills a process, unless it has ended already. */
function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
