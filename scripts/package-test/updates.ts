// The part `updates`: every way in which an update can go wrong, on machines with the packages: how it ended, and how long the screen
// was dark.
import { join } from "node:path";
import { readdir } from "node:fs/promises";
import { player } from "../soak/units/installation.ts";
import { obstacleToContainers } from "../soak/units/container.ts";
import { DarkTime } from "./dark-time.ts";
import { Bundles } from "./faulty-bundles.ts";
import { packageVersion } from "./machine.ts";
import type { PackagePart, PackageTest } from "./package-part.ts";
import { type UpdateCase, updateCases } from "./update-cases.ts";
import { UpdatingMachine } from "./updating-machine.ts";

// "Never dark longer than a restart": a start of player and browser on a machine that several share.
const darkLimitMs = 90_000;

export const updates: PackagePart = {
  about: "good and faulty releases and browsers under a real systemd: outcome, and how long the screen was dark",
  unit: "rounds",
  usual: 1,
  async run(test) {
    const obstacle = obstacleToContainers();
    if (obstacle !== null) return obstacle;
    const good = (await readdir(join(test.newer, "packages"))).find((name) => name.endsWith("_amd64.tar.zst"));
    if (good === undefined) throw new Error(`${test.newer}/packages has no bundle: see --newer in docs/testing.md`);
    const bundles = new Bundles(join(test.newer, "packages", good), test.work);
    for (let round = 1; round <= test.run.amount; round += 1) {
      const waiting = Object.entries(updateCases).filter(([name]) => test.only === null || test.only.includes(name));
      const work = async (): Promise<void> => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await tryCase(test, bundles, ...next);
      };
      await Promise.all(Array.from({ length: test.parallel }, work));
    }
    return null;
  },
};

function tryCase(test: PackageTest, bundles: Bundles, name: string, { expected, run }: UpdateCase): Promise<void> {
  return test.run.try({ case: name, expected }, async () => {
    const from = performance.now();
    await using updating = await UpdatingMachine.create(test, name.replaceAll(" ", "-"));
    const { machine } = updating;
    const [version, higher] = [await packageVersion(test.packages), await packageVersion(test.newer)];
    const codes = machine.units.pairingCodes;
    await using dark = new DarkTime(() => machine.units.showsItem());
    const { outcome, detail, control } = await run({ updating, bundles, version, higher }).finally(() => machine.saveJournal());
    await machine.untilActive(player);
    await machine.units.showsContent();
    const { slot, version: running } = await updating.status();
    const times = { dark_ms: dark.longestMs, dark_total_ms: dark.totalMs, seen_every_ms: dark.worstIntervalMs };
    const rounded = Object.fromEntries(Object.entries(times).map(([key, ms]) => [key, Math.round(ms)]));
    test.run.print({ case: name, outcome, detail, control, slot, running, pictures: dark.pictures, ...rounded });
    if (outcome !== expected) throw new Error(`it ended as ${outcome}: ${String(detail)}`);
    if (dark.longestMs > darkLimitMs) throw new Error(`the screen was dark for ${Math.round(dark.longestMs)} ms`);
    if (machine.units.pairingCodes > codes) throw new Error("the player asked to be paired again");
    return performance.now() - from;
  });
}
