// The appearance of layouts in the scene: transitions, rotated zones, backgrounds, and the cost of keeping items ready.
import { expect, test } from "vitest";
import { stageAt, applyProgram, type Playback } from "../../src/playback/playback.ts";
import { programAt } from "../../src/schedule/program.ts";
import { loopEpochMs, type DesiredState } from "../../src/protocol/device/desired-state.ts";
import type { Transition } from "../../src/protocol/content/transition.ts";
import { assetOf, desiredOf, imageItem, readyOf } from "../support/states.ts";

const red = assetOf(Buffer.from("red"));
const blue = assetOf(Buffer.from("blue"), { width: 1_920, height: 1_080 });
const ground = assetOf(Buffer.from("ground"));
const t0 = loopEpochMs + 30_000_000;
const wipe: Transition = { type: "wipe", duration_ms: 500, easing: "linear", direction: "up" };
const zoom: Transition = { type: "zoom", duration_ms: 900, easing: "ease", direction: "left" };

function stageOf(playback: Playback) {
  return stageAt(playback, t0, "UTC")!.stage;
}

function taken(before: Playback | null, desired: DesiredState): Playback {
  const ready = readyOf(desired);
  return applyProgram(before, programAt(ready, t0).program, t0, ready.desired.assets);
}

/** The state with changes to its layout and its only zone. */
function changed(desired: DesiredState, layout: object, zone: object = {}): DesiredState {
  const [only] = desired.layout!.zones;
  return { ...desired, revision: "r2", layout: { ...desired.layout!, ...layout, zones: [{ ...only!, ...zone }] } };
}

const items = [{ ...imageItem(red, 1_000), transition: wipe }, imageItem(blue, 2_000)];
const plain = desiredOf(items, [red, blue, ground]);

test("[TRA10] an item's own transition takes precedence over its zone's; changing one does not interrupt a play", () => {
  const before = taken(null, changed(plain, { transition: zoom }, { transition: zoom }));
  const stage = stageOf(before);
  expect(stage.transition).toEqual(zoom);
  expect(stage.zones[0]!.slots.slice(0, 2).map(({ transition }) => transition)).toEqual([wipe, zoom]);
  const calmer = {
    ...plain,
    playlists: plain.playlists.map((list) => ({ ...list, items: [{ ...items[0]!, transition: zoom }, items[1]!] })),
  };
  const after = stageOf(taken(before, changed(calmer, {}, {})));
  expect(after.key).toBe(stage.key);
  expect(after.zones[0]!.slots.map(({ key }) => key)).toEqual(stage.zones[0]!.slots.map(({ key }) => key));
  expect(after.zones[0]!.slots.slice(0, 2).map(({ transition }) => transition)).toEqual([zoom, undefined]);
});

test("[ZON9] another background or rotation is another stage, another orientation is not; an image costs its decoded bytes", () => {
  const before = taken(null, plain);
  const stage = stageOf(before);
  expect(stage.background_src).toBeUndefined();
  const grounded = stageOf(taken(before, changed(plain, { background_asset_id: ground.id })));
  expect(grounded.background_src).toBe(`/media/${ground.sha256}`);
  expect(grounded.key).not.toBe(stage.key);
  const turned = stageOf(taken(before, changed(plain, {}, { rotation: 90 })));
  expect(turned.zones[0]!.rotation).toBe(90);
  expect(turned.key).not.toBe(stage.key);
  const upright = stageOf(taken(before, { ...plain, player: { ...plain.player, orientation: "portrait" } }));
  expect(upright.key).toBe(stage.key);
  expect(stage.zones[0]!.slots[1]!.cost).toEqual({ bytes: 1_920 * 1_080 * 4, decoders: 0 });
});
