// The player's enrolment by the key that setup left: the real player, and a real service.
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { readMachineIdentity } from "../../../src/host/linux/machine-identity.ts";
import { Identity } from "../../../src/player/pairing/identity.ts";
import type { Screen } from "../../../src/protocol/scene.ts";
import { createKey, enrol } from "../../support/enrolling-device.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { startTcpProxy } from "../../support/network/tcp-proxy.ts";
import { eventually } from "../../support/polling.ts";
import { TestPlayer } from "../../support/player.ts";
import { Device, TestService } from "../../service/harness.ts";

type PairingScreen = Extract<Screen, { is: "pairing" }>;

const clock = new FakeClock();
let shared: { folder: Awaited<ReturnType<typeof temporaryFolder>>; service: TestService };

// One service for all tests; each has its own key and its own player.
beforeAll(async () => {
  const folder = await temporaryFolder();
  shared = { folder, service: await TestService.start(folder.path, { clock }) };
});

afterAll(async () => {
  await shared.service[Symbol.asyncDispose]();
  await shared.folder[Symbol.asyncDispose]();
});

/** The service, and the folder of a player that setup gave a key. */
async function createSetup(more: object = {}) {
  const { path: folder, [Symbol.asyncDispose]: remove } = await temporaryFolder();
  const { service } = shared;
  const { url } = service.service;
  const key = await createKey(service, { name_pattern: "Box {serial}", ...more });
  const give = (content: unknown) => writeFile(join(folder, "enrolment.json"), JSON.stringify(content), { mode: 0o600 });
  await give({ key: key.secret, server: url });
  return {
    service,
    key,
    folder,
    give,
    start: (server = () => url) => new TestPlayer(folder, server, clock),
    hasKey: async () => (await readdir(folder)).includes("enrolment.json"),
    keyNow: async () => (await service.call("GET", `enrolment-keys/${key.id}`)).body,
    [Symbol.asyncDispose]: remove,
  };
}

/** The pairing screen with a code, and with the reason why there is one. */
async function codeBeside(player: TestPlayer, reason: string): Promise<PairingScreen> {
  const matches = (screen: Screen) => screen.is === "pairing" && screen.code !== null && screen.enrolment?.text.includes(reason);
  return (await player.host.sceneThat(({ screen }) => matches(screen))).screen as PairingScreen;
}

/** The screen of the paired player, once it is connected: then it can be stopped without waiting for the clock. */
async function paired(player: TestPlayer): Promise<Screen> {
  await player.line("connected");
  return (await player.host.sceneThat(({ screen }) => screen.is === "empty")).screen;
}

test("[ENR17] a player with a key enrols instead of showing a code, deletes the key, and never logs it", async () => {
  await using setup = await createSetup();
  await using player = setup.start();
  expect(await paired(player)).toMatchObject({ player_name: "Box FAKE-1001" });
  await eventually(async () => !(await setup.hasKey()));
  const screens = player.host.scenes.map((scene) => scene.screen).filter((each) => each.is === "pairing");
  expect(screens.map(({ code }) => code).filter((code) => code !== null)).toEqual([]);
  expect(player.lines.map(({ msg }) => msg)).toContain("enrolling");
  expect(JSON.stringify(player.lines)).not.toContain(setup.key.secret);
  expect(JSON.stringify(player.host.scenes)).not.toContain(setup.key.secret);
  expect(await setup.keyNow()).toMatchObject({ used_count: 1 });
  expect((await setup.service.call("GET", "players")).body.data[0]).toMatchObject({ name: "Box FAKE-1001", hardware: "Fake machine" });
});

test("[ENR18] a refused player shows a code and why, and enrols by itself once an operator has raised the count", async () => {
  await using setup = await createSetup({ max_count: 1 });
  const other = new Device(setup.service.service.url);
  await enrol(other, setup.key.secret, { serial: "OTHER-1", mac: null });
  await using player = setup.start();
  await codeBeside(player, "raise its max_count");
  expect(await setup.hasKey()).toBe(true);
  await setup.service.call("PATCH", `enrolment-keys/${setup.key.id}`, { max_count: 2 });
  // The first wait after a refusal. One step, because a nonce of the service is valid for a minute of this clock.
  clock.advance(60_000);
  await paired(player);
  await eventually(async () => !(await setup.hasKey()));
  expect(await setup.keyNow()).toMatchObject({ used_count: 2, last_refusal: { serial: "FAKE-1001", mac: "00:11:22:33:44:55" } });
  expect(JSON.stringify(player.lines)).not.toContain(setup.key.secret);
});

test("[ENR19] a paired player deletes a key without using it", async () => {
  await using setup = await createSetup();
  {
    await using first = setup.start();
    await paired(first);
    await eventually(async () => !(await setup.hasKey()));
  }
  const second = await createKey(setup.service);
  await setup.give({ key: second.secret, server: setup.service.service.url });
  await using player = setup.start();
  await player.line("already paired: the enrolment key is deleted without use");
  await player.line("connected");
  await eventually(async () => !(await setup.hasKey()));
  expect((await setup.service.call("GET", `enrolment-keys/${second.id}`)).body.used_count).toBe(0);
});

test("[ENR20] a player that lost its power before it stored the grant gets the same player again, although the key was revoked meanwhile", async () => {
  await using setup = await createSetup({ max_count: 1 });
  const { keys } = await Identity.open(setup.folder, silentLog);
  const device = Object.assign(new Device(setup.service.service.url), { keys });
  const { body: grant } = await enrol(device, setup.key.secret, { serial: "FAKE-1001", mac: "00:11:22:33:44:55" });
  await setup.service.call("POST", `enrolment-keys/${setup.key.id}/revoke`);
  await using player = setup.start();
  await paired(player);
  expect(await player.line("paired")).toMatchObject({ player_id: grant.player_id });
  expect(await setup.keyNow()).toMatchObject({ used_count: 1, refused_count: 0 });
});

test("[ENR21] while the service is unreachable a player keeps its key, says so, and enrols once the service answers", async () => {
  await using setup = await createSetup();
  let isReachable = false;
  const options = { cutAfter: () => (isReachable ? null : 0), onCut: () => undefined };
  await using proxy = await startTcpProxy(Number(new URL(setup.service.service.url).port), options);
  const url = `http://127.0.0.1:${proxy.port}`;
  await setup.give({ key: setup.key.secret, server: url });
  await using player = setup.start(() => url);
  const { screen } = await player.host.sceneThat(({ screen: each }) => each.is === "pairing" && each.trouble !== null);
  expect(screen).toMatchObject({ code: null, enrolment: { is: "failed", text: expect.stringContaining("tries again by itself") } });
  expect(await setup.hasKey()).toBe(true);
  isReachable = true;
  // The first wait after a failure.
  clock.advance(2_000);
  await paired(player);
  await eventually(async () => !(await setup.hasKey()));
  expect(await setup.keyNow()).toMatchObject({ used_count: 1, refused_count: 0 });
});

test("[ENR22] a key for another service is not sent, a damaged file is reported, and pairing by code goes on and deletes the key", async () => {
  await using setup = await createSetup();
  await setup.give({ key: setup.key.secret, server: "http://other.example:8080" });
  {
    await using player = setup.start();
    await codeBeside(player, "the enrolment key is for http://other.example:8080");
    expect(JSON.stringify(player.lines)).not.toContain(setup.key.secret);
  }
  await writeFile(join(setup.folder, "enrolment.json"), `{"key": "${setup.key.secret}"`);
  await using player = setup.start();
  const { code } = await codeBeside(player, "enrolment.json is not valid JSON");
  expect(JSON.stringify(player.lines)).not.toContain(setup.key.secret);
  expect((await setup.service.call("POST", "players/pair", { code, name: "By hand" })).status).toBe(201);
  expect(await paired(player)).toMatchObject({ player_name: "By hand" });
  await eventually(async () => !(await setup.hasKey()));
  expect(await setup.keyNow()).toMatchObject({ used_count: 0 });
});

test("[ENR23] the machine's serial comes from DMI, the launcher or the device tree, its MAC address from the first physical interface", async () => {
  await using root = await temporaryFolder();
  const put = async (path: string, content: string) => {
    await mkdir(join(root.path, path, ".."), { recursive: true });
    await writeFile(join(root.path, path), content);
  };
  const putInterface = async (name: string, mac: string, assigned: string, more: readonly string[]) => {
    const folder = `sys/class/net/${name}`;
    await put(`${folder}/type`, "1\n");
    await put(`${folder}/addr_assign_type`, `${assigned}\n`);
    await put(`${folder}/address`, `${mac}\n`);
    for (const each of more) await put(`${folder}/${each}/uevent`, "");
  };
  expect(await readMachineIdentity(root.path)).toEqual({ serial: null, mac: null });
  await putInterface("br0", "02:00:00:00:00:01", "0", []);
  await putInterface("a0", "00:11:22:00:00:02", "3", ["device"]);
  await putInterface("wlan0", "00:11:22:00:00:03", "0", ["device", "wireless"]);
  expect((await readMachineIdentity(root.path)).mac).toBe("00:11:22:00:00:03");
  await putInterface("wlp9s0", "00:11:22:00:00:04", "0", ["device"]);
  expect((await readMachineIdentity(root.path)).mac).toBe("00:11:22:00:00:04");
  await put("sys/firmware/devicetree/base/serial-number", "10000000a1b2c3d4\0");
  expect((await readMachineIdentity(root.path)).serial).toBe("10000000a1b2c3d4");
  await put("run/signage-launcher/serial", "5CG1234ABC\n");
  expect((await readMachineIdentity(root.path)).serial).toBe("5CG1234ABC");
});
