// The preview's pixels are those of the player's page at the same instant. The long tests compare more ways in which a screen stands.
import { afterAll, beforeAll, expect, test } from "vitest";
import { startComparison, wholeLayout, type Comparison } from "./comparison.ts";
import { kinds } from "./every-kind.ts";

const panel = { width: 800, height: 480 };

let comparison: Comparison;
beforeAll(async () => {
  comparison = await startComparison(panel);
});
afterAll(() => comparison[Symbol.asyncDispose]());

const none = Object.fromEntries(["beside", ...kinds].map((name) => [name, 0]));

test("[PRV1] a preview shows pictures, drawings, videos, PDFs, texts, tickers, clocks, QR codes and feeds exactly as the screen does", async () => {
  expect(await comparison.differences({ layout: panel, view: wholeLayout })).toEqual(none);
});

test("[PRV3] on an upright screen, the preview shows exactly what the screen does", async () => {
  const upright = { layout: { width: 480, height: 800 }, orientation: "portrait", view: wholeLayout } as const;
  expect(await comparison.differences(upright)).toEqual(none);
});

test("[PRV3] on a part of a video wall, the preview shows exactly what the screen does", async () => {
  // The layout covers the wall, of which the screen shows all but a margin.
  const wall = { wall_width: 1_000, wall_height: 600, left: 100, top: 60, width: 800, height: 480 };
  expect(await comparison.differences({ layout: panel, wall, view: { left: 80, top: 48, scale: 1.25 } })).toEqual(none);
});
