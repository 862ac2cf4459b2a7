import fc from "fast-check";
import { expect, test } from "vitest";
import { isSameLayout, toZones, type EditedLayout } from "../../../../renderer/console/pages/layouts/model/edited-layout.ts";
import { otherOrientation } from "../../../../renderer/console/pages/layouts/model/orientation.ts";
import { starts } from "../../../../renderer/console/pages/layouts/model/starts.ts";
import { layout, place, zone } from "./samples.ts";

const lobby = layout([zone("main", [0, 0, 1_440, 960]), zone("side", [1_440, 0, 480, 960]), zone("ticker", [0, 960, 1_920, 120])]);

test("[CLY5] in the other orientation columns become rows, and bands keep their edge and their height", () => {
  const portrait = otherOrientation(lobby);
  expect([portrait.width, portrait.height]).toEqual([1_080, 1_920]);
  expect([place(portrait, "main"), place(portrait, "side"), place(portrait, "ticker")]).toEqual([
    "0,0 1080×1350",
    "0,1350 1080×450",
    "0,1800 1080×120",
  ]);
  expect(isSameLayout(otherOrientation(portrait), lobby)).toBe(true);
  // A picture behind everything stays behind everything.
  const covered = otherOrientation({ ...lobby, zones: [zone("back", [0, 0, 1_920, 1_080]), ...lobby.zones] });
  expect([place(covered, "back"), place(covered, "ticker")]).toEqual(["0,0 1080×1920", "0,1800 1080×120"]);
});

test("[CLY5] whatever the zones, they stay inside, and turning twice gives the same layout but for rounding", () => {
  const anyLayout = fc.record({ width: fc.integer({ min: 100, max: 8_000 }), height: fc.integer({ min: 100, max: 8_000 }) }).chain((size) =>
    fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat(), fc.nat()), { maxLength: 6 }).map((places): EditedLayout => {
      const zones = places.map(([a, b, c, d], index) => {
        const [left, top] = [a % size.width, b % size.height];
        return zone(`z${index}`, [left, top, 1 + (c % (size.width - left)), 1 + (d % (size.height - top))]);
      });
      return layout(zones, size);
    }),
  );
  fc.assert(
    fc.property(anyLayout, (any) => {
      const other = otherOrientation(any);
      expect([other.width, other.height]).toEqual([any.height, any.width]);
      for (const each of other.zones) {
        expect(each.left >= 0 && each.top >= 0 && each.width >= 1 && each.height >= 1).toBe(true);
        expect(each.left + each.width <= other.width && each.top + each.height <= other.height).toBe(true);
      }
    }),
  );
});

test("[CLY6] the starting layouts are three for landscape and three for portrait, without gaps and inside the screen", () => {
  expect(starts.map(({ width, height }) => width > height)).toEqual([true, true, true, false, false, false]);
  for (const { width, height, zones } of starts) {
    expect(zones.reduce((sum, each) => sum + each.width * each.height, 0)).toBe(width * height);
    expect(zones.every((each) => each.left + each.width <= width && each.top + each.height <= height)).toBe(true);
  }
});

test("[CLY7] the order of the zones is stored in `z_index`, which changes only where it must", () => {
  const depths = [zone("a", [0, 0, 10, 10], { depth: 5 }), zone("b", [0, 0, 10, 10], { depth: 20 })];
  expect(toZones(layout(depths)).map(({ z_index }) => z_index)).toEqual([5, 20]);
  expect(toZones(layout(depths.toReversed())).map(({ z_index }) => z_index)).toEqual([20, 20]);
});
