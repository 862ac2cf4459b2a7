// The real player's schedules over jumps of its clock: the machine's clock is set, suspended or wrong from the start.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Clock } from "../../src/base/clock.ts";
import { DurableFile } from "../../src/base/files/durable-file.ts";
import { silentLog } from "../../src/base/log.ts";
import { Identity } from "../../src/player/pairing/identity.ts";
import type { DesiredState } from "../../src/protocol/device/desired-state.ts";
import { schedule } from "../schedule/schedules.ts";
import { picture, TestService } from "../service/harness.ts";
import { FakeClock } from "../support/clock.ts";
import { temporaryFolder } from "../support/folder.ts";
import { TestPlayer } from "../support/player.ts";
import { eventually } from "../support/polling.ts";
import { assetOf, desiredOf, imageItem, newId } from "../support/states.ts";
import { responseTo, startTimeServer } from "../support/network/time-server.ts";

const nowhere = "http://127.0.0.1:9";
const hour = 3_600_000;
const noon = Date.UTC(2026, 10, 21, 12);
const usualPicture = Buffer.from("usual");
const scheduledPicture = Buffer.from("scheduled");

/** Stores what a player had before it was switched off: a pairing, and a state whose schedule lasts from 14:00 to 16:00. */
async function storeContent(folder: string) {
  const [usual, scheduled] = [assetOf(usualPicture), assetOf(scheduledPicture)];
  // The items last for hours, so that no end of an item hides a jump that is not noticed.
  const usualState = desiredOf([imageItem(usual, 24 * hour)], [usual]);
  const scheduledState = desiredOf([imageItem(scheduled, 24 * hour)], [scheduled]);
  const desired: DesiredState = {
    ...usualState,
    layouts: [scheduledState.layout!],
    schedules: [schedule(scheduledState.layout!.id, at(14), at(16))],
    playlists: [...usualState.playlists, ...scheduledState.playlists],
    assets: [usual, scheduled],
  };
  const identity = await Identity.open(folder, silentLog);
  await identity.pair({ server: nowhere, playerId: desired.player.id, playerName: "Lobby", serviceKey: identity.keys.publicKey });
  await new DurableFile<DesiredState>(join(folder, "desired.json"), (json) => json as DesiredState).write(desired);
  await mkdir(join(folder, "content"), { recursive: true });
  await writeFile(join(folder, "content", usual.sha256), usualPicture);
  await writeFile(join(folder, "content", scheduled.sha256), scheduledPicture);
  return { usual: usual.id, scheduled: scheduled.id };
}

function at(hourOfDay: number): string {
  return new Date(noon + (hourOfDay - 12) * hour).toISOString();
}

/** The asset of the first play on the player's screen; null: none. */
function assetOn({ host }: TestPlayer): string | null {
  const screen = host.scene?.screen;
  return screen?.is === "stage" ? (screen.stage.zones[0]?.slots[0]?.item.asset_id ?? null) : null;
}

test.each([
  ["the machine's clock is set forward, into a schedule", 12, (clock: FakeClock) => clock.step(3 * hour), "scheduled"],
  ["the machine's clock is set back, out of a schedule", 15, (clock: FakeClock) => clock.step(-3 * hour), "usual"],
  ["the machine is suspended until a schedule has begun", 12, (clock: FakeClock) => clock.suspend(3 * hour), "scheduled"],
  ["the machine is suspended until a schedule has ended", 15, (clock: FakeClock) => clock.suspend(3 * hour), "usual"],
] as const)("[CLK12] schedules follow within five seconds when %s", async (_, hourOfDay, jump, shown) => {
  await using folder = await temporaryFolder();
  const assets = await storeContent(folder.path);
  const clock = new FakeClock(Date.parse(at(hourOfDay)));
  await using player = new TestPlayer(folder.path, () => nowhere, clock);
  const before = shown === "usual" ? assets.scheduled : assets.usual;
  await eventually(() => assetOn(player) === before);
  clock.advance(10_000);
  jump(clock);
  await player.line("state applied");
  clock.advance(5_000);
  await eventually(() => assetOn(player) === assets[shown]);
});

test.each([
  ["in 1970", 0],
  ["in 2099", Date.UTC(2099, 0, 1)],
])(
  "[CLK13] restarted offline with a clock %s, schedules continue at the last proven time and follow the monotonic clock",
  async (_, machineMs) => {
    await using folder = await temporaryFolder();
    const assets = await storeContent(folder.path);
    await new DurableFile<object>(join(folder.path, "known-time.json"), (json) => json as object).write({ time_ms: noon + 1.5 * hour });
    const clock = new FakeClock(machineMs);
    await using player = new TestPlayer(folder.path, () => nowhere, clock);
    await eventually(() => assetOn(player) === assets.usual);
    const seen = player.host.scenes.length;
    const pass = async (ms: number): Promise<void> => {
      for (let left = ms; left > 0; left -= 60_000) {
        clock.advance(Math.min(left, 60_000));
        player.host.presentDue();
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    // Half an hour later the schedule begins, two hours later it ends.
    await pass(0.5 * hour - 60_000);
    expect(assetOn(player)).toBe(assets.usual);
    await pass(120_000);
    await eventually(() => assetOn(player) === assets.scheduled);
    await pass(2 * hour - 120_000);
    expect(assetOn(player)).toBe(assets.scheduled);
    await pass(120_000);
    await eventually(() => assetOn(player) === assets.usual);
    const kinds = player.host.scenes.slice(seen).map(({ screen }) => screen.is);
    expect([...new Set(kinds)]).toEqual(["stage"]);
  },
);

test("[CLK13] a player that learns the time only after it has played for a while follows its schedules from then on", async () => {
  await using folder = await temporaryFolder();
  const real = new FakeClock(noon + 3 * hour);
  await using service = await TestService.start(join(folder.path, "service"), { clock: real });
  const { scheduled, playerFolder, usual } = await pairedPlayer(service, folder.path, real);
  const machine = new FakeClock(0);
  let server = nowhere;
  await using player = new TestPlayer(playerFolder, () => server, machine);
  const pass = (ms: number): void => {
    real.advance(ms);
    machine.advance(ms);
    player.host.presentDue();
  };
  await eventually(() => assetOn(player) === usual);
  for (let minute = 0; minute < 10; minute += 1) pass(60_000);
  expect(assetOn(player)).toBe(usual);
  server = service.service.url;
  await eventually(() => {
    if (player.lines.some(({ msg }) => msg === "connected")) return true;
    pass(1_000);
    return false;
  });
  pass(5_000);
  await eventually(() => assetOn(player) === scheduled);
});

test("[NTP8] a service whose clock is two hours ahead of the time servers is not believed, and reported as service-time-wrong", async () => {
  await using folder = await temporaryFolder();
  const real = new FakeClock(noon + hour);
  const ahead: Clock = {
    now: () => real.now() + 2 * hour,
    monotonic: () => real.monotonic(),
    elapsed: () => real.elapsed(),
    wait: (ms, signal) => real.wait(ms, signal),
  };
  await using service = await TestService.start(join(folder.path, "service"), { clock: ahead });
  await using time = await startTimeServer((asked) => [responseTo(asked, real.now())]);
  const { playerFolder, usual, playerId } = await pairedPlayer(service, folder.path, real);
  await using player = new TestPlayer(playerFolder, () => service.service.url, real, { ntp: [time.server] });
  const problem = await eventually(async () => {
    real.advance(1_000);
    player.host.presentDue();
    const { body } = await service.call("GET", `players/${playerId}`);
    return (body.problems as { code: string; detail: string }[]).find(({ code }) => code === "service-time-wrong") ?? null;
  });
  expect(problem.detail).toMatch(/it is 7[12]\d\d s ahead$/);
  await eventually(() => assetOn(player) === usual);
});

/** A player that has received a state from the service and was switched off; its schedule lasts from 14:00 to 16:00. */
async function pairedPlayer(service: TestService, folder: string, clock: FakeClock) {
  const playerFolder = join(folder, newId("plr"));
  const player = new TestPlayer(playerFolder, () => service.service.url, clock);
  const claimed = await service.call("POST", "players/pair", { code: await player.pairingCode(), name: "Lobby" });
  const playerId = claimed.body.id as string;
  const layoutOf = async (shade: number) => {
    const asset = (await service.upload(await picture("png", shade))).body;
    const items = [{ type: "image", asset_id: asset.id, duration_ms: 24 * hour }];
    const { layout } = await service.createLayout(items);
    return { asset: asset.id as string, layout };
  };
  const [usual, scheduled] = [await layoutOf(8), await layoutOf(16)];
  const timing = { starts_at: at(14), ends_at: at(16), target: { type: "team" } };
  expect((await service.call("POST", "schedules", { name: "S", layout_id: scheduled.layout.id, ...timing })).status).toBe(201);
  expect((await service.call("PATCH", `players/${playerId}`, { layout_id: usual.layout.id })).status).toBe(200);
  await eventually(async () => {
    clock.advance(500);
    player.host.presentDue();
    return (await service.call("GET", `players/${playerId}`)).body.in_sync === true;
  });
  await player.stop();
  return { playerFolder, playerId, usual: usual.asset, scheduled: scheduled.asset };
}
