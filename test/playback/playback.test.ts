// The plays of a zone that the page is sent, and what a new revision changes. Pure.
import { expect, test } from "vitest";
import { stageAt, applyProgram, type Playback } from "../../src/playback/playback.ts";
import { programAt } from "../../src/schedule/program.ts";
import { loopEpochMs, type DesiredState } from "../../src/protocol/device/desired-state.ts";
import { assetOf, desiredOf, imageItem, readyOf, withItems } from "../support/states.ts";

const assets = ["red", "green", "blue"].map((name) => assetOf(Buffer.from(name)));
const [red, green, blue] = assets as [(typeof assets)[0], (typeof assets)[0], (typeof assets)[0]];
const t0 = loopEpochMs + 30_000_000;

function taken(before: Playback | null, desired: DesiredState, at: number): Playback {
  return applyProgram(before, programAt(readyOf(desired), at).program, at);
}

function slots(playback: Playback, at: number) {
  return stageAt(playback, at, "UTC")!.stage.zones[0]!.slots;
}

test("[PLB4] the page is sent the current play of a zone and the plays that follow it, without a gap", () => {
  const playback = taken(null, desiredOf([imageItem(red, 1_000), imageItem(blue, 2_000)], [red, blue]), t0);
  const all = slots(playback, t0 + 1_500);
  expect(all[0]).toMatchObject({ starts_at: t0 + 1_000, ends_at: t0 + 3_000, offset_ms: 0, item: { asset_id: blue.id } });
  for (const [index, slot] of all.slice(1).entries()) expect(slot.starts_at).toBe(all[index]!.ends_at);
  expect(all.length).toBeGreaterThanOrEqual(3);
});

test("[PLB5] an identical revision changes nothing, not even the keys of the plays", () => {
  const desired = desiredOf([imageItem(red, 1_000), imageItem(blue, 2_000)], [red, blue]);
  const first = taken(null, desired, t0);
  const again = taken(first, { ...desired, revision: "r2" }, t0 + 500);
  expect(slots(again, t0 + 500)).toEqual(slots(first, t0 + 500));
});

test("[PLB6] an item on the screen that is unchanged in the new revision is finished first", () => {
  const items = [imageItem(red, 3_000), imageItem(blue, 3_000)];
  const before = desiredOf(items, [red, blue]);
  const after = withItems(before, [...items, imageItem(green, 3_000)], assets, "r2");
  const first = taken(null, before, t0);
  const second = taken(first, after, t0 + 1_000);
  const [now, next] = slots(second, t0 + 1_000);
  expect(now!.key).toBe(slots(first, t0 + 1_000)[0]!.key);
  expect(now!.ends_at).toBe(t0 + 3_000);
  // From the boundary on, the clock decides the position in the new loop, even in the middle of an item.
  const fresh = slots(taken(null, after, t0 + 3_000), t0 + 3_000)[0]!;
  expect(next!.key).toBe(fresh.key);
  expect(next!.starts_at).toBe(t0 + 3_000);
  expect(next!.offset_ms).toBe(t0 + 3_000 - (fresh.starts_at - fresh.offset_ms));
});

test("[PLB6] after the boundary a restarted player shows the same as one that kept running", () => {
  const items = [imageItem(red, 3_000), imageItem(blue, 3_000)];
  const before = desiredOf(items, [red, blue]);
  const after = withItems(before, [...items, imageItem(green, 3_000)], assets, "r2");
  const wentOn = taken(taken(null, before, t0), after, t0 + 1_000);
  const restarted = taken(null, after, t0 + 20_000);
  expect(slots(wentOn, t0 + 20_000)).toEqual(slots(restarted, t0 + 20_000));
});

test.each([
  ["removed", (items: ReturnType<typeof imageItem>[]) => items.slice(1)],
  ["changed", (items: ReturnType<typeof imageItem>[]) => [{ ...items[0]!, fit: "cover" as const }, ...items.slice(1)]],
])("[PLB7] an item on the screen that is %s in the new revision ends at once", (_how, change) => {
  const items = [imageItem(red, 3_000), imageItem(blue, 3_000)];
  const before = desiredOf(items, [red, blue]);
  const first = taken(null, before, t0);
  const second = taken(first, withItems(before, change(items) as typeof items, [red, blue], "r2"), t0 + 1_000);
  const now = slots(second, t0 + 1_000)[0]!;
  expect(now.key).not.toBe(slots(first, t0 + 1_000)[0]!.key);
  expect(now.starts_at).toBeLessThanOrEqual(t0 + 1_000);
});

test("[PLB8] a layout with different geometry is a different stage: all of its zones switch together", () => {
  const before = desiredOf([imageItem(red, 3_000)], [red]);
  const first = taken(null, before, t0);
  const moved = { ...before, revision: "r2", layout: { ...before.layout!, zones: [{ ...before.layout!.zones[0]!, width: 900 }] } };
  const second = taken(first, moved, t0 + 1);
  expect(stageAt(second, t0 + 1, "UTC")!.stage.key).not.toBe(stageAt(first, t0 + 1, "UTC")!.stage.key);
});

test("[PLB9] if nothing is assigned, there is no stage", () => {
  expect(stageAt(taken(null, { ...desiredOf([], []), layout: null }, t0), t0, "UTC")).toBeNull();
});

test("[REM14] the page receives the plays of eight items, or of the whole loop, so that it can skip items that fail", () => {
  const itemsTold = (length: number, durationMs: number): number => {
    const items = Array.from({ length }, () => imageItem(red, durationMs));
    return new Set(slots(taken(null, desiredOf(items, [red]), t0), t0 + 1).map(({ item }) => item.item_id)).size;
  };
  // Five faulty items of ten seconds follow the current one. The page must also get the next good item.
  expect(itemsTold(7, 10_000)).toBe(7);
  expect(itemsTold(3, 60_000)).toBe(3);
  expect(itemsTold(200, 60_000)).toBe(8);
  expect(itemsTold(200, 100)).toBe(40);
});

test("[REM4] a stage names each item of the current loop by its content, even items whose slots are far in the future", () => {
  const items = Array.from({ length: 12 }, () => imageItem(red, 10_000));
  const before = desiredOf(items, [red]);
  const zoneAt = (desired: DesiredState, at: number) => stageAt(taken(null, desired, at), at, "UTC")!.stage.zones[0]!;
  const { loop, slots: due } = zoneAt(before, t0);
  expect(loop).toHaveLength(12);
  expect(due.length).toBeLessThan(12);
  for (const { of } of due) expect(loop).toContain(of);
  // A later time of day does not change the names. A removed item is no longer named.
  expect(zoneAt(before, t0 + 45_000).loop).toEqual(loop);
  const after = withItems(before, [imageItem(red, 10_000), ...items.slice(1, 11)], [red], "r2");
  const kept = zoneAt(after, t0).loop!.filter((name) => loop!.includes(name));
  expect(kept).toHaveLength(10);
});
