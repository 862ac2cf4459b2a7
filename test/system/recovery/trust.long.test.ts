// A real player behind a proxy that lies: only a proof by its own service unpairs it.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FaultyProxy, startFaultyProxy } from "../../support/network/faulty-proxy.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { plainImage } from "../../support/media/media.ts";
import { eventually } from "../../support/polling.ts";
import { startPlayer, startService } from "../../support/programs/programs.ts";

const image = (assetId: string) => ({ type: "image", asset_id: assetId, duration_ms: 1_000, fit: "fill" });

test("[TRB1] with WebSockets blocked a player pairs, plays and executes commands by polling", async () => {
  await using folder = await temporaryFolder();
  await using service = await startService(join(folder.path, "service"));
  const { api } = service;
  await using proxy = await startFaultyProxy(api.url);
  const { layoutId } = await api.publish([image(await api.upload("red.png", await plainImage([220, 30, 40])))]);
  await using player = startPlayer(proxy.url, join(folder.path, "player"));
  const playerId = await api.pair(player, layoutId);
  await player.line("presented");
  await player.line("the socket is blocked: polling");
  expect(await api.command(playerId, "screenshot")).toMatchObject({ status: "succeeded" });
  expect(await api.ok("GET", `players/${playerId}`)).toMatchObject({ status: "online" });
});

describe("a proxy that responds to everything with an error", () => {
  const owned = new AsyncDisposableStack();
  let playerFolder: string;
  let proxy: FaultyProxy;

  beforeAll(async () => {
    const folder = owned.use(await temporaryFolder());
    playerFolder = join(folder.path, "player");
    const { api } = owned.use(await startService(join(folder.path, "service")));
    proxy = owned.use(await startFaultyProxy(api.url));
    const { layoutId } = await api.publish([image(await api.upload("red.png", await plainImage([220, 30, 40])))]);
    await using player = startPlayer(proxy.url, playerFolder);
    await api.pair(player, layoutId);
    await player.line("presented");
  });
  afterAll(() => owned.disposeAsync());

  // All tests use the same player, so a test also fails if the previous status unpaired or purged it.
  test.each([401, 403, 404, 410, 500])("[TRB2] status %i neither unpairs nor purges a player", async (status) => {
    let requests = 0;
    proxy.lieWith((_request, response) => {
      requests += 1;
      response.writeHead(status, { "content-type": "text/html" }).end("<h1>No</h1>");
      return true;
    });
    await using player = startPlayer(proxy.url, playerFolder);
    await player.line("presented");
    await eventually(() => requests >= 4);
    expect(player.lines.some(({ msg }) => msg === "pairing code" || /revoked/.test(msg))).toBe(false);
    expect((await readdir(join(playerFolder, "content"))).some((name) => /^[0-9a-f]{64}$/.test(name))).toBe(true);
    // Once the proxy forwards requests again, the player reconnects by itself.
    proxy.lieWith(null);
    await player.line(({ msg }) => msg === "the socket is blocked: polling" || msg === "connected");
  });
});

test("[TRB3] a player that is removed at the service purges its content and shows a new code", async () => {
  await using folder = await temporaryFolder();
  const playerFolder = join(folder.path, "player");
  await using service = await startService(join(folder.path, "service"));
  const { api } = service;
  const { layoutId } = await api.publish([image(await api.upload("red.png", await plainImage([220, 30, 40])))]);
  await using player = startPlayer(api.url, playerFolder);
  const playerId = await api.pair(player, layoutId);
  await player.line("presented");
  const { code } = await player.line("pairing code");
  const from = player.lines.length;
  await api.ok("DELETE", `players/${playerId}`);
  const second = await player.line("pairing code", from);
  expect(second["code"]).not.toBe(code);
  expect(await readdir(join(playerFolder, "content"))).toEqual([]);
});

test("[TRB3] a player that is removed while offline purges its content when it reconnects, by a signed message", async () => {
  await using folder = await temporaryFolder();
  const playerFolder = join(folder.path, "player");
  await using service = await startService(join(folder.path, "service"));
  const { api } = service;
  let playerId: string;
  {
    await using player = startPlayer(api.url, playerFolder);
    playerId = await api.pair(player);
    await player.line("connected");
  }
  await api.ok("DELETE", `players/${playerId}`);
  await using again = startPlayer(api.url, playerFolder);
  await again.line("revoked: content and pairing are removed");
  await again.line("pairing code");
});

test("[TRB4] corrupt and truncated downloads are never shown: the previous content stays until a download is correct", async () => {
  await using folder = await temporaryFolder();
  await using service = await startService(join(folder.path, "service"));
  const { api } = service;
  await using proxy = await startFaultyProxy(api.url);
  const redId = await api.upload("red.png", await plainImage([220, 30, 40]));
  const { playlistId, layoutId } = await api.publish([image(redId)]);
  await using player = startPlayer(proxy.url, join(folder.path, "player"));
  await api.pair(player, layoutId);
  await player.line("presented");

  const damages = [(body: Buffer) => body.map((byte) => byte ^ 1), (body: Buffer) => body.subarray(0, body.length / 2)];
  let damaged = 0;
  proxy.alterWith((path, body) => (path.includes("/device/assets/") ? Buffer.from(damages[damaged++ % 2]!(body)) : body));
  const blueId = await api.upload("blue.png", await plainImage([30, 60, 200]));
  await api.ok("PATCH", `playlists/${playlistId}`, { items: [image(blueId)] });
  await eventually(() => damaged >= 3);
  const from = player.lines.length;
  await player.line("presented", from);
  expect(player.lines.filter(({ msg }) => msg === "presented").every(({ asset_id }) => asset_id === redId)).toBe(true);
  proxy.alterWith(null);
  await player.line(({ msg, asset_id }) => msg === "presented" && asset_id === blueId);
});
