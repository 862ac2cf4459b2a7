// The soak part `days`: a player and a service on a simulated clock; memory and handles of the player must not grow.
import { plainImage } from "../../test/support/media/media.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { Growth } from "./growth.ts";
import { SimulatedShow } from "./simulated.ts";
import type { SoakPart } from "./soak-run.ts";

const itemMs = 10_000;
const drainMs = 2_000;
const itemsAnHour = 3_600_000 / itemMs;

const shortestHours = 24;

/**
 * The most that each value may grow in a simulated hour, in which the player presents 360 items. The heap is exact, because garbage is
 * collected first; the resident memory still rises, because an hour takes seconds, in which the allocator returns little.
 */
const bounds = { rssKb: 1_000, heapKb: 20, handles: 0.05, files: 0.05 };

export const days: SoakPart = {
  about: "hours on a simulated clock: slopes of memory, handles and open files",
  unit: "simulated hours",
  usual: 72,
  async run(run) {
    await using folder = await temporaryFolder();
    const pictures = await Promise.all([plainImage([220, 30, 40]), plainImage([20, 160, 60])]);
    await using show = await SimulatedShow.start(folder.path, run, itemMs, pictures);
    const growth = new Growth(bounds, shortestHours);
    for (let hour = 1; hour <= run.amount; hour += 1) {
      await run.try({ hour }, async () => {
        const from = performance.now();
        let presented = 0;
        for (let item = 1; item < itemsAnHour; item += 1) {
          run.signal.throwIfAborted();
          presented = (await show.advance(itemMs, { showsNext: true })).presented;
        }
        // The disk has real time only: what the player has not written and sent yet is no growth.
        await run.pause(drainMs);
        const { measured, presented: now } = await show.advance(itemMs, { showsNext: true, measure: true });
        if (now === presented) run.violate("nothing was presented");
        growth.add(hour, { ...measured! });
        run.print({ hour, ...measured });
        return performance.now() - from;
      });
    }
    growth.judge(run);
    return null;
  },
};
