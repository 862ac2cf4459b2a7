// The soak part `offline`: six simulated days without the service, with five kills of the player. It plays all the time, and its play
// events arrive when the service is back: each once and without gaps.
import { plainImage } from "../../test/support/media/media.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { allPlays, type Disturbance, faultsOf, type PlaysPage } from "./play-proof.ts";
import { SimulatedShow } from "./simulated.ts";
import type { SoakPart, SoakRun } from "./soak-run.ts";

const itemMs = 60_000;
const itemsADay = 86_400_000 / itemMs;
const killCount = 5;
const drainMs = 3_000;
const limitMs = 120_000;

export const offline: SoakPart = {
  about: `simulated days without the service, with ${killCount} kills`,
  unit: "days",
  usual: 6,
  async run(run) {
    await using folder = await temporaryFolder();
    const pictures = await Promise.all([plainImage([220, 30, 40]), plainImage([20, 160, 60]), plainImage([30, 60, 200])]);
    await using show = await SimulatedShow.start(folder.path, run, itemMs, pictures);
    show.isOnline = false;
    const from = show.clock.now();
    const disturbances: Disturbance[] = [{ from: 0, to: from + 2 * itemMs }];
    const steps = Math.round(run.amount * itemsADay);
    const killsAt = new Set(Array.from({ length: killCount }, () => run.random.integer(1, steps - 1)));
    let [presented, here] = [0, 0];
    for (let step = 0; step < steps; step += 1) {
      run.signal.throwIfAborted();
      if (killsAt.has(step)) {
        presented += here;
        here = 0;
        await run.try({ simulated_hour: Math.round((step * itemMs) / 3_600_000) }, () => kill(show, run, disturbances));
        continue;
      }
      const before = here;
      here = (await show.advance(itemMs, { showsNext: true })).presented;
      if (here === before) run.violate(`nothing was presented at ${new Date(show.clock.now()).toISOString()}`);
    }
    presented += here;
    show.isOnline = true;
    const until = show.clock.now();
    const get = async (path: string): Promise<PlaysPage> => (await show.service.call("GET", path)).body as PlaysPage;
    const newestArrived = async (): Promise<boolean> => {
      await show.advance(1_000);
      // Plays arrive oldest first.
      return (await get("play-events?limit=1")).data.some(({ started_at }) => Date.parse(started_at) > until - itemMs);
    };
    await run.until("the plays of all days are at the service", newestArrived, limitMs);
    const plays = (await allPlays(get)).filter(({ started_at }) => Date.parse(started_at) >= from);
    for (const fault of faultsOf(plays, [], disturbances)) run.violate(fault);
    const shown = plays.filter(({ result }) => result !== "skipped").length;
    // The newest play is still open, and each kill may hide what was presented after the last report.
    if (Math.abs(shown - presented) > 2 * killCount + 2) run.violate(`${presented} items were presented, ${shown} plays arrived`);
    run.print({ presented, plays: shown });
    return null;
  },
};

/** @returns the simulated time until content played again. */
async function kill(show: SimulatedShow, run: SoakRun, disturbances: Disturbance[]): Promise<number> {
  const from = show.clock.now();
  // An item a minute leaves the disk this much time and more; the simulated clock does not.
  await run.pause(drainMs);
  await show.killPlayer(itemMs, run.random.integer(0, 30));
  await run.until("content plays again", async () => (await show.advance(100)).presented > 0, limitMs);
  disturbances.push({ from, to: show.clock.now() });
  return show.clock.now() - from;
}
