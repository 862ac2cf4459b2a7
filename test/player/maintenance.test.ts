// The commands that maintain a player, end to end: the real player with a real service and page server; host, machine and clock are fake.
import { randomBytes } from "node:crypto";
import { access, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { silentLog } from "../../src/base/log.ts";
import { Identity } from "../../src/player/pairing/identity.ts";
import { PendingReset } from "../../src/player/pairing/pending-reset.ts";
import { DiskHealth } from "../../src/player/storage/disk-health.ts";
import { finalStatuses } from "../../src/protocol/device/commands.ts";
import { picture, TestService } from "../service/harness.ts";
import { FakeClock } from "../support/clock.ts";
import { temporaryFolder } from "../support/folder.ts";
import { TestPlayer } from "../support/player.ts";
import { eventually } from "../support/polling.ts";
import { newId } from "../support/states.ts";

const clock = new FakeClock();
let shared: { folder: Awaited<ReturnType<typeof temporaryFolder>>; service: TestService };

beforeAll(async () => {
  const folder = await temporaryFolder();
  shared = { folder, service: await TestService.start(folder.path, { clock }) };
});

afterAll(async () => {
  await shared.service[Symbol.asyncDispose]();
  await shared.folder[Symbol.asyncDispose]();
});

type More = ConstructorParameters<typeof TestPlayer>[3];

/** A paired player with a picture on its screen. */
async function createSetup(more: More = {}) {
  const cleanup = new AsyncDisposableStack();
  const folder = cleanup.use(await temporaryFolder()).path;
  const { service } = shared;
  const start = (): TestPlayer => cleanup.use(new TestPlayer(folder, () => service.service.url, clock, more));
  const player = start();
  const code = await player.pairingCode();
  const playerId = (await service.call("POST", "players/pair", { code, name: "Lobby" })).body.id as string;
  const showPicture = async (bytes: Buffer): Promise<string> => {
    const asset = (await service.upload(bytes)).body;
    const { layout, playlist } = await service.createLayout([{ type: "image", asset_id: asset.id, duration_ms: 5_000 }]);
    expect((await service.call("PATCH", `players/${playerId}`, { layout_id: layout.id })).status).toBe(200);
    await eventually(() => player.host.presented.includes(playlist.items[0].id));
    return asset.sha256 as string;
  };
  const sha256 = await showPicture(await picture("png", 8));
  return { folder, service, start, player, playerId, sha256, showPicture, [Symbol.asyncDispose]: () => cleanup.disposeAsync() };
}

type Setup = Awaited<ReturnType<typeof createSetup>>;

async function send({ service, playerId }: Setup, type: string, args: object = {}): Promise<string> {
  const sent = await service.call("POST", `players/${playerId}/commands`, { type, args });
  expect(sent.status, JSON.stringify(sent.body)).toBe(202);
  return sent.body.id as string;
}

/** Sends a command and waits until it has ended. */
async function run(setup: Setup, type: string, args: object = {}) {
  const id = await send(setup, type, args);
  return eventually(async () => {
    const { body } = await setup.service.call("GET", `players/${setup.playerId}/commands/${id}`);
    return finalStatuses.includes(body.status) ? body : null;
  });
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

test("[MNT1] the command ping returns when the player received it and for how long its program has been running", async () => {
  await using setup = await createSetup();
  const { status, result } = await run(setup, "ping");
  expect(status).toBe("succeeded");
  expect(result).toMatchObject({ received_at: new Date(clock.now()).toISOString(), uptime_ms: 0 });
});

test("[MNT2] the command content.refresh fetches the state, downloads a file that was lost, and returns once the state is applied", async () => {
  await using setup = await createSetup();
  const { desired_revision: revision } = (await setup.service.call("GET", `players/${setup.playerId}`)).body;
  expect(await run(setup, "content.refresh")).toMatchObject({ status: "succeeded", result: { revision, is: "applied" } });
  const file = join(setup.folder, "content", setup.sha256);
  await rm(file);
  expect(await run(setup, "content.refresh")).toMatchObject({ status: "succeeded", result: { revision, is: "applied" } });
  expect(await exists(file)).toBe(true);
});

test("[MNT3] the command content.clear_cache removes what neither the playing nor the newest content needs, and the screen does not change", async () => {
  await using setup = await createSetup();
  const content = join(setup.folder, "content");
  const first = setup.sha256;
  const second = await setup.showPicture(await picture("png", 9));
  // The state before is kept, to return to it.
  expect(await exists(join(content, first))).toBe(true);
  const { size } = await import("node:fs/promises").then(({ stat }) => stat(join(content, first)));
  await eventually(async () => {
    const { body } = await setup.service.call("GET", `players/${setup.playerId}/now`);
    return body.content?.is === "applied" && body.now_playing.length === 1;
  });
  const scenes = setup.player.host.scenes.length;
  expect(await run(setup, "content.clear_cache")).toMatchObject({ status: "succeeded", result: { freed_bytes: size, files: 1 } });
  expect(await exists(join(content, first))).toBe(false);
  expect(await exists(join(content, second))).toBe(true);
  expect(setup.player.host.scenes.length).toBe(scenes);
  expect(await run(setup, "content.clear_cache")).toMatchObject({ result: { freed_bytes: 0, files: 0 } });
});

test("[MNT4] the command unpair reports its result first; then the content and the pairing are gone and a new code is shown", async () => {
  await using setup = await createSetup();
  const { player, folder, service, playerId } = setup;
  const before = player.host.scenes.length;
  const id = await send(setup, "unpair");
  const code = await player.pairingCode(before);
  expect(player.host.scene?.screen).toMatchObject({ is: "pairing", notice: expect.stringContaining("“Lobby”") });
  expect((await service.call("GET", `players/${playerId}/commands/${id}`)).body).toMatchObject({ status: "succeeded" });
  expect(await readdir(join(folder, "content"))).toEqual([]);
  expect((await readdir(folder)).filter((name) => /^(?:pairing|desired|reset)\./.test(name))).toEqual([]);
  // The service keeps the player; the device can be paired as another one, or given to this one again.
  expect((await service.call("GET", `players/${playerId}`)).status).toBe(200);
  expect((await service.call("POST", "players/pair", { code, name: "Hall" })).status).toBe(201);
  await player.host.sceneThat(({ screen }) => screen.is === "empty" && screen.player_name === "Hall", before);
});

test("[MNT5] the command factory_reset removes everything that the player stored, also its key and settings, and it starts as a new device", async () => {
  await using setup = await createSetup();
  const { player, folder, service, playerId } = setup;
  const { thumbprint } = await Identity.open(folder, silentLog);
  await writeFile(join(folder, "settings.json"), '{"server":"http://127.0.0.1:9/"}');
  await writeFile(join(folder, "asked-settings.json"), "{}");
  await mkdir(join(folder, "chromium", "Default"), { recursive: true });
  await writeFile(join(folder, "lock.db"), "");
  const id = await send(setup, "factory_reset");
  expect(await player.ended).toBe("restart");
  expect((await service.call("GET", `players/${playerId}/commands/${id}`)).body).toMatchObject({ status: "succeeded" });
  // The lock of the running program stays.
  expect(await readdir(folder)).toEqual(["lock.db"]);
  const next = setup.start();
  await next.pairingCode();
  // Commands name the key, so that those for the device before do not verify any more.
  expect((await Identity.open(folder, silentLog)).thumbprint).not.toBe(thumbprint);
});

test.each(["asked", "wiping"] as const)(
  "[MNT6] a player that is killed during a factory reset (%s) finishes it at the next start",
  async (phase) => {
    await using setup = await createSetup();
    const { player, folder } = setup;
    await player.stop();
    const { thumbprint } = await Identity.open(folder, silentLog);
    const reset = await PendingReset.open(folder, new DiskHealth(silentLog));
    await reset.ask("factory-reset", newId("cmd"));
    if (phase === "wiping") {
      await reset.beginWiping();
      // Some files are gone already.
      await rm(join(folder, "identity.json"));
      await rm(join(folder, "content"), { recursive: true });
    }
    const second = setup.start();
    expect(await second.ended).toBe("restart");
    expect(await readdir(folder)).toEqual([]);
    const third = setup.start();
    await third.pairingCode();
    expect((await Identity.open(folder, silentLog)).thumbprint).not.toBe(thumbprint);
  },
);

test("[MNT7] a player that is killed while it unpairs finishes that at the next start, and a damaged note leaves it paired", async () => {
  await using setup = await createSetup();
  const { player, folder } = setup;
  await player.stop();
  await writeFile(join(folder, "reset.json"), randomBytes(40));
  const paired = setup.start();
  await paired.host.sceneThat(({ screen }) => screen.is === "stage");
  await paired.stop();
  const reset = await PendingReset.open(folder, new DiskHealth(silentLog));
  await reset.ask("unpair", newId("cmd"));
  const second = setup.start();
  await second.pairingCode();
  expect(await exists(join(folder, "pairing.json"))).toBe(false);
  await eventually(async () => !(await exists(join(folder, "reset.json"))));
  await second.stop();
  // Killed after the pairing was removed, before the note was.
  await (await PendingReset.open(folder, new DiskHealth(silentLog))).ask("unpair", newId("cmd"));
  const third = setup.start();
  await third.pairingCode();
  expect(await exists(join(folder, "reset.json"))).toBe(false);
});

test("[MNT8] the command logs.collect brings the newest lines of the program's log to the service, without secrets", async () => {
  const { createLog } = await import("../../src/base/log.ts");
  const log = await createLog("player", "silent");
  await using setup = await createSetup({ log });
  log.level = "info";
  log.info({ token: "very-secret" }, "a line with a secret");
  log.debug("a line below the level");
  log.level = "silent";
  const { status, result } = await run(setup, "logs.collect", { level: "info" });
  expect(status).toBe("succeeded");
  const listed = await eventually(async () => {
    const { body } = await setup.service.call("GET", `players/${setup.playerId}/logs`);
    return body.data.length === 1 ? body.data[0] : null;
  });
  expect(listed).toMatchObject({ id: result.log_id, player_id: setup.playerId });
  const response = await fetch(listed.text_url, { headers: { authorization: `Bearer ${setup.service.token}` } });
  expect(response.headers.get("content-type")).toMatch("text/plain");
  const lines = (await response.text()).trim().split("\n");
  // The lines of the device's audit log follow: the command itself has arrived.
  const isAudit = (line: string): boolean => "event" in (JSON.parse(line) as object);
  expect(lines.filter((line) => !isAudit(line))).toHaveLength(result.lines);
  expect(lines.filter(isAudit).join("\n")).toContain('"type":"logs.collect"');
  expect(lines.join("\n")).toContain("a line with a secret");
  expect(lines.join("\n")).not.toMatch(/very-secret|below the level/);
});

test("[MNT9] the command logs.level changes the level for a while, and the usual one returns by itself", async () => {
  await using setup = await createSetup();
  // The test's log has another usual level than the program's.
  const before = (await run(setup, "logs.level", { level: "error", duration_ms: 20_000 })).result;
  expect(before).toMatchObject({ asked: "error", read_back: "error", before: "debug" });
  const from = setup.player.lines.length;
  clock.advance(10_000);
  expect(setup.player.lines.slice(from).map(({ msg }) => msg)).not.toContain("the level of the log is the usual one again");
  clock.advance(11_000);
  await setup.player.line("the level of the log is the usual one again", from);
  expect((await run(setup, "logs.level", { level: "info" })).result).toMatchObject({ before: "debug" });
});

test("[TCD3] the command test_card shows a card over the content that plays on, an emergency uncovers it, and it ends by itself", async () => {
  await using setup = await createSetup();
  const { host } = setup.player;
  const before = host.scenes.length;
  expect(await run(setup, "test_card", { duration_ms: 60_000 })).toMatchObject({ status: "succeeded" });
  const scene = await host.sceneThat(({ test_card }) => test_card, before);
  expect(scene).toMatchObject({ screen: { is: "stage" }, test_card: { player_name: "Lobby", until: clock.now() + 60_000 } });
  const { layout } = await setup.service.createLayout([]);
  const emergency = { layout_id: layout.id, level: "emergency", duration_ms: 20_000 };
  const shown = host.scenes.length;
  await run(setup, "override.set", emergency);
  await host.sceneThat(({ test_card }) => test_card == null, shown);
  const cleared = host.scenes.length;
  await run(setup, "override.clear");
  await host.sceneThat(({ test_card }) => test_card, cleared);
  const last = host.scenes.length;
  clock.advance(61_000);
  await host.sceneThat(({ test_card }) => test_card == null, last);
});

test("[SCR8] the player announces scripts, ports and hosts that are declared, and what it lacks for the others", async () => {
  await using place = await temporaryFolder();
  const wiredDisplays = join(place.path, "wired-displays.json");
  await writeFile(wiredDisplays, JSON.stringify({ network: [{ name: "projector", host: "127.0.0.1", port: 9 }] }));
  await using setup = await createSetup({ declared: { scripts: null, wiredDisplays, ownerUid: process.getuid!() } });
  const capabilities = await eventually(async () => {
    const { body } = await setup.service.call("GET", `players/${setup.playerId}`);
    return body.capabilities ?? body.reported?.capabilities ?? null;
  });
  expect(capabilities).toMatchObject({ scripts: [], serial_ports: [], network_hosts: ["projector"] });
  expect(capabilities.commands).toContain("network.send");
  const reasons = Object.fromEntries(capabilities.unavailable.map(({ type, reason }: { type: string; reason: string }) => [type, reason]));
  expect(reasons).toMatchObject({
    run: expect.stringContaining("--allow-scripts"),
    "serial.write": expect.stringContaining("no serial port"),
  });
});

test("[DGN11] the command diagnose returns what was found about the machine, its network and its browser, and the player plays on", async () => {
  await using setup = await createSetup();
  const { status, result } = await run(setup, "diagnose");
  expect(status).toBe("succeeded");
  const found = Object.fromEntries(result.checks.map(({ name, is }: { name: string; is: string }) => [name, is]));
  expect(found).toEqual({
    dns: "skipped",
    proxy: "skipped",
    connection: "ok",
    certificate: "skipped",
    http: "ok",
    captive_portal: "ok",
    websocket: "ok",
    bandwidth: "ok",
    clock: "ok",
    disk: expect.stringMatching(/^(?:ok|warning)$/),
    codecs: "ok",
    frames: "ok",
  });
});

test("[MNT16] the commands unpair and factory_reset change nothing if the disk cannot note them", async () => {
  await using setup = await createSetup();
  await mkdir(join(setup.folder, "reset.json"));
  expect(await run(setup, "factory_reset")).toMatchObject({ status: "failed", error: { code: "not-applied" } });
  await run(setup, "ping");
  expect(setup.player.host.scene?.screen.is).toBe("stage");
});
