// `npm run -s package:test -- PART [AMOUNT]`: the long proofs of packages, image and updates, by name. Prints JSON lines, the summary
// last. Exits with 1 after any violation. Ctrl+C ends a run early, with its summary.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { rootFolder } from "../src/main/folders.ts";
import { arm64 } from "./package-test/arm64.ts";
import { controls } from "./package-test/controls.ts";
import { cuts } from "./package-test/cuts.ts";
import { diskCuts } from "./package-test/disk-cuts.ts";
import { image } from "./package-test/image.ts";
import { lifecycle } from "./package-test/lifecycle.ts";
import type { PackagePart } from "./package-test/package-part.ts";
import { updates } from "./package-test/updates.ts";
import { Random } from "./soak/random.ts";
import { SoakRun } from "./soak/soak-run.ts";

const parts: ReadonlyMap<string, PackagePart> = new Map(
  Object.entries({ lifecycle, arm64, updates, image, cuts, "disk-cuts": diskCuts, controls }),
);

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    list: { type: "boolean" },
    seed: { type: "string" },
    packages: { type: "string" },
    newer: { type: "string" },
    image: { type: "string" },
    work: { type: "string" },
    only: { type: "string" },
    parallel: { type: "string" },
  },
});
const [name = "", amount] = positionals;
const part = parts.get(name);
if (values.list === true || part === undefined) {
  for (const [each, { about, unit, usual }] of parts) process.stdout.write(`${each.padEnd(9)} ${about} (${usual} ${unit})\n`);
  process.exitCode = values.list === true ? 0 : 2;
} else {
  process.exitCode = await runPart(part, Number(amount ?? part.usual), Number(values.seed ?? Math.floor(Math.random() * 2 ** 32)));
}

/** @returns the exit code. */
async function runPart(chosen: PackagePart, wanted: number, seed: number): Promise<number> {
  if (!(wanted > 0) || !Number.isSafeInteger(seed)) throw new Error("The amount must be a number above 0, the seed a whole number.");
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  const run = new SoakRun(name, wanted, new Random(seed), stop.signal, "package_test");
  const packages = resolve(values.packages ?? join(rootFolder, "dist"));
  const base = resolve(values.work ?? "/var/tmp/signage-package-test");
  mkdirSync(base, { recursive: true });
  const work = mkdtempSync(join(base, `${name}-`));
  run.print({ seed, amount: wanted, work });
  try {
    const skipped = await chosen.run({
      run,
      packages,
      newer: resolve(values.newer ?? join(packages, "newer")),
      image: resolve(values.image ?? join(packages, "signage-player.img")),
      cache: join(base, "cache"),
      work,
      only: values.only?.split(",") ?? null,
      parallel: Number(values.parallel ?? 2),
    });
    if (skipped !== null) {
      run.print({ summary: true, skipped });
      return 0;
    }
  } catch (error) {
    if (!stop.signal.aborted) run.violate(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  run.print({ summary: true, ...run.summary(), ...(stop.signal.aborted ? { stopped: true } : {}) });
  // Pictures and journals explain a violation.
  if (run.violations.length === 0) rmSync(work, { recursive: true, force: true });
  return run.violations.length > 0 ? 1 : 0;
}
