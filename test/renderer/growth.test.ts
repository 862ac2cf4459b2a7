// Nothing grows on the glass: counts and heap stay where they are, however often the picture changes.
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { FastChanges, makeChangesMedia } from "../support/fast-changes.ts";
import { type Growth, GrowthWatch } from "../support/growth.ts";
import { type Bench, startBench } from "./harness.ts";

vi.setConfig({ testTimeout: 600_000, hookTimeout: 60_000 });

// npm run soak goes on for ten thousand.
const turns = FastChanges.round;

let bench: Bench;
beforeAll(async () => {
  bench = await startBench();
  await makeChangesMedia(bench.media);
});
afterAll(() => bench[Symbol.asyncDispose]());

// The engine keeps its own accounts: one repeat tells its noise from growth.
test("[GL4] over hundreds of changes of every kind no count grows, and the heap stays as large as it was", { retry: 1 }, async () => {
  await using opened = await bench.open();
  const changes = new FastChanges(opened.server);
  const watch = await GrowthWatch.start(bench.browser, opened.page);
  // Looked at in the same place of the round: other places have other kinds on the glass.
  for (let turn = 0; turn < FastChanges.round; turn += 1) await changes.turn();
  const before = await settled(watch);
  for (let turn = 0; turn < turns; turn += 1) await changes.turn();
  await expect.poll(async () => excess(before, await watch.look()), { timeout: 30_000, interval: 500 }).toEqual({});
});

/** A look that is like the one before: what is made ready behind the glass is there by then. */
async function settled(watch: GrowthWatch): Promise<Growth> {
  const looks = [await watch.look()];
  await expect
    .poll(
      async () => {
        looks.push(await watch.look());
        const [last, previous] = [looks.at(-1)!, looks.at(-2)!];
        return JSON.stringify(last.counts) === JSON.stringify(previous.counts);
      },
      { timeout: 30_000, interval: 1_000 },
    )
    .toBe(true);
  return looks.at(-1)!;
}

/** What is more than it was; of the heap, what no noise of the engine's own accounts for. */
function excess(before: Growth, after: Growth): Record<string, number> {
  const more = Object.entries(after.counts).map(([name, count]) => [name, count - before.counts[name as keyof Growth["counts"]]] as const);
  const heap = ["heapBytes", after.heapBytes - before.heapBytes - 200_000] as const;
  return Object.fromEntries([...more, heap].filter(([, value]) => value > 0));
}
