// What overrides, skips and pauses do to the program, and that they outlive a restart.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { stageAt } from "../../../src/player/playback/playback.ts";
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
// At the start of a loop of three items, ten seconds each.
const t0 = loopEpochMs + 30_000 * 30_000;

/** A screen with a loop of red, green and blue, and a second layout. */
async function screen(folder: string) {
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
  const records = await InterventionStore.open(folder, silentLog);
  let programme = new ScheduleFollower(records, clock, silentLog, "UTC");
  programme.follow(ready, clock.now());
  return {
    clock,
    ready,
    special,
    base: desired.layout!.id,
    async send(type: PlayCommand["type"], args: object = {}) {
      const id = newId("cmd");
      return { id, result: await programme.apply({ type, args, id, ttl_s: 600 } as PlayCommand & { id: string }) };
    },
    /** The layout on now. */
    get layout() {
      return programme.follow(ready, clock.now())[0]!.playback.program.layout!.id;
    },
    /** The slots of the first zone. */
    get slots() {
      return stageAt(programme.follow(ready, clock.now())[0]!.playback, clock.now(), "UTC")!.stage.zones[0]?.slots ?? [];
    },
    get shown() {
      return this.slots[0]?.item.asset_id;
    },
    get changesAt() {
      return programme.follow(ready, clock.now())[0]!.until;
    },
    async restart() {
      programme = new ScheduleFollower(await InterventionStore.open(folder, silentLog), clock, silentLog, "UTC");
      programme.follow(ready, clock.now());
    },
  };
}

test("[OVR3] an override shows at once and ends on time; the loop then continues where it would be without it", async () => {
  await using folder = await temporaryFolder();
  const place = await screen(folder.path);
  place.clock.advance(3_000);
  expect([place.layout, place.shown]).toEqual([place.base, red.id]);
  await place.send("override.set", { layout_id: place.special.id, duration_ms: 20_000, level: "normal" });
  expect(place.layout).toBe(place.special.id);
  expect(place.changesAt).toBe(t0 + 23_000);
  place.clock.advance(19_999);
  expect(place.layout).toBe(place.special.id);
  place.clock.advance(1);
  expect([place.layout, place.shown]).toEqual([place.base, blue.id]);
  expect(place.slots[0]).toMatchObject({ starts_at: t0 + 23_000, offset_ms: 3_000, ends_at: t0 + 30_000 });
});

test("[OVR4] an override stays until it is cleared, even across a restart, and the newest shows", async () => {
  await using folder = await temporaryFolder();
  const place = await screen(folder.path);
  const lasting = await place.send("override.set", { layout_id: place.special.id, level: "normal" });
  place.clock.advance(86_400_000 * 30);
  await place.restart();
  expect(place.layout).toBe(place.special.id);
  place.clock.advance(1_000);
  const alone = await place.send("override.set", { asset_id: green.id, level: "normal" });
  expect(place.shown).toBe(green.id);
  await place.send("override.clear", { override_id: alone.id });
  expect(place.layout).toBe(place.special.id);
  expect((await place.send("override.clear", { override_id: lasting.id })).result).toEqual({ ended: 1 });
  expect(place.layout).toBe(place.base);
  expect((await place.send("override.clear")).result).toEqual({ ended: 0 });
});

test("[OVR5] an emergency override outranks every other override, and no pause holds it back", async () => {
  await using folder = await temporaryFolder();
  const place = await screen(folder.path);
  await place.send("override.set", { asset_id: red.id, level: "emergency", duration_ms: 60_000 });
  place.clock.advance(1_000);
  await place.send("override.set", { layout_id: place.special.id, level: "normal" });
  expect(place.shown).toBe(red.id);
  place.clock.advance(1_000);
  await place.send("pause", { duration_ms: 3_600_000 });
  place.clock.advance(1_000);
  await place.send("override.set", { asset_id: blue.id, level: "emergency", duration_ms: 10_000 });
  expect(place.shown).toBe(blue.id);
});

test("[OVR6] an override of content that the player does not have yet leaves the screen unchanged", async () => {
  await using folder = await temporaryFolder();
  const place = await screen(folder.path);
  await place.send("override.set", { layout_id: newId("lay"), level: "normal" });
  expect([place.layout, place.shown]).toEqual([place.base, red.id]);
});

test("[OVR7] a skip shows the next item at once; when that item ends, the loop continues where it would be without the skip", async () => {
  await using folder = await temporaryFolder();
  const place = await screen(folder.path);
  place.clock.advance(3_000);
  expect(place.shown).toBe(red.id);
  expect((await place.send("skip")).result).toMatchObject({ skipped: [{}] });
  expect(place.slots.slice(0, 3)).toMatchObject([
    { starts_at: t0 + 3_000, ends_at: t0 + 20_000, item: { asset_id: green.id } },
    { starts_at: t0 + 20_000, ends_at: t0 + 30_000, item: { asset_id: blue.id } },
    { starts_at: t0 + 30_000, item: { asset_id: red.id } },
  ]);
  const { key } = place.slots[0]!;
  place.clock.advance(9_000);
  // Past the boundary of the item that was skipped it is still the same play; and so it is after a restart.
  expect(place.slots[0]).toMatchObject({ key, ends_at: t0 + 20_000 });
  await place.restart();
  expect(place.slots[0]).toMatchObject({ key, ends_at: t0 + 20_000 });
  // Twice: on to the next but one.
  await place.send("skip");
  expect(place.slots[0]).toMatchObject({ starts_at: t0 + 12_000, ends_at: t0 + 30_000, item: { asset_id: blue.id } });
  place.clock.advance(19_000);
  expect(place.slots[0]).toMatchObject({ starts_at: t0 + 30_000, ends_at: t0 + 40_000, item: { asset_id: red.id } });
  await expect(place.send("skip", { zone_id: newId("zon") })).rejects.toMatchObject({ code: "unsupported" });
});

test("[OVR8] a pause holds the current item; the loop then continues where it would be without it", async () => {
  await using folder = await temporaryFolder();
  const place = await screen(folder.path);
  place.clock.advance(3_000);
  const { key } = place.slots[0]!;
  await place.send("pause", { duration_ms: 60_000 });
  place.clock.advance(42_000);
  expect(place.slots[0]).toMatchObject({ key, item: { asset_id: red.id }, ends_at: t0 + 63_000 });
  await place.restart();
  expect(place.slots[0]).toMatchObject({ key, item: { asset_id: red.id } });
  place.clock.advance(18_000);
  expect(place.slots[0]).toMatchObject({ starts_at: t0 + 60_000, item: { asset_id: red.id } });
  expect(place.slots[1]).toMatchObject({ starts_at: t0 + 70_000, item: { asset_id: green.id } });
});

test("[OVR8] resume and skip end a pause; a second pause only moves its end", async () => {
  await using folder = await temporaryFolder();
  const place = await screen(folder.path);
  place.clock.advance(3_000);
  await place.send("pause", { duration_ms: 60_000 });
  place.clock.advance(12_000);
  await place.send("pause", { duration_ms: 60_000 });
  expect(place.slots[0]).toMatchObject({ item: { asset_id: red.id }, ends_at: t0 + 75_000 });
  expect((await place.send("resume")).result).toEqual({ ended: 1 });
  expect(place.slots[0]).toMatchObject({ starts_at: t0 + 10_000, item: { asset_id: green.id } });
  await place.send("pause", { duration_ms: 60_000 });
  place.clock.advance(6_000);
  await place.send("skip");
  expect(place.slots[0]).toMatchObject({ starts_at: t0 + 21_000, item: { asset_id: red.id }, ends_at: t0 + 40_000 });
});

test("[OVR9] a damaged file of interventions loses the overrides and does not stop the player", async () => {
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, "records.json"), "rubbish");
  const place = await screen(folder.path);
  expect(place.layout).toBe(place.base);
  await place.send("override.set", { layout_id: place.special.id, level: "normal" });
  await place.restart();
  expect(place.layout).toBe(place.special.id);
});
