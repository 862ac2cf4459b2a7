// Synchronized players: two players compute the same independently, and each reports its drift.
import { expect, test } from "vitest";
import type { ReadyState } from "../../../src/player/content/ready-content.ts";
import { PlaybackDrift } from "../../../src/player/proof/playback-drift.ts";
import { stageAt, applyProgram } from "../../../src/playback/playback.ts";
import { ScheduleFollower } from "../../../src/player/playback/schedule-follower.ts";
import { InterventionStore } from "../../../src/player/playback/intervention-store.ts";
import { programAt } from "../../../src/schedule/program.ts";
import { loopEpochMs } from "../../../src/protocol/device/desired-state.ts";
import type { SceneZone } from "../../../src/protocol/scene.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { silentLog } from "../../../src/base/log.ts";
import { assetOf, desiredOf, imageItem, newId, readyOf, withItems } from "../../support/states.ts";
import { schedule } from "../../schedule/schedules.ts";

const [red, green, blue] = ["red", "green", "blue"].map((name) => assetOf(Buffer.from(name))) as [
  ReturnType<typeof assetOf>,
  ReturnType<typeof assetOf>,
  ReturnType<typeof assetOf>,
];
const all = [red, green, blue];
const t0 = loopEpochMs + 86_400_000_000;

/** A player that starts at `at`. */
async function player(folder: string, at: number) {
  const clock = new FakeClock(at);
  const follower = new ScheduleFollower(await InterventionStore.open(folder, silentLog), clock, silentLog, "UTC");
  return {
    /** What its zones show at `instant`. */
    zonesAt(ready: ReadyState, instant: number): SceneZone[] {
      clock.advance(instant - clock.now());
      return stageAt(follower.follow(ready, instant)[0]!.playback, instant, "UTC")!.stage.zones;
    },
  };
}

/** Two states, one after the other. With `syncEpoch` the second has a layout whose loops count from that epoch. */
function states(syncEpoch: string | null): [ReadyState, ReadyState] {
  const items = [imageItem(red, 7_000), imageItem(green, 4_000)];
  const before = desiredOf(items, all);
  const after = withItems(before, [...items, imageItem(blue, 3_000)], all, "r2");
  if (syncEpoch === null) return [readyOf(before), readyOf(after)];
  const layout = { ...after.layout!, id: newId("lay") };
  const schedules = [schedule(layout.id, "2020-01-01T00:00", null, { sync_epoch: syncEpoch })];
  return [readyOf(before), readyOf({ ...after, layouts: [layout], schedules })];
}

test.each([
  ["the fixed epoch", null],
  ["an epoch of their schedule", "2024-05-05T05:05:05.555Z"],
])(
  "[SYN7] players that got the same state at different times are at the same point of their loops, counted from %s",
  async (_, syncEpoch) => {
    await using folder = await temporaryFolder();
    const [before, after] = states(syncEpoch);
    const early = await player(`${folder.path}/early`, t0);
    const late = await player(`${folder.path}/late`, t0 + 123_457);
    // One player has played the state before and finishes its item. The other starts with the new state in the middle of an item.
    early.zonesAt(before, t0);
    early.zonesAt(after, t0 + 100_001);
    late.zonesAt(after, t0 + 123_457);
    let compared = 0;
    for (let instant = t0 + 130_000; instant < t0 + 330_000; instant += 997) {
      const [one, other] = [early.zonesAt(after, instant), late.zonesAt(after, instant)];
      const plays = (zones: SceneZone[]) =>
        zones.map(({ slots }) => slots.map(({ key, starts_at, offset_ms, ends_at }) => [key, starts_at - offset_ms, ends_at]));
      expect(plays(one)).toEqual(plays(other));
      compared += 1;
    }
    expect(compared).toBeGreaterThan(200);
    // Both count from the epoch.
    const epoch = syncEpoch === null ? loopEpochMs : Date.parse(syncEpoch);
    const first = early.zonesAt(after, t0 + 400_000)[0]!.slots.find(({ item }) => item.asset_id === red.id)!;
    expect((first.starts_at - epoch) % 14_000).toBe(0);
  },
);

test("[SYN8] the reported drift is the worst and the mean of the last half minute, and missing when nothing plays", () => {
  const clock = new FakeClock();
  const drift = new PlaybackDrift(clock);
  const report = (worst_ms: number, mean_ms: number, measures: number) =>
    drift.handleMessage({ type: "beat", at: 0, frames: 1, drift: { worst_ms, mean_ms, measures } });
  expect(drift.figures).toBeNull();
  drift.handleMessage({ type: "beat", at: 0, frames: 1, drift: null });
  expect(drift.figures).toBeNull();
  report(90, -90, 1);
  clock.advance(10_000);
  report(10, 6, 3);
  expect(drift.figures).toEqual({ worstMs: 90, meanMs: (-90 + 18) / 4 });
  clock.advance(25_000);
  expect(drift.figures).toEqual({ worstMs: 10, meanMs: 6 });
  clock.advance(10_000);
  expect(drift.figures).toBeNull();
});

test("[WAL7] a wall's part applies to every layout of the player, overrides included; another part makes another stage", () => {
  const part = { wall_width: 200, wall_height: 100, left: 0, top: 0, width: 95, height: 100 };
  const desired = desiredOf([imageItem(red, 7_000)], all);
  const staged = (
    wall: typeof part | undefined,
    records: Parameters<typeof programAt>[2] = { interventions: [], deviceTimeZone: "UTC" },
  ) => {
    const ready = readyOf({ ...desired, player: { ...desired.player, ...(wall === undefined ? {} : { wall }) } });
    return stageAt(applyProgram(null, programAt(ready, t0, records).program, t0), t0, "UTC")!.stage;
  };
  expect(staged(undefined).wall).toBeUndefined();
  expect(staged(part).wall).toEqual(part);
  expect(staged({ ...part }).key).toBe(staged(part).key);
  expect(staged({ ...part, left: 105 }).key).not.toBe(staged(part).key);
  const override = {
    is: "override" as const,
    id: newId("cmd"),
    at: t0 - 1,
    until: null,
    level: "normal" as const,
    show: { assetId: green.id },
  };
  const shown = staged(part, { interventions: [override], deviceTimeZone: "UTC" });
  expect(shown.wall).toEqual(part);
  expect(shown.zones[0]?.slots[0]?.item.asset_id).toBe(green.id);
});

test("[WAL8] a zone is on those displays of a wall that show any part of it, rotated too, and neither loaded nor counted on the others", () => {
  const wall = { wall_width: 2_100, wall_height: 1_000, top: 0, width: 1_000, height: 1_000 };
  const desired = desiredOf([imageItem(red, 7_000)], all);
  const zonesAt = (left: number, box: object) => {
    const zone = { ...desired.layout!.zones[0]!, top: 0, height: 100, ...box };
    // Half the size of the wall: each pixel of the layout is two of the wall.
    const layout = { ...desired.layout!, width: 1_050, height: 500, zones: [zone] };
    const ready = readyOf({ ...desired, layout, player: { ...desired.player, wall: { ...wall, left } } });
    return stageAt(applyProgram(null, programAt(ready, t0).program, t0), t0, "UTC")!.stage.zones.length;
  };
  const displays = (box: object) => [zonesAt(0, box), zonesAt(1_100, box)];
  expect(displays({ left: 0, width: 500 })).toEqual([1, 0]);
  expect(displays({ left: 550, width: 500 })).toEqual([0, 1]);
  expect(displays({ left: 499, width: 52 })).toEqual([1, 1]);
  // Between the displays, behind the bezels.
  expect(displays({ left: 500, width: 50 })).toEqual([0, 0]);
  expect(displays({ left: 500, width: 50, rotation: 45 })).toEqual([1, 1]);
});
