// The whole table of PRV1 and PRV3: every kind of content on screens that stand in every way, in two sizes. Prints how many pixels differ.
import { expect, test, vi } from "vitest";
import { startComparison, wholeLayout, type Stand } from "../console/preview/comparison.ts";
import { kinds } from "../console/preview/every-kind.ts";

// On a machine that runs other tests beside it.
vi.setConfig({ testTimeout: 600_000 });

const none = Object.fromEntries(["beside", ...kinds].map((name) => [name, 0]));

/** The ways in which a screen with a panel of this size stands. */
function standsOf(width: number, height: number): Record<string, Stand> {
  const across = { layout: { width, height }, view: wholeLayout };
  const upright = { layout: { width: height, height: width }, view: wholeLayout };
  // Of a wall that is wider and higher by a quarter, all but a margin.
  const wall = { wall_width: width * 1.25, wall_height: height * 1.25, left: width / 8, top: height / 8, width, height };
  const part = { wall, view: { left: width / 10, top: height / 10, scale: 1.25 } };
  return {
    landscape: across,
    "landscape-flipped": { ...across, orientation: "landscape-flipped" },
    portrait: { ...upright, orientation: "portrait" },
    "portrait-flipped": { ...upright, orientation: "portrait-flipped" },
    "part of a wall": { ...across, ...part },
    "a quarter of the size": { layout: { width: width / 2, height: height / 2 }, view: { ...wholeLayout, scale: 2 } },
  };
}

test.each([
  [800, 480],
  [1_280, 720],
])("[PRV3] on a panel of %i × %i, however it stands, the preview shows exactly what the screen does", async (width, height) => {
  await using comparison = await startComparison({ width, height });
  const found: Record<string, Record<string, number>> = {};
  for (const [name, stand] of Object.entries(standsOf(width, height))) found[name] = await comparison.differences(stand);
  process.stdout.write(`${JSON.stringify(found, null, 2)}\n`);
  expect(found).toEqual(Object.fromEntries(Object.keys(found).map((name) => [name, none])));
});
