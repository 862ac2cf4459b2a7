// Leaks: the page's counts and heap stay the same, however often its items change.
import { expect, test } from "vitest";
import { FastChanges, makeChangesMedia } from "../../support/browser/fast-changes.ts";
import { type PageResources, PageResourceMonitor } from "../../support/browser/page-resources.ts";
import { useTestBrowser } from "../setup.ts";

// `npm run test:days -- soak changes` makes ten thousand.
const turns = FastChanges.turnsPerRound;
const maxRounds = 4;

const browser = useTestBrowser(async (folder) => {
  await makeChangesMedia(folder);
});

test(
  "[GRO1] over hundreds of changes of every kind no resource count of the page or its browser grows, and the heap keeps its size",
  { timeout: 600_000 },
  async () => {
    await using opened = await browser.open();
    const changes = new FastChanges(opened.server);
    const watch = await PageResourceMonitor.start(browser.chromium, opened.page);
    // Measured at the same point of each round, so that the same items are on screen.
    const round = async (): Promise<PageResources> => {
      for (let turn = 0; turn < turns; turn += 1) await changes.changeAllZones();
      return settled(watch);
    };
    let before = await round();
    let growth: Record<string, number> = {};
    // Caches and modules that are loaded later increase one round. A leak increases every round.
    for (let left = maxRounds; left > 0; left -= 1) {
      const after = await round();
      growth = excess(before, after);
      if (Object.keys(growth).length === 0) return;
      before = after;
    }
    expect(growth).toEqual({});
  },
);

/** Measures until two measurements one second apart are equal: items that left are unmounted then and the next ones are ready. */
async function settled(watch: PageResourceMonitor): Promise<PageResources> {
  const measurements: PageResources[] = [];
  await expect
    .poll(
      async () => {
        measurements.push(await watch.measure());
        const [last, previous] = [measurements.at(-1)!, measurements.at(-2)];
        return JSON.stringify(last.counts) === JSON.stringify(previous?.counts);
      },
      { timeout: 30_000, interval: 1_000 },
    )
    .toBe(true);
  return measurements.at(-1)!;
}

/** The values that have grown; for the heap, only growth beyond the engine's normal variation. */
function excess(before: PageResources, after: PageResources): Record<string, number> {
  const counts = Object.entries(after.counts).map(
    ([name, count]) => [name, count - before.counts[name as keyof PageResources["counts"]]] as const,
  );
  const heap = ["heapBytes", after.heapBytes - before.heapBytes - 200_000] as const;
  return Object.fromEntries([...counts, heap].filter(([, value]) => value > 0));
}
