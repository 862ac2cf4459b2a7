// Sends damaged messages, states and files to the real player on a fake host, and checks that its screen does not change.
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect } from "vitest";
import { DurableFile } from "../../../src/base/files/durable-file.ts";
import { thumbprint } from "../../../src/base/jws.ts";
import { silentLog } from "../../../src/base/log.ts";
import { Identity } from "../../../src/player/pairing/identity.ts";
import { DesiredState } from "../../../src/protocol/device/desired-state.ts";
import { schedule } from "../../schedule/schedules.ts";
import { FakeClock } from "../../support/clock.ts";
import { service as keys } from "../../support/commands.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { TestPlayer } from "../../support/player.ts";
import { eventually } from "../../support/polling.ts";
import { assetOf, desiredOf, imageItem } from "../../support/states.ts";
import { Damage } from "./damage.ts";
import { startHostileService, validAnswer, validWelcome } from "./hostile-service.ts";

const bytes = Buffer.from("picture");
const asset = assetOf(bytes);
const plain = desiredOf([imageItem(asset, 5_000)], [asset]);
const past = schedule(plain.layout!.id, "2025-01-01T00:00:00Z", "2025-01-02T00:00:00Z");
const desired: DesiredState = { ...plain, layouts: [plain.layout!], schedules: [past] };
// A command that no screen shows, and one about a layout that does not exist.
const validMessages = [
  { type: "welcome", data: { ...validWelcome, answer: validAnswer } },
  { type: "heartbeat.answer", data: validAnswer },
  { type: "state.changed", data: { revision: "r1" } },
  { type: "command", data: { command: "e30.e30.e30" } },
  { type: "revoked", data: { revocation: "e30.e30.e30" } },
  { type: "goaway", data: { reconnect_after_ms: 100 } },
].map((message, at) => ({ id: String(at), ts: 0, seq: at + 1, ...message }));
const batch = 500;
// Caches and compiled code grow at first. What keeps 300 bytes per message exceeds this in the long run.
const memoryLimitBytes = 30_000_000;

/** Stores a paired player's identity and content, and starts it with a service that a test controls. */
async function startPlayer(folder: string) {
  const cleanup = new AsyncDisposableStack();
  const clock = new FakeClock();
  const device = await storeContent(folder);
  const service = cleanup.use(await startHostileService(keys, desired.player.id, device, clock));
  service.state = JSON.stringify(desired);
  const player = cleanup.use(new TestPlayer(folder, () => service.url, clock, { log: silentLog }));
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

/** @returns the thumbprint of the device's key. */
async function storeContent(folder: string): Promise<string> {
  await mkdir(join(folder, "content"), { recursive: true });
  const identity = await Identity.open(folder, silentLog);
  await identity.pair({ server: "http://127.0.0.1:9", playerId: desired.player.id, playerName: "Lobby", serviceKey: keys.publicKey });
  await new DurableFile<DesiredState>(join(folder, "desired.json"), (json) => DesiredState.parse(json)).write(desired);
  await writeFile(join(folder, "content", asset.sha256), bytes);
  return thumbprint(identity.keys.publicKey);
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
    if (!isUsable(text)) running.checkScreen();
    else {
      await service.publish(JSON.stringify({ ...desired, revision: `r${published}` }));
      await eventually(() => showsPicture(player));
    }
    player.host.scenes.splice(0, player.host.scenes.length - 1);
  }
  expect(heapBytes() - before).toBeLessThan(memoryLimitBytes);
}

/** The memory in use after a garbage collection. */
function heapBytes(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Whether the player has to accept a text as its state. */
function isUsable(text: string): boolean {
  try {
    return DesiredState.safeParse(JSON.parse(text)).data?.player.id === desired.player.id;
  } catch {
    return false; // not JSON
  }
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
