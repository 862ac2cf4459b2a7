// The player's wiring: the real player with real files, a real service and a real page server; host, machine and clock are fake.
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DurableFile } from "../../src/base/files/durable-file.ts";
import { type CommandRequest } from "../../src/protocol/device/command-request.ts";
import { finalStatuses } from "../../src/protocol/device/commands.ts";
import type { Scene } from "../../src/protocol/scene.ts";
import { call, picture, TestService } from "../service/harness.ts";
import { createSelfSignedCertificate } from "../support/network/certificate.ts";
import { FakeClock } from "../support/clock.ts";
import { temporaryFolder } from "../support/folder.ts";
import { TestPlayer } from "../support/player.ts";
import { eventually } from "../support/polling.ts";

const itemMs = 5_000;
/** No server listens at this address. */
const nowhere = "http://127.0.0.1:9";

const clock = new FakeClock();
let shared: { folder: Awaited<ReturnType<typeof temporaryFolder>>; service: TestService };

// One service for all tests; each test has its own players. It shares the players' clock.
beforeAll(async () => {
  const folder = await temporaryFolder();
  shared = { folder, service: await TestService.start(folder.path, { clock }) };
});

afterAll(async () => {
  await shared.service[Symbol.asyncDispose]();
  await shared.folder[Symbol.asyncDispose]();
});

/** The service and a player's new folder. */
async function createSetup() {
  const { path: folder, [Symbol.asyncDispose]: remove } = await temporaryFolder();
  const { service } = shared;
  /** Starts the player with the service, or with another server. */
  const start = (server = service.service.url) => new TestPlayer(folder, () => server, clock);
  return { service, clock, folder, start, [Symbol.asyncDispose]: remove };
}

type Setup = Awaited<ReturnType<typeof createSetup>>;

/** Claims the code on the player's page. @returns the player's id. */
async function claim({ service }: Setup, player: TestPlayer): Promise<string> {
  const claimed = await service.call("POST", "players/pair", { code: await player.pairingCode(), name: "Lobby" });
  expect(claimed.status).toBe(201);
  return claimed.body.id as string;
}

/** Assigns a layout with one zone that loops these pictures. @returns ids of layout, playlist and items. */
async function assign({ service }: Setup, playerId: string, pictures: readonly Buffer[]) {
  const assets = [];
  for (const bytes of pictures) assets.push((await service.upload(bytes)).body.id as string);
  const items = assets.map((asset_id) => ({ type: "image", asset_id, duration_ms: itemMs }));
  const { playlist, layout } = await service.createLayout(items);
  expect((await service.call("PATCH", `players/${playerId}`, { layout_id: layout.id })).status).toBe(200);
  return { layout, playlist, assets, items: playlist.items.map(({ id }: { id: string }) => id) as string[] };
}

/** A player that shows one picture; resolves once its heartbeat has reported that. */
async function showing(setup: Setup, player: TestPlayer) {
  const playerId = await claim(setup, player);
  const created = await assign(setup, playerId, [await picture("png", 8)]);
  await eventually(() => player.host.presented.includes(created.items[0]!));
  return { playerId, ...created };
}

/** The plays of the scene's only zone. */
function slotsOf({ screen }: Scene) {
  if (screen.is !== "stage") throw new Error(`the page shows the screen ${screen.is}`);
  return screen.stage.zones[0]!.slots;
}

/** Sends a command and waits until it has ended. @returns it with its status and result. */
async function run({ service }: Setup, playerId: string, command: { type: CommandRequest["type"]; args?: object }) {
  const sent = await service.call("POST", `players/${playerId}/commands`, command);
  expect(sent.status).toBe(202);
  return finalCommand(service, playerId, sent.body.id as string);
}

function finalCommand(service: TestService, playerId: string, commandId: string) {
  return eventually(async () => {
    const { body } = await service.call("GET", `players/${playerId}/commands/${commandId}`);
    return finalStatuses.includes(body.status) ? body : null;
  });
}

test("[WIR1] a player shows a pairing code, applies the assigned state once it is claimed, and reports the presented item", async () => {
  await using setup = await createSetup();
  await using player = setup.start();
  const playerId = await claim(setup, player);
  await player.line("paired");
  expect(player.servers).toEqual([new URL(setup.service.service.url).href]);
  await player.host.sceneThat(({ screen }) => screen.is === "empty" && screen.player_name === "Lobby");
  const { items, assets } = await assign(setup, playerId, [await picture("png", 8)]);
  const scene = await player.host.sceneThat(({ screen }) => screen.is === "stage");
  expect(slotsOf(scene)[0]).toMatchObject({ item: { type: "image", item_id: items[0], asset_id: assets[0] } });
  await player.line("presented");
  // The clock does not advance, so the next regular heartbeat is never sent.
  const report = await eventually(async () => {
    const { body } = await setup.service.call("GET", `players/${playerId}/now`);
    return body.now_playing.length === 1 ? body : null;
  });
  const shown = { now_playing: [{ item_id: items[0], asset_id: assets[0] }], why: [{ layer: "default", verdict: "shows" }] };
  expect(report).toMatchObject({ ...shown, rendering: true, problems: [], content: { is: "applied" } });
  const state = (await setup.service.call("GET", `players/${playerId}`)).body;
  expect(state).toMatchObject({ engine: "chromium 1 headless", hardware: "Fake machine", in_sync: true });
  expect(state.applied_revision).toBe(state.desired_revision);
});

test("[WIR2] after a restart plays the cached content at once while the service is away", async () => {
  await using setup = await createSetup();
  const first = setup.start();
  const { items } = await showing(setup, first);
  await first.stop();
  await using second = setup.start(nowhere);
  const scene = await second.host.sceneThat(({ screen }) => screen.is === "stage");
  expect(slotsOf(scene)[0]).toMatchObject({ item: { item_id: items[0] } });
  await second.line("the service is unreachable");
  expect(second.host.presented).toEqual([items[0]]);
  expect([...new Set(second.host.scenes.map(({ screen }) => screen.is))]).toEqual(["starting", "stage"]);
  expect(second.lines.map(({ msg }) => msg)).not.toContain("pairing code");
});

test("[WIR3] after a revocation the player removes content and pairing, and shows a new code with a notice", async () => {
  await using setup = await createSetup();
  await using player = setup.start();
  const { playerId, assets } = await showing(setup, player);
  const { sha256 } = (await setup.service.call("GET", `assets/${assets[0]}`)).body;
  expect(await readdir(join(setup.folder, "content"))).toContain(sha256);
  const before = player.host.scenes.length;
  expect((await setup.service.call("DELETE", `players/${playerId}`)).status).toBe(204);
  const code = await player.pairingCode(before);
  expect(player.host.scene?.screen).toMatchObject({ is: "pairing", code, notice: expect.stringContaining("“Lobby”") });
  expect(await readdir(join(setup.folder, "content"))).toEqual([]);
  expect(await readdir(join(setup.folder, "outbox"))).toEqual([]);
  const files = await readdir(setup.folder);
  expect(files.filter((name) => /^(?:pairing|desired|other-key)\./.test(name))).toEqual([]);
  expect(files).toContain("identity.json");
  // The same device can be claimed again.
  expect((await setup.service.call("POST", "players/pair", { code, name: "Hall" })).status).toBe(201);
  await player.host.sceneThat(({ screen }) => screen.is === "empty" && screen.player_name === "Hall", before);
});

test("[WIR4] after a day of another service key the player shows a code over the content, and its claim pins the new key", async (context) => {
  await using folder = await temporaryFolder();
  const tls = await createSelfSignedCertificate(folder.path);
  if (tls === null) return context.skip("openssl is not installed");
  await using cleanup = new AsyncDisposableStack();
  const before = getCACertificates("default");
  cleanup.defer(() => setDefaultCACertificates(before));
  setDefaultCACertificates([...before, await readFile(tls.cert, "utf8")]);
  const data = join(folder.path, "service");
  let service = await TestService.start(data, { tls, clock });
  cleanup.defer(() => service[Symbol.asyncDispose]());
  const url = () => service.service.url.replace("127.0.0.1", "localhost");
  const api = (method: string, path: string, body?: unknown) =>
    call(url(), method, path, body, { authorization: `Bearer ${service.token}` });
  const playerFolder = join(folder.path, "player");
  const start = () => new TestPlayer(playerFolder, url, clock);

  const first = start();
  const claimed = await api("POST", "players/pair", { code: await first.pairingCode(), name: "Lobby" });
  await first.line("connected");
  await first.stop();
  await service[Symbol.asyncDispose]();
  for (const name of ["service-key.json", "service-key.json.previous"]) await rm(join(data, name), { force: true });
  service = await TestService.start(data, { tls, clock });

  const second = start();
  const { key } = await second.line("the service uses another key: keep playing, trust nothing else from it");
  const record = new DurableFile<object>(join(playerFolder, "other-key.json"), (json) => json as object);
  await eventually(async () => (await record.read()).is === "found");
  await second.stop();
  expect(second.host.scenes.filter(({ claim }) => claim !== undefined)).toEqual([]);
  // The day has one minute left.
  await record.write({ serviceKey: key, heardMs: 86_400_000 - 60_000 });

  await using third = start();
  await eventually(() => {
    clock.advance(1_000);
    third.host.presentDue();
    return third.host.scene?.claim !== undefined;
  });
  const { code } = third.host.scene!.claim!;
  expect((await api("POST", `players/${claimed.body.id}/replace`, { code })).status).toBe(200);
  await third.line("claimed again: the service's new key is pinned");
  await third.line("connected");
  await eventually(() => third.host.scene?.claim === undefined);
  expect(third.servers).toEqual([new URL(url()).href]);
  const pairing = new DurableFile<{ serviceKey: string }>(join(playerFolder, "pairing.json"), (json) => json as { serviceKey: string });
  expect(await pairing.read()).toMatchObject({ value: { serviceKey: key, playerId: claimed.body.id } });
});

test("[WIR5] the commands identify, screenshot and reload act on the page, and their results reach the service", async () => {
  await using setup = await createSetup();
  await using player = setup.start();
  const playerId = await claim(setup, player);
  await player.line("connected");

  expect(await run(setup, playerId, { type: "identify", args: { duration_ms: 10_000 } })).toMatchObject({ status: "succeeded" });
  const { identify } = await player.host.sceneThat((scene) => scene.identify !== null);
  expect(identify).toMatchObject({ player_name: "Lobby", until: setup.clock.now() + 10_000 });
  expect(identify!.lines).toEqual(expect.arrayContaining([playerId, "192.0.2.7", "1280 × 720", "signage-player 1.2.3 · chromium 1"]));
  const shown = player.host.scenes.length;
  setup.clock.advance(10_000);
  await player.host.sceneThat((scene) => scene.identify === null, shown);

  player.host.picture = { bytes: await picture("png", 32), mimeType: "image/png" };
  const screenshot = await run(setup, playerId, { type: "screenshot", args: { format: "jpeg" } });
  expect(screenshot).toMatchObject({ status: "succeeded", result: { screenshot_id: expect.stringMatching(/^shot_/) } });
  const stored = await setup.service.call("GET", `screenshots/${screenshot.result.screenshot_id}`);
  expect(stored.body).toMatchObject({ mime_type: "image/jpeg", width: 32, height: 32, command_id: screenshot.id });

  expect(await run(setup, playerId, { type: "reload" })).toMatchObject({ status: "succeeded" });
  expect(player.host.reloads).toBe(1);
});

test("[WIR6] the command restart ends the player, and succeeds once it has started again", async () => {
  await using setup = await createSetup();
  const first = setup.start();
  const playerId = await claim(setup, first);
  await first.line("connected");
  const sent = await setup.service.call("POST", `players/${playerId}/commands`, { type: "restart" });
  expect(await first.ended).toBe("restart");
  await using second = setup.start();
  await second.line("connected");
  expect(await finalCommand(setup.service, playerId, sent.body.id)).toMatchObject({ status: "succeeded" });
  expect(second.host.pageUrl).not.toBe("");
});

test("[WIR7] a new revision does not interrupt the item on screen and takes effect at its end", async () => {
  await using setup = await createSetup();
  // A loop of two items starts now.
  clock.advance(2 * itemMs - (clock.now() % (2 * itemMs)));
  await using player = setup.start();
  const playerId = await claim(setup, player);
  const pictures = await Promise.all([8, 9, 10].map((size) => picture("png", size)));
  const { playlist, assets, items } = await assign(setup, playerId, pictures.slice(0, 2));
  const [first] = slotsOf(await player.host.sceneThat(({ screen }) => screen.is === "stage"));
  expect(first).toMatchObject({ starts_at: setup.clock.now(), ends_at: setup.clock.now() + itemMs, item: { item_id: items[0] } });
  const before = player.host.scenes.length;
  const added = (await setup.service.upload(pictures[2]!)).body.id as string;
  const [kept] = (await setup.service.call("GET", `playlists/${playlist.id}`)).body.items;
  const changed = [kept, { type: "image", asset_id: added, duration_ms: itemMs }];
  const { body } = await setup.service.call("PATCH", `playlists/${playlist.id}`, { items: changed });
  const next = await player.host.sceneThat((scene) => scene.screen.is === "stage" && slotsOf(scene)[1]?.item.asset_id === added, before);
  expect(slotsOf(next)[0]).toEqual(first);
  expect(slotsOf(next)[1]).toMatchObject({ starts_at: first!.ends_at, item: { item_id: body.items[1].id } });
  expect(slotsOf(next).map(({ item }) => item.asset_id)).not.toContain(assets[1]);
  expect(player.host.presented).toEqual([items[0]]);
  setup.clock.advance(itemMs);
  player.host.presentDue();
  expect(player.host.presented).toEqual([items[0], body.items[1].id]);
});

test("[WIR8] a player that exits leaves no socket, timer or unfinished file behind", async () => {
  await using setup = await createSetup();
  const playerClock = new FakeClock(clock.now());
  const player = new TestPlayer(setup.folder, () => setup.service.service.url, playerClock);
  const { playerId } = await showing(setup, player);
  const { port, hostname } = new URL(player.host.pageUrl);
  const statusOf = async () => (await setup.service.call("GET", `players/${playerId}`)).body.status;
  await eventually(async () => (await statusOf()) === "online");
  expect(playerClock.pendingWaits).toBeGreaterThan(0);
  await player.stop();
  expect(await player.ended).toMatchObject({ name: "AbortError" });
  expect(playerClock.pendingWaits).toBe(0);
  const refused = await new Promise((resolve) =>
    connect(Number(port), hostname)
      .once("error", resolve)
      .once("connect", () => resolve(null)),
  );
  expect(refused).toMatchObject({ code: "ECONNREFUSED" });
  await eventually(async () => (await statusOf()) === "offline");
  const files = await readdir(setup.folder, { recursive: true });
  expect(files.filter((name) => /\.(?:part|new)$/.test(name))).toEqual([]);
});

test.each<[string, (path: string) => Promise<unknown>]>([
  ["damaged", (path) => writeFile(path, "damaged")],
  ["removed", (path) => rm(path)],
])("[WIR22] an item whose file is %s while it plays is skipped, and plays again once its file is fetched again", async (_how, damage) => {
  await using setup = await createSetup();
  await using player = setup.start();
  const { assets } = await showing(setup, player);
  const { sha256 } = (await setup.service.call("GET", `assets/${assets[0]}`)).body;
  const path = join(setup.folder, "content", sha256);
  const stored = await readFile(path);
  const { scenes } = player.host;
  const { screen } = scenes.at(-1)!;
  if (screen.is !== "stage") throw new Error(`the page shows the screen ${screen.is}`);
  const { id: zone_id, slots } = screen.stage.zones[0]!;
  const { key, item } = slots[0]!;
  const from = scenes.length;
  await damage(path);
  player.host.report({ type: "failed", zone_id, key, item_id: item.item_id, asset_id: item.asset_id, code: "decode", detail: "broken" });
  expect(await player.line("a stored file is damaged or missing: fetching it again")).toMatchObject({ sha256, asset_ids: assets });
  // It is the only item: without its file there is nothing to show.
  const waiting = await player.host.sceneThat((scene) => scene.screen.is === "preparing", from);
  await player.line("a lost file is here again");
  await player.host.sceneThat((scene) => scene.screen.is === "stage", scenes.indexOf(waiting));
  expect(await readFile(path)).toEqual(stored);
});

test("[REC13] when the browser keeps exiting, the player ends so that its program starts it again; the next one withholds the content", async () => {
  await using setup = await createSetup();
  const failUntil = async (player: TestPlayer, action: string): Promise<void> => {
    const lastAction = (): unknown => player.lines.findLast(({ msg }) => msg === "recovering the display")?.["action"];
    while (lastAction() !== action) {
      const from = player.lines.length;
      player.host.fail({ is: "browser-exited", detail: "exit code 1" });
      await player.line("recovering the display", from);
    }
  };
  await using first = setup.start();
  await showing(setup, first);
  await failUntil(first, "restart-player");
  expect(await first.ended).toBe("display-failed");
  await using second = setup.start();
  await second.host.sceneThat(({ screen }) => screen.is === "stage");
  await failUntil(second, "withhold");
  const { screen } = await second.host.sceneThat((scene) => scene.screen.is === "withheld");
  expect(JSON.stringify(screen)).toMatch(/fail 6 times within five minutes/);
  expect(second.lines.filter(({ msg }) => msg === "recovering the display")).toHaveLength(1);
});
