import { expect, test } from "vitest";
import { align, distribute, restack, stackAt } from "../../../../renderer/console/pages/layouts/model/arrange.ts";
import { boundsOf, centerOf, rotate } from "../../../../renderer/console/pages/layouts/model/geometry.ts";
import {
  angleTo,
  growZones,
  handles,
  moveZones,
  resizeLayout,
  resizeZone,
  setZone,
  sidesOf,
} from "../../../../renderer/console/pages/layouts/model/place.ts";
import { linesOf, snapMove, snapResize } from "../../../../renderer/console/pages/layouts/model/snapping.ts";
import { addZone, duplicateZones } from "../../../../renderer/console/pages/layouts/model/zones.ts";
import { layout, order, place, zone } from "./samples.ts";

const three = layout([zone("a", [100, 100, 400, 300]), zone("b", [700, 200, 200, 200]), zone("c", [1_500, 500, 300, 100])]);

test("[CLY1] zones that are moved together stop together at the edge of the layout", () => {
  expect(place(moveZones(three, ["a"], { x: 10, y: -20 }), "a")).toBe("110,80 400×300");
  const moved = moveZones(three, ["a", "c"], { x: 1_000, y: -1_000 });
  expect([place(moved, "a"), place(moved, "b"), place(moved, "c")]).toEqual(["220,0 400×300", "700,200 200×200", "1620,400 300×100"]);
  expect(moveZones(three, ["a"], { x: 0.3, y: 0 })).toBe(three);
});

test("[CLY1] each handle moves its sides, the opposite ones stay, and nothing leaves the layout", () => {
  const places = (by: { x: number; y: number }) => handles.map((handle) => place(resizeZone(three, "a", handle, by), "a"));
  expect(places({ x: 10, y: 20 })).toEqual([
    "100,120 400×280",
    "100,120 410×280",
    "100,100 410×300",
    "100,100 410×320",
    "100,100 400×320",
    "110,100 390×320",
    "110,100 390×300",
    "110,120 390×280",
  ]);
  expect(place(resizeZone(three, "a", "se", { x: 5_000, y: 5_000 }), "a")).toBe("100,100 1820×980");
  expect(place(resizeZone(three, "a", "nw", { x: -5_000, y: -5_000 }), "a")).toBe("0,0 500×400");
  expect(place(resizeZone(three, "a", "nw", { x: 5_000, y: 5_000 }), "a")).toBe("492,392 8×8");
  expect(place(resizeZone(three, "a", "se", { x: 400, y: 0 }, true), "a")).toBe("100,100 800×600");
  expect(place(resizeZone(three, "a", "se", { x: 5_000, y: 0 }, true), "a")).toBe("100,100 1307×980");
  expect(place(growZones(three, ["a"], { x: -1, y: 10 }), "a")).toBe("100,100 399×310");
  expect(place(growZones(three, ["c"], { x: 500, y: -500 }), "c")).toBe("1500,500 420×1");
});

test("[CLY1] a turned zone is resized along its own sides, and its opposite corner stays on the screen", () => {
  for (const rotation of [30, 90, 180, 200, 270, 315]) {
    const turnedLayout = layout([zone("a", [700, 400, 400, 200], { rotation })]);
    const corner = (each: typeof turnedLayout, x: number, y: number) => {
      const [only] = each.zones;
      const center = centerOf(only!);
      const away = rotate({ x: (x * only!.width) / 2, y: (y * only!.height) / 2 }, rotation);
      return [center.x + away.x, center.y + away.y];
    };
    for (const handle of ["ne", "se", "sw", "nw"] as const) {
      const { x, y } = sidesOf(handle);
      const pull = rotate({ x: x * 60, y: y * 30 }, rotation);
      const after = resizeZone(turnedLayout, "a", handle, pull);
      expect([after.zones[0]!.width, after.zones[0]!.height]).toEqual([460, 230]);
      const [before, now] = [corner(turnedLayout, -x, -y), corner(after, -x, -y)];
      // Whole pixels.
      expect(Math.hypot(before[0]! - now[0]!, before[1]! - now[1]!)).toBeLessThan(1);
    }
  }
  expect(boundsOf({ left: 100, top: 100, width: 400, height: 200, rotation: 90 })).toEqual({ left: 200, top: 0, width: 200, height: 400 });
  expect([
    angleTo({ x: 0, y: -5 }, true),
    angleTo({ x: 5, y: 0.2 }, true),
    angleTo({ x: 5, y: 0.2 }, false),
    angleTo({ x: -5, y: 0 }, true),
  ]).toEqual([0, 90, 92, 270]);
});

test("[CLY1] numbers that exceed the layout are limited to it, and another size keeps the shares of the zones", () => {
  expect(place(setZone(three, "a", { left: 5_000 }), "a")).toBe("1520,100 400×300");
  expect(place(setZone(three, "a", { width: 5_000 }), "a")).toBe("0,100 1920×300");
  const thirds = layout([zone("a", [0, 0, 640, 1_080]), zone("b", [640, 0, 640, 1_080]), zone("c", [1_280, 0, 640, 1_080])]);
  const odd = resizeLayout(thirds, 1_000, 999);
  expect([place(odd, "a"), place(odd, "b"), place(odd, "c")]).toEqual(["0,0 333×999", "333,0 334×999", "667,0 333×999"]);
});

test("[CLY2] what is dragged rests at the layout, other zones, the safe area and the grid, and guides show where", () => {
  const rules = { tolerance: 10, hasGrid: false, hasSafeArea: false };
  const lines = linesOf(three, ["a"], rules);
  const a = three.zones[0]!;
  // Its left edge at the layout's, its upper edge at that of b, its lower one at c.
  expect(snapMove(a, { x: -94, y: 97 }, lines)).toEqual({
    by: { x: -100, y: 100 },
    guides: [
      { axis: "x", at: 0, kind: "layout" },
      { axis: "y", at: 200, kind: "zone" },
      // The upper edge of c.
      { axis: "y", at: 500, kind: "zone" },
    ],
  });
  // Its right edge at b's left one; its middle at the layout's.
  expect(snapMove(a, { x: 205, y: 287 }, lines).by).toEqual({ x: 200, y: 290 });
  expect(snapMove(a, { x: 30, y: 30 }, lines)).toEqual({ by: { x: 30, y: 30 }, guides: [] });
  expect(snapMove(a, { x: -2, y: 0 }, linesOf(three, ["a"], { ...rules, hasSafeArea: true })).by.x).toBe(-4);
  expect(snapMove(a, { x: 24, y: 22 }, linesOf(three, ["a"], { ...rules, hasGrid: true }))).toMatchObject({ by: { x: 20, y: 20 } });
  expect(snapResize(a, { x: 1, y: 0 }, { x: 195, y: 300 }, lines)).toEqual({
    by: { x: 200, y: 300 },
    guides: [{ axis: "x", at: 700, kind: "zone" }],
  });
});

test("[CLY3] one zone is aligned to the layout, several to each other, turned ones as they are seen", () => {
  expect(["left", "center", "right", "top", "middle", "bottom"].map((how) => place(align(three, ["a"], how as "left"), "a"))).toEqual([
    "0,100 400×300",
    "760,100 400×300",
    "1520,100 400×300",
    "100,0 400×300",
    "100,390 400×300",
    "100,780 400×300",
  ]);
  const right = align(three, ["a", "b"], "right");
  expect([place(right, "a"), place(right, "b"), place(right, "c")]).toEqual(["500,100 400×300", "700,200 200×200", "1500,500 300×100"]);
  const upright = layout([zone("a", [500, 300, 400, 200], { rotation: 90 })]);
  expect(boundsOf(align(upright, ["a"], "bottom").zones[0]!)).toMatchObject({ top: 680, height: 400 });
});

test("[CLY3] distributed zones have equal gaps, the outer two stay, and fewer than three change nothing", () => {
  const spread = distribute(three, ["a", "b", "c"], "across");
  expect([place(spread, "a"), place(spread, "b"), place(spread, "c")]).toEqual(["100,100 400×300", "900,200 200×200", "1500,500 300×100"]);
  expect(distribute(three, ["a", "b"], "down")).toBe(three);
});

test("[CLY3] zones are brought forward and back, and keep their order among themselves", () => {
  expect(order(restack(three, ["a"], "front"))).toBe("b c a");
  expect(order(restack(three, ["a"], "forward"))).toBe("b a c");
  expect(order(restack(three, ["a", "b"], "forward"))).toBe("c a b");
  expect(order(restack(three, ["b", "c"], "back"))).toBe("b c a");
  expect(order(restack(three, ["b", "c"], "backward"))).toBe("b c a");
  expect(restack(three, ["c"], "front")).toBe(three);
  expect(order(stackAt(three, "c", 0))).toBe("c a b");
});

test("[CLY4] a new zone goes where there is room, a copy beside its original, and each gets a name of its own", () => {
  const side = layout([zone("a", [0, 0, 1_440, 1_080])]);
  expect(place(addZone(side, "n", "Zone"), "n")).toBe("1440,0 480×1080");
  const full = layout([zone("a", [0, 0, 1_920, 1_080], { name: "Zone" })]);
  expect(addZone(full, "n", "Zone").zones[1]).toMatchObject({ name: "Zone 2", left: 480, top: 270, width: 960, height: 540 });
  const twice = duplicateZones(
    three,
    new Map([
      ["a", "x"],
      ["c", "y"],
    ]),
  );
  expect([order(twice), place(twice, "x"), place(twice, "y")]).toEqual(["a x b c y", "140,140 400×300", "1540,540 300×100"]);
  const again = duplicateZones(twice, new Map([["x", "z"]]));
  expect(again.zones.map(({ name }) => name)).toEqual(["a", "a 2", "a 3", "b", "c", "c 2"]);
});
