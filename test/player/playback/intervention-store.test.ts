// How overrides, skips and pauses change the program, and that they survive a restart.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { stageAt } from "../../../src/playback/playback.ts";
import { ScheduleFollower } from "../../../src/player/playback/schedule-follower.ts";
import { InterventionStore } from "../../../src/player/playback/intervention-store.ts";
import { loopEpochMs } from "../../../src/protocol/device/desired-state.ts";
import type { PlayCommand } from "../../../src/protocol/device/play-commands.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { assetOf, desiredOf, imageItem, newId, readyOf } from "../../support/states.ts";
import { layout } from "../../schedule/schedules.ts";

const assets = ["red", "green", "blue"].map((name) => assetOf(Buffer.from(name)));
const [red, green, blue] = assets as [(typeof assets)[0], (typeof assets)[0], (typeof assets)[0]];
// The start of a loop of three items of ten seconds each.
const t0 = loopEpochMs + 30_000 * 30_000;

/** A player with a loop of red, green and blue, and a second layout. */
async function openPlayer(folder: string) {
  const clock = new FakeClock(t0);
  const special = layout();
  const desired = {
    ...desiredOf(
      [red, green, blue].map((asset) => imageItem(asset, 10_000)),
      assets,
    ),
    layouts: [special],
  };
  const ready = readyOf(desired);
  const store = await InterventionStore.open(folder, silentLog);
  let follower = new ScheduleFollower(store, clock, silentLog, "UTC");
  follower.follow(ready, clock.now());
  return {
    clock,
    ready,
    special,
    base: desired.layout!.id,
    async send(type: PlayCommand["type"], args: object = {}) {
      const id = newId("cmd");
      return { id, result: await follower.apply({ type, args, id, ttl_s: 600 } as PlayCommand & { id: string }) };
    },
    /** The current layout. */
    get layout() {
      return follower.follow(ready, clock.now())[0]!.playback.program.layout!.id;
    },
    /** The current slots of the first zone. */
    get slots() {
      return stageAt(follower.follow(ready, clock.now())[0]!.playback, clock.now(), "UTC")!.stage.zones[0]?.slots ?? [];
    },
    get shown() {
      return this.slots[0]?.item.asset_id;
    },
    get changesAt() {
      return follower.follow(ready, clock.now())[0]!.until;
    },
    async restart() {
      follower = new ScheduleFollower(await InterventionStore.open(folder, silentLog), clock, silentLog, "UTC");
      follower.follow(ready, clock.now());
    },
  };
}

test("[OVR3] an override shows at once and ends on time; the loop then continues where it would be without it", async () => {
  await using folder = await temporaryFolder();
  const player = await openPlayer(folder.path);
  player.clock.advance(3_000);
  expect([player.layout, player.shown]).toEqual([player.base, red.id]);
  await player.send("override.set", { layout_id: player.special.id, duration_ms: 20_000, level: "normal" });
  expect(player.layout).toBe(player.special.id);
  expect(player.changesAt).toBe(t0 + 23_000);
  player.clock.advance(19_999);
  expect(player.layout).toBe(player.special.id);
  player.clock.advance(1);
  expect([player.layout, player.shown]).toEqual([player.base, blue.id]);
  expect(player.slots[0]).toMatchObject({ starts_at: t0 + 23_000, offset_ms: 3_000, ends_at: t0 + 30_000 });
});

test("[OVR4] an override stays until it is cleared, even across a restart; the newest of several shows", async () => {
  await using folder = await temporaryFolder();
  const player = await openPlayer(folder.path);
  const lasting = await player.send("override.set", { layout_id: player.special.id, level: "normal" });
  player.clock.advance(86_400_000 * 30);
  await player.restart();
  expect(player.layout).toBe(player.special.id);
  player.clock.advance(1_000);
  const alone = await player.send("override.set", { asset_id: green.id, level: "normal" });
  expect(player.shown).toBe(green.id);
  await player.send("override.clear", { override_id: alone.id });
  expect(player.layout).toBe(player.special.id);
  expect((await player.send("override.clear", { override_id: lasting.id })).result).toEqual({ ended: 1 });
  expect(player.layout).toBe(player.base);
  expect((await player.send("override.clear")).result).toEqual({ ended: 0 });
});

test("[OVR5] an emergency override outranks every other override, and no pause holds it back", async () => {
  await using folder = await temporaryFolder();
  const player = await openPlayer(folder.path);
  await player.send("override.set", { asset_id: red.id, level: "emergency", duration_ms: 60_000 });
  player.clock.advance(1_000);
  await player.send("override.set", { layout_id: player.special.id, level: "normal" });
  expect(player.shown).toBe(red.id);
  player.clock.advance(1_000);
  await player.send("pause", { duration_ms: 3_600_000 });
  player.clock.advance(1_000);
  await player.send("override.set", { asset_id: blue.id, level: "emergency", duration_ms: 10_000 });
  expect(player.shown).toBe(blue.id);
});

test("[OVR6] an override of content that the player does not have yet leaves the screen unchanged", async () => {
  await using folder = await temporaryFolder();
  const player = await openPlayer(folder.path);
  await player.send("override.set", { layout_id: newId("lay"), level: "normal" });
  expect([player.layout, player.shown]).toEqual([player.base, red.id]);
});

test("[OVR7] a skip shows the next item at once; when that item ends, the loop continues where it would be without the skip", async () => {
  await using folder = await temporaryFolder();
  const player = await openPlayer(folder.path);
  player.clock.advance(3_000);
  expect(player.shown).toBe(red.id);
  expect((await player.send("skip")).result).toMatchObject({ skipped: [{}] });
  expect(player.slots.slice(0, 3)).toMatchObject([
    { starts_at: t0 + 3_000, ends_at: t0 + 20_000, item: { asset_id: green.id } },
    { starts_at: t0 + 20_000, ends_at: t0 + 30_000, item: { asset_id: blue.id } },
    { starts_at: t0 + 30_000, item: { asset_id: red.id } },
  ]);
  const { key } = player.slots[0]!;
  player.clock.advance(9_000);
  // After the end of the skipped item, and after a restart, it is still the same play.
  expect(player.slots[0]).toMatchObject({ key, ends_at: t0 + 20_000 });
  await player.restart();
  expect(player.slots[0]).toMatchObject({ key, ends_at: t0 + 20_000 });
  // A second skip goes to the item after that.
  await player.send("skip");
  expect(player.slots[0]).toMatchObject({ starts_at: t0 + 12_000, ends_at: t0 + 30_000, item: { asset_id: blue.id } });
  player.clock.advance(19_000);
  expect(player.slots[0]).toMatchObject({ starts_at: t0 + 30_000, ends_at: t0 + 40_000, item: { asset_id: red.id } });
  await expect(player.send("skip", { zone_id: newId("zon") })).rejects.toMatchObject({ code: "unsupported" });
});

test("[OVR8] a pause holds the current item; the loop then continues where it would be without it", async () => {
  await using folder = await temporaryFolder();
  const player = await openPlayer(folder.path);
  player.clock.advance(3_000);
  const { key } = player.slots[0]!;
  await player.send("pause", { duration_ms: 60_000 });
  player.clock.advance(42_000);
  expect(player.slots[0]).toMatchObject({ key, item: { asset_id: red.id }, ends_at: t0 + 63_000 });
  await player.restart();
  expect(player.slots[0]).toMatchObject({ key, item: { asset_id: red.id } });
  player.clock.advance(18_000);
  expect(player.slots[0]).toMatchObject({ starts_at: t0 + 60_000, item: { asset_id: red.id } });
  expect(player.slots[1]).toMatchObject({ starts_at: t0 + 70_000, item: { asset_id: green.id } });
});

test("[OVR8] resume and skip end a pause; a second pause only moves its end", async () => {
  await using folder = await temporaryFolder();
  const player = await openPlayer(folder.path);
  player.clock.advance(3_000);
  await player.send("pause", { duration_ms: 60_000 });
  player.clock.advance(12_000);
  await player.send("pause", { duration_ms: 60_000 });
  expect(player.slots[0]).toMatchObject({ item: { asset_id: red.id }, ends_at: t0 + 75_000 });
  expect((await player.send("resume")).result).toEqual({ ended: 1 });
  expect(player.slots[0]).toMatchObject({ starts_at: t0 + 10_000, item: { asset_id: green.id } });
  await player.send("pause", { duration_ms: 60_000 });
  player.clock.advance(6_000);
  await player.send("skip");
  expect(player.slots[0]).toMatchObject({ starts_at: t0 + 21_000, item: { asset_id: red.id }, ends_at: t0 + 40_000 });
});

test("[OVR9] a damaged file of interventions loses the overrides and does not stop the player", async () => {
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, "records.json"), "rubbish");
  const player = await openPlayer(folder.path);
  expect(player.layout).toBe(player.base);
  await player.send("override.set", { layout_id: player.special.id, level: "normal" });
  await player.restart();
  expect(player.layout).toBe(player.special.id);
});
