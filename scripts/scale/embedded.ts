// The part `embedded`: the service on SQLite before it could run on several nodes, and now, in pairs: start, memory, packages, reads, writes.
import { join } from "node:path";
import { bundlePrograms } from "../../test/support/bundled-programs.ts";
import { copyCheckout } from "../../test/support/programs/checkout.ts";
import { isSurelyWorse, pairedRatio } from "./embedded/paired-ratio.ts";
import { Version, type Sample } from "./embedded/version.ts";
import { quantile } from "./figures/compared.ts";
import type { ScalePart, ScaleTest } from "./scale-part.ts";
import { checkOutBefore } from "./upgrade/old-checkout.ts";

const loadMs = { usual: 4_000, short: 1_000 };
const fewestPairs = 2;
// Only several nodes need them.
const needless = /^(pg|pg-.*|@nats-io\/.*|@aws-sdk\/.*|@smithy\/.*|@tus\/s3-store)$/;
// Smaller differences cannot be told from the noise of a machine that does other things too.
const tolerance = 0.05;

const figures: readonly { name: keyof Sample; about: string; isRate: boolean }[] = [
  { name: "startMs", about: "start to listening, ms", isRate: false },
  { name: "memoryMb", about: "memory after the start (PSS), MB", isRate: false },
  { name: "readsPerS", about: "reads per second", isRate: true },
  { name: "writesPerS", about: "writes per second", isRate: true },
];

export const embedded: ScalePart = {
  about: "the service on SQLite before several nodes and now, in alternating pairs: start, memory, packages, reads, writes",
  unit: "pairs",
  usual: 10,
  async run(test) {
    const { run, work } = test;
    if (run.amount < fewestPairs) throw new Error(`an interval needs ${fewestPairs} pairs`);
    const [beforeFolder, afterFolder] = [join(work, "before"), join(work, "after")];
    const commit = await checkOutBefore(beforeFolder);
    await copyCheckout(afterFolder);
    // Bundled, as in packages: a start from sources is mostly their compilation.
    for (const folder of [beforeFolder, afterFolder]) await bundlePrograms(folder);
    const before = new Version(beforeFolder, join(work, "data-before"));
    const after = new Version(afterFolder, join(work, "data-after"));
    await comparePackages(test, commit, before, after);
    await measurePairs(test, before, after);
    return null;
  },
};

async function comparePackages({ run }: ScaleTest, commit: string, before: Version, after: Version): Promise<void> {
  const [ofBefore, ofAfter] = [await before.loadedPackages(), await after.loadedPackages()];
  const added = ofAfter.filter((each) => !ofBefore.includes(each));
  const removed = ofBefore.filter((each) => !ofAfter.includes(each));
  run.print({
    figure: "packages loaded",
    commit,
    before: ofBefore.length,
    after: ofAfter.length,
    added: added.join(),
    removed: removed.join(),
  });
  const wrong = ofAfter.filter((each) => needless.test(each));
  if (wrong.length > 0) run.violate(`the embedded service loads ${wrong.join(", ")}`);
}

async function measurePairs({ run, isShort }: ScaleTest, before: Version, after: Version): Promise<void> {
  const ms = isShort ? loadMs.short : loadMs.usual;
  // The first start of each makes its database.
  for (const each of [before, after]) await each.sample(ms);
  const samples = new Map<Version, Sample[]>([
    [before, []],
    [after, []],
  ]);
  for (let pair = 0; pair < run.amount; pair += 1)
    for (const each of pair % 2 === 0 ? [before, after] : [after, before]) {
      run.signal.throwIfAborted();
      samples.get(each)!.push(await each.sample(ms));
    }
  for (const { name, about, isRate } of figures) {
    const [was, is] = [before, after].map((each) => samples.get(each)!.map((sample) => sample[name])) as [number[], number[]];
    await run.try({ part: about }, async () => {
      const ratio = pairedRatio(was, is);
      const rounded = (value: number): number => Number(value.toPrecision(4));
      const interval = { ratio: rounded(ratio.ratio), low: rounded(ratio.low), high: rounded(ratio.high) };
      run.print({
        figure: about,
        pairs: run.amount,
        before_p50: rounded(quantile(was, 0.5)),
        after_p50: rounded(quantile(is, 0.5)),
        ...interval,
      });
      if (isSurelyWorse(ratio, isRate, tolerance)) run.violate(`${about}: worse than before: ${JSON.stringify(interval)}`);
      return 0;
    });
  }
}
