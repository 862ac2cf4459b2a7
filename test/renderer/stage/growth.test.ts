// Nothing grows on the glass: counts and heap stay where they are, however often the picture changes.
import { expect, test } from "vitest";
import { FastChanges, makeChangesMedia } from "../../support/browser/fast-changes.ts";
import { type PageResources, PageResourceMonitor } from "../../support/browser/page-resources.ts";
import { useTestBrowser } from "../setup.ts";

// npm run soak goes on for ten thousand.
const turns = FastChanges.turnsPerRound;
const maxRounds = 4;

const browser = useTestBrowser(async (folder) => {
  await makeChangesMedia(folder);
});

test(
  "[GRO1] over hundreds of changes of every kind no count grows, and the heap stays as large as it was",
  { timeout: 600_000 },
  async () => {
    await using opened = await browser.open();
    const changes = new FastChanges(opened.server);
    const watch = await PageResourceMonitor.start(browser.chromium, opened.page);
    // Looked at in the same place of the round: other places have other kinds on the glass.
    const round = async (): Promise<PageResources> => {
      for (let turn = 0; turn < turns; turn += 1) await changes.changeAllZones();
      return settled(watch);
    };
    let before = await round();
    let more: Record<string, number> = {};
    // The engine keeps accounts of its own, and loads things when they are first needed: that swells a round. What leaks swells each.
    for (let left = maxRounds; left > 0; left -= 1) {
      const after = await round();
      more = excess(before, after);
      if (Object.keys(more).length === 0) return;
      before = after;
    }
    expect(more).toEqual({});
  },
);

/** A look that is like the one a second before: what was replaced has been let go of by then, and what follows is ready. */
async function settled(watch: PageResourceMonitor): Promise<PageResources> {
  const looks: PageResources[] = [];
  await expect
    .poll(
      async () => {
        looks.push(await watch.measure());
        const [last, previous] = [looks.at(-1)!, looks.at(-2)];
        return JSON.stringify(last.counts) === JSON.stringify(previous?.counts);
      },
      { timeout: 30_000, interval: 1_000 },
    )
    .toBe(true);
  return looks.at(-1)!;
}

/** What is more than it was; of the heap, what no noise of the engine's own accounts for. */
function excess(before: PageResources, after: PageResources): Record<string, number> {
  const more = Object.entries(after.counts).map(
    ([name, count]) => [name, count - before.counts[name as keyof PageResources["counts"]]] as const,
  );
  const heap = ["heapBytes", after.heapBytes - before.heapBytes - 200_000] as const;
  return Object.fromEntries([...more, heap].filter(([, value]) => value > 0));
}
