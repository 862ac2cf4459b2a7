// A real player whose disk is full, read-only or emptied: its content stays on the screen, and the service learns why.
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { killAll } from "../../host/processes.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { plainImage } from "../../support/media/media.ts";
import { chromiumProcesses } from "../../support/programs/chromium-processes.ts";
import { eventually } from "../../support/polling.ts";
import { type Api, Program, startPlayer, startService } from "../../support/programs/programs.ts";
import { smallDisk } from "../../support/small-disk.ts";

const slow = { timeout: 420_000 };
const skipped = "only root can mount a small disk";

async function publish(api: Api, color: [number, number, number]) {
  const image = { type: "image", asset_id: await api.upload("image.png", await plainImage(color)), duration_ms: 1_000 };
  return { image, ...(await api.publish([image])) };
}

/** A service that has published a picture, and a disk for its player. Null if the disk cannot be mounted. */
async function setUp(megabytes: number) {
  await using cleanup = new AsyncDisposableStack();
  const disk = cleanup.use(await smallDisk(megabytes));
  if (disk === null) return null;
  const { path } = cleanup.use(await temporaryFolder());
  const { api } = cleanup.use(await startService(join(path, "service")));
  const published = await publish(api, [20, 160, 60]);
  const owned = cleanup.move();
  return { disk, api, ...published, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** The folder of a player on a small disk. The browser's own user can enter it, so its profile is on that disk too. */
async function playerFolder(disk: string): Promise<string> {
  const folder = join(disk, "player");
  await mkdir(folder, { mode: 0o711 });
  return folder;
}

/** Waits until the service lists this problem of the player, or no longer lists it. */
async function untilProblem(api: Api, playerId: string, code: string, isListed = true): Promise<void> {
  await eventually(async () => {
    const { problems } = (await api.ok("GET", `players/${playerId}`)) as unknown as { problems: { code: string }[] };
    return problems.some((each) => each.code === code) === isListed;
  });
}

/** Kills the browser and waits until the next one presents an item. */
async function replaceBrowser(player: Program): Promise<void> {
  const from = player.lines.length;
  killAll(await chromiumProcesses(player, "browser"));
  await player.line("browser started", from);
  await player.line(
    "presented",
    player.lines.findIndex(({ msg }, index) => index >= from && msg === "browser started"),
  );
}

test(
  "[DSK1] [DSK6] a disk that fills up while content plays, and is full at the next start, stops neither the player nor its link",
  slow,
  async (context) => {
    await using setup = await setUp(128);
    if (setup === null) return context.skip(skipped);
    const { disk, api, playlistId, layoutId, image } = setup;
    const folder = await playerFolder(disk.path);
    let playerId: string;
    {
      await using player = startPlayer(api.url, folder);
      playerId = await api.pair(player, layoutId);
      await player.line("presented");
      await disk.fill();
      expect(await api.command(playerId, "identify")).toMatchObject({ status: "failed", error: { code: "not-recorded" } });
      await replaceBrowser(player);
      // A change that needs no download is shown; one that does has to wait.
      const from = player.lines.length;
      await api.ok("PATCH", `playlists/${playlistId}`, { items: [image, { type: "text", text: "hello", duration_ms: 1_000 }] });
      await player.line("state applied", from);
      // A state that is applied is reported at once, with the problems.
      await untilProblem(api, playerId, "disk-unwritable");
      expect(await api.command(playerId, "identify")).toMatchObject({ status: "failed", error: { code: "not-recorded" } });
      expect(player.lines.filter(({ msg }) => msg === "connection lost")).toEqual([]);
      await player.kill();
    }
    await using player = startPlayer(api.url, folder);
    await player.line("presented");
    // The start frees some room: it truncates torn records, and the browser removes files.
    await eventually(async () => {
      await disk.fill();
      return player.lines.some(({ msg }) => msg === "the disk cannot be written: continuing from memory");
    });
    await untilProblem(api, playerId, "disk-unwritable");
    const from = player.lines.length;
    await disk.free();
    await player.line("the disk can be written again", from);
    await api.ok("PATCH", `playlists/${playlistId}`, { items: [image] });
    await untilProblem(api, playerId, "disk-unwritable", false);
    expect(await api.command(playerId, "identify")).toMatchObject({ status: "succeeded" });
  },
);

test(
  "[DSK1] a download that fills the disk stops, the present content plays on, and the download ends when there is room",
  slow,
  async (context) => {
    await using setup = await setUp(24);
    if (setup === null) return context.skip(skipped);
    const { disk, api, playlistId, layoutId, image } = setup;
    const folder = join(disk.path, "player");
    await using player = startPlayer(api.url, folder);
    const playerId = await api.pair(player, layoutId);
    await player.line("presented");
    await disk.fill();
    const large = { ...image, asset_id: await api.upload("large.png", await plainImage([200, 20, 20])) };
    await api.ok("PATCH", `playlists/${playlistId}`, { items: [image, large] });
    await untilProblem(api, playerId, "no-room");
    const from = player.lines.length;
    await player.line("presented", from);
    await disk.free();
    await player.line("state applied", from);
    await untilProblem(api, playerId, "no-room", false);
  },
);

test(
  "[DSK6] a player whose data folder is read-only plays its content, also after its browser was killed, and reports it",
  slow,
  async (context) => {
    await using setup = await setUp(128);
    if (setup === null) return context.skip(skipped);
    const { disk, api, layoutId } = setup;
    const folder = await playerFolder(disk.path);
    let playerId: string;
    {
      await using player = startPlayer(api.url, folder);
      playerId = await api.pair(player, layoutId);
      await player.line("presented");
    }
    await disk.setReadOnly(true);
    await using player = startPlayer(api.url, folder);
    await player.line("the data folder cannot be used as usual: playing what it has");
    await player.line("presented");
    await untilProblem(api, playerId, "disk-unwritable");
    await replaceBrowser(player);
    expect(await api.command(playerId, "identify")).toMatchObject({ status: "failed", error: { code: "not-recorded" } });
  },
);

test("[DSK11] a player with damaged settings, started without --server, uses the server of its pairing", slow, async () => {
  await using parent = await temporaryFolder();
  const folder = join(parent.path, "player");
  await using service = await startService(join(parent.path, "service"));
  const { api } = service;
  const { layoutId } = await publish(api, [20, 160, 60]);
  {
    await using player = startPlayer(api.url, folder);
    await api.pair(player, layoutId);
    await player.line("presented");
  }
  await writeFile(join(folder, "settings.json"), "{");
  await using again = new Program(["src/main/cli.ts", "start", "--data", folder, "--engine", "chromium", "--headless"]);
  await again.line("presented");
  await again.line("connected");
});

test("[DSK7] a data folder that is deleted while the player runs is written again, and the next start continues", slow, async () => {
  await using parent = await temporaryFolder();
  const folder = join(parent.path, "player");
  await using service = await startService(join(parent.path, "service"));
  const { api } = service;
  const { layoutId } = await publish(api, [20, 160, 60]);
  let playerId: string;
  {
    await using player = startPlayer(api.url, folder);
    playerId = await api.pair(player, layoutId);
    await player.line("presented");
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    const files = ["identity.json", "pairing.json", "copies", "desired.json", "commands.json", "commands-mark.json", "plays"];
    await eventually(async () => {
      const names = await readdir(folder).catch((): string[] => []);
      return files.every((name) => names.includes(name));
    });
    expect(await api.command(playerId, "identify")).toMatchObject({ status: "succeeded" });
  }
  await using again = startPlayer(api.url, folder);
  await again.line("already paired");
  await again.line("presented");
});
