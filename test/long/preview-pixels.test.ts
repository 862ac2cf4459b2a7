// The whole table of PRV1, PRV3 and PRV19: every kind of content on screens that stand in every way, in two sizes. Prints how many pixels
// differ.
import { expect, test, vi } from "vitest";
import { startComparison, type Comparison } from "../console/preview/comparison.ts";
import { kinds } from "../console/preview/every-kind.ts";
import { startScreenComparison } from "../console/preview/screen-comparison.ts";
import { standsOf } from "../console/preview/stands.ts";

// On a machine that runs other tests beside it.
vi.setConfig({ testTimeout: 600_000 });

const none = Object.fromEntries(["beside", ...kinds].map((name) => [name, 0]));

const panels = [
  { width: 800, height: 480 },
  { width: 1_280, height: 720 },
];

test.each(panels)(
  "[PRV3] on a panel of $width × $height, however it stands, the preview shows exactly what the player's page does",
  async (panel) => {
    await using comparison = await startComparison(panel);
    await compareAll(comparison, panel);
  },
);

test.each(panels)(
  "[PRV19] on a panel of $width × $height, however it stands, the preview shows exactly what a real player's screenshot does",
  async (panel) => {
    await using comparison = await startScreenComparison(panel);
    await compareAll(comparison, panel);
  },
);

async function compareAll(comparison: Comparison, { width, height }: (typeof panels)[number]): Promise<void> {
  const found: Record<string, Record<string, number>> = {};
  for (const [name, stand] of Object.entries(standsOf(width, height))) found[name] = await comparison.differences(stand);
  process.stdout.write(`${JSON.stringify(found, null, 2)}\n`);
  expect(found).toEqual(Object.fromEntries(Object.keys(found).map((name) => [name, none])));
}
