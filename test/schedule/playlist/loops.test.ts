// Loops of one playlist: counted from the epoch, with the durations of their items.
import fc from "fast-check";
import { expect, test } from "vitest";
import { playAt } from "../../../src/schedule/timeline.ts";
import { programAt } from "../../../src/schedule/program.ts";
import { PlaylistItem } from "../../../src/protocol/content/items.ts";
import { defaultItemDurationMs } from "../../../src/protocol/content/item-kinds.ts";
import { loopEpochMs } from "../../../src/protocol/device/desired-state.ts";
import { assetOf, desiredOf, imageItem, newId, readyOf } from "../../support/states.ts";

const red = assetOf(Buffer.from("red"));
const blue = assetOf(Buffer.from("blue"));
const video = assetOf(Buffer.from("video"), { mime_type: "video/mp4", duration_ms: 5_040 });

function timelineOf(...durations: number[]) {
  const items = durations.map((durationMs) => imageItem(red, durationMs));
  return programAt(readyOf(desiredOf(items, [red])), 0).program.zones[0]!.timeline;
}

test("[PLB1] a loop counts from the fixed epoch: exactly one play is on at every instant", () => {
  const durations = fc.array(fc.integer({ min: 100, max: 86_400_000 }), { minLength: 1, maxLength: 20 });
  const instants = fc.double({ min: Date.UTC(1970, 0, 1), max: Date.UTC(2100, 0, 1), noNaN: true });
  fc.assert(
    fc.property(durations, instants, (lengths, instant) => {
      const timeline = timelineOf(...lengths);
      const play = playAt(timeline, instant)!;
      expect(play.startsAt).toBeLessThanOrEqual(instant);
      expect(play.endsAt).toBeGreaterThan(instant);
      expect(play.endsAt - play.startsAt).toBe(play.timedItem.durationMs);
      // The next play begins where this one ends, and is the next item.
      const next = playAt(timeline, play.endsAt)!;
      expect(next.startsAt).toBe(play.endsAt);
      const index = timeline.items.indexOf(play.timedItem);
      expect(timeline.items.indexOf(next.timedItem)).toBe((index + 1) % timeline.items.length);
    }),
    { numRuns: 500 },
  );
});

test("[PLB1] at the epoch a loop begins with its first item", () => {
  const timeline = timelineOf(1_000, 2_000);
  expect(playAt(timeline, loopEpochMs)).toMatchObject({ startsAt: loopEpochMs, endsAt: loopEpochMs + 1_000 });
  expect(playAt(timeline, loopEpochMs + 2_999)!.timedItem).toBe(timeline.items[1]);
});

test("[PLB2] an item without a duration plays as long as its media, or for ten seconds if it has none", () => {
  const items = [
    PlaylistItem.parse({ id: newId("itm"), type: "video", asset_id: video.id }),
    PlaylistItem.parse({ id: newId("itm"), type: "image", asset_id: red.id }),
  ];
  const { timeline } = programAt(readyOf(desiredOf(items, [red, video])), 0).program.zones[0]!;
  expect(timeline.items.map(({ durationMs }) => durationMs)).toEqual([5_040, defaultItemDurationMs]);
});

test("[PLB3] a loop leaves out an item whose file is not verified", () => {
  const ready = readyOf(desiredOf([imageItem(red, 1_000), imageItem(blue, 1_000)], [red, blue]));
  const without = { ...ready, files: new Map([[blue.id, blue.sha256]]) };
  const { timeline } = programAt(without, 0).program.zones[0]!;
  expect(timeline.items.map(({ asset }) => asset?.id)).toEqual([blue.id]);
  expect(playAt(programAt({ ...ready, files: new Map() }, 0).program.zones[0]!.timeline, 0)).toBeNull();
});
