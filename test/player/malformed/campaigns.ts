// Sends damaged messages, states and files to the real player on a fake host, and checks that its screen does not change.
import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect } from "vitest";
import { type Log, silentLog } from "../../../src/base/log.ts";
import type { DesiredState } from "../../../src/protocol/device/desired-state.ts";
import { parseMessage, ServiceMessage } from "../../../src/protocol/device/messages.ts";
import type { FromPage } from "../../../src/protocol/page-messages.ts";
import { schedule } from "../../schedule/schedules.ts";
import { FakeClock } from "../../support/clock.ts";
import { service as keys } from "../../support/commands.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { TestPlayer } from "../../support/player.ts";
import { eventually } from "../../support/polling.ts";
import { assetOf, desiredOf, imageItem } from "../../support/states.ts";
import { Damage } from "../../support/malformed/damage.ts";
import { startHostileService, validMessages } from "../../support/malformed/hostile-service.ts";
import { isUsableState, storePlayer } from "../../support/malformed/stored-player.ts";

const bytes = Buffer.from("picture");
const asset = assetOf(bytes);
const plain = desiredOf([imageItem(asset, 5_000)], [asset]);
const past = schedule(plain.layout!.id, "2025-01-01T00:00:00Z", "2025-01-02T00:00:00Z");
const desired: DesiredState = { ...plain, layouts: [plain.layout!], schedules: [past] };
const batch = 500;
// Caches and compiled code grow at first. What keeps 300 bytes per message exceeds this in the long run.
const memoryLimitBytes = 30_000_000;

/** Stores a paired player's identity and content, and starts it with a service that a test controls. */
async function startPlayer(folder: string, log: Log | null = silentLog) {
  const cleanup = new AsyncDisposableStack();
  const clock = new FakeClock();
  const device = await storePlayer(folder, keys, desired, new Map([[asset.sha256, bytes]]));
  const until = (check: () => boolean): Promise<unknown> =>
    eventually(() => {
      if (check()) return true;
      clock.advance(100);
      return false;
    });
  const service = cleanup.use(await startHostileService({ keys, playerId: desired.player.id, device, clock, until }));
  service.state = JSON.stringify(desired);
  const player = cleanup.use(new TestPlayer(folder, () => service.url, clock, log === null ? {} : { log }));
  await eventually(() => showsPicture(player));
  player.host.scenes.splice(0, player.host.scenes.length - 1);
  return {
    service,
    player,
    clock,
    /** Checks what has been on the screen since the last check. */
    checkScreen(): void {
      const { scenes } = player.host;
      expect(scenes.splice(0, scenes.length - 1).filter(({ screen }) => screen.is !== "stage")).toEqual([]);
      expect(showsPicture(player)).toBe(true);
      expect("polluted" in {}).toBe(false);
    },
    [Symbol.asyncDispose]: () => cleanup.disposeAsync(),
  };
}

function showsPicture({ host }: TestPlayer): boolean {
  const screen = host.scene?.screen;
  return screen?.is === "stage" && screen.stage.zones[0]?.slots[0]?.item.asset_id === asset.id;
}

/** Sends `count` damaged messages on the device's socket. */
export async function sendMessages(count: number, seed: number): Promise<void> {
  await using folder = await temporaryFolder();
  await using running = await startPlayer(folder.path);
  const damage = new Damage(seed);
  const before = heapBytes();
  for (let sent = 0; sent < count; sent += batch) {
    const texts = Array.from({ length: batch }, (_, at) => damage.text(validMessages[(sent + at) % validMessages.length]));
    await running.service.send(texts);
    running.checkScreen();
  }
  expect(heapBytes() - before).toBeLessThan(memoryLimitBytes);
}

/** Publishes `count` damaged states. A state that is still valid may change the screen; the original one then returns. */
export async function publishStates(count: number, seed: number): Promise<void> {
  await using folder = await temporaryFolder();
  await using running = await startPlayer(folder.path);
  const { service, player } = running;
  const damage = new Damage(seed);
  const before = heapBytes();
  for (let published = 0; published < count; published += 1) {
    const text = damage.text(desired);
    await service.publish(text);
    if (!isUsableState(text, desired.player.id)) running.checkScreen();
    else {
      await service.publish(JSON.stringify({ ...desired, revision: `r${published}` }));
      await eventually(() => showsPicture(player));
    }
    player.host.scenes.splice(0, player.host.scenes.length - 1);
  }
  expect(heapBytes() - before).toBeLessThan(memoryLimitBytes);
}

/** Sends `count` damaged messages as the page. The player must go on, show its picture, and send no heartbeat that is not valid. */
export async function sendPageMessages(count: number, seed: number): Promise<void> {
  await using folder = await temporaryFolder();
  await using running = await startPlayer(folder.path);
  const { service, player, clock } = running;
  const damage = new Damage(seed);
  const before = heapBytes();
  for (let sent = 0; sent < count; sent += batch) {
    const messages = pageMessages(player, clock.now());
    for (let at = 0; at < batch; at += 1) player.host.sendText(damage.text(messages[(sent + at) % messages.length]));
    // The page's messages are handled in order too.
    const shown = player.host.scenes.length;
    player.host.report({ type: "hello", viewport: { width: 1, height: 1, device_pixel_ratio: 1 } });
    await eventually(() => player.host.scenes.length > shown);
    clock.advance(30_000);
    await service.send([]);
    running.checkScreen();
  }
  expect(service.invalidMessages).toBe(0);
  expect(heapBytes() - before).toBeLessThan(memoryLimitBytes);
}

/** One valid message of each kind, about what is on the screen. */
function pageMessages({ host }: TestPlayer, at: number): FromPage[] {
  const { screen } = host.scene!;
  if (screen.is !== "stage") throw new Error(`the screen is ${screen.is}`);
  const { key: stage, zones } = screen.stage;
  const { id: zone_id, slots } = zones[0]!;
  const { key, item, starts_at, ends_at } = slots[0]!;
  const about = { zone_id, key, stage, item_id: item.item_id, asset_id: item.asset_id };
  return [
    { type: "hello", viewport: { width: 1_280, height: 720, device_pixel_ratio: 1 }, opened_at: at },
    { type: "clock", t0: 1 },
    { type: "beat", at, frames: 1, drift: { worst_ms: 1, mean_ms: 0, measures: 1 } },
    { type: "screen", is: "empty", code: null, at },
    { type: "stage", key: stage, at, showing: [{ zone_id, key }] },
    { type: "presented", ...about, starts_at, ends_at, at },
    { type: "flawed", ...about, code: "qr-unreadable", detail: "x" },
    { type: "fault", detail: "x" },
  ];
}

/** Sends `count` damaged messages on the device's socket and as the page, and some that are not text. Each refusal must be logged. */
export async function checkRefusals(count: number, seed: number): Promise<void> {
  await using folder = await temporaryFolder();
  await using running = await startPlayer(folder.path, null);
  const { service, player, clock } = running;
  const damage = new Damage(seed);
  const texts = Array.from({ length: count }, (_, at) => damage.text(validMessages[at % validMessages.length]));
  await service.send([...texts, Buffer.from([0, 255])]);
  const refused = [...texts, "binary"].map((text) => parseMessage(ServiceMessage, text)).filter(({ is }) => is === "unknown");
  const reasonsOf = (message: string) => player.lines.filter(({ msg }) => msg === message).map(({ reason }) => reason);
  expect(reasonsOf("ignored a message that this player does not know")).toEqual(refused.map((each) => "reason" in each && each.reason));
  expect(
    reasonsOf("ignored a message that this player does not know").filter((reason) => /^data\.\w+/.test(String(reason))).length,
  ).toBeGreaterThan(count / 10);
  player.host.sendText(JSON.stringify({ type: "beat", at: clock.now(), frames: "many" }));
  expect(await player.line("ignored an invalid message of the page")).toMatchObject({
    type: "beat",
    reason: expect.stringMatching(/^frames: /),
  });
  await service.publish(JSON.stringify({ ...desired, revision: "r2", playlists: "none" }));
  expect(await player.line("the state could not be fetched")).toMatchObject({ reason: expect.stringMatching(/playlists: /) });
}

/** The memory in use after a garbage collection. */
function heapBytes(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/**
 * Starts the player `count` times, each time with one damaged file. It must show its picture, or a screen that says what is missing
 * when the damaged file is the only one that could have known.
 */
export async function startWithDamagedFiles(count: number, seed: number): Promise<void> {
  await using folder = await temporaryFolder();
  const healthy = join(folder.path, "healthy");
  {
    await using running = await startPlayer(healthy);
    await running.service.publish(JSON.stringify({ ...desired, revision: "r2" }));
    await eventually(() => running.player.host.presented.length > 0);
  }
  const files = (await readdir(healthy, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(healthy.length + 1));
  expect(files.length).toBeGreaterThan(5);
  const damage = new Damage(seed);
  const damaged = join(folder.path, "damaged");
  for (let start = 0; start < count; start += 1) {
    const name = files[start % files.length]!;
    await rm(damaged, { recursive: true, force: true });
    await cp(healthy, damaged, { recursive: true });
    const text = await readFile(join(healthy, name), "latin1");
    await writeFile(join(damaged, name), damage.characters(text), "latin1");
    const clock = new FakeClock();
    await using player = new TestPlayer(damaged, () => "http://127.0.0.1:9", clock, { log: silentLog });
    const ended = player.ended.then((end) => `${name}: ${String(end)}`);
    const kind = eventually(() => {
      if (showsPicture(player)) return "picture";
      clock.advance(100);
      const is = player.host.scene?.screen.is;
      return is === "preparing" || is === "empty" ? is : null;
    });
    const shown = await Promise.race([kind, ended]);
    // Only the picture's own file can be missing.
    if (name.startsWith("content/")) expect(["picture", "preparing"], name).toContain(shown);
    else expect(shown, name).toBe("picture");
  }
}
