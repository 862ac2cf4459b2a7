// The soak part `hours`: real hours of a real player with items of two seconds; its memory, processes and open files must not grow.
// The DOM nodes are measured by the part `changes`, through DevTools, which would disturb the memory here.
import { readdir } from "node:fs/promises";
import { usageOf } from "../../bench/lib.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { Growth } from "./growth.ts";
import { Show } from "./show.ts";
import type { SoakPart } from "./soak-run.ts";

const durationMs = 2_000;
const betweenMs = 60_000;
const hourMs = 3_600_000;

const shortestHours = 1;

/** The most that each value may grow in an hour. */
const bounds = {
  node_kb: 2_000,
  renderer_kb: 4_000,
  browser_kb: 2_000,
  gpu_process_kb: 2_000,
  utility_kb: 2_000,
  processes: 0.5,
  files: 1,
};

export const hours: SoakPart = {
  about: "real hours with items of 2 s: slopes of memory, processes and open files",
  unit: "hours",
  usual: 4,
  async run(run) {
    await using folder = await temporaryFolder();
    await using show = await Show.start(folder.path, run, { durationMs });
    const growth = new Growth(bounds, shortestHours);
    const from = performance.now();
    for (let measured = 1; performance.now() - from < run.amount * hourMs; measured += 1) {
      await run.try({ minute: Math.round((performance.now() - from) / 60_000) }, async () => {
        const started = performance.now();
        const before = show.presented.length;
        await run.pause(Math.min(betweenMs, (run.amount * hourMs) / 20));
        if (show.presented.length === before) run.violate("nothing was presented");
        const { pid } = show.player.current;
        const { processes, ownByRole } = usageOf(pid);
        const own = Object.entries(ownByRole).map(([role, bytes]) => [`${role.replace("-", "_")}_kb`, Math.round(bytes / 1_024)] as const);
        const values = { processes, files: (await readdir(`/proc/${pid}/fd`)).length, ...Object.fromEntries(own) };
        growth.add((performance.now() - from) / hourMs, values);
        run.print({ measured, ...values });
        return performance.now() - started;
      });
    }
    growth.judge(run);
    return null;
  },
};
