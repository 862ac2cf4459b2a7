// `npm run -s soak -- PART [AMOUNT] [--seed N]`: the long proofs, by name. Prints JSON lines, the summary last. Exits with 1 after
// any violation. Ctrl+C ends a run early, with its summary.
import { parseArgs } from "node:util";
import { changes } from "./soak/changes.ts";
import { commands } from "./soak/commands.ts";
import { cuts } from "./soak/cuts.ts";
import { days } from "./soak/days.ts";
import { disk } from "./soak/disk.ts";
import { flips } from "./soak/flips.ts";
import { hours } from "./soak/hours.ts";
import { kills } from "./soak/kills.ts";
import { malformed } from "./soak/malformed.ts";
import { network } from "./soak/network.ts";
import { offline } from "./soak/offline.ts";
import { Random } from "./soak/random.ts";
import { type SoakPart, SoakRun } from "./soak/soak-run.ts";
import { units } from "./soak/units.ts";

const parts: ReadonlyMap<string, SoakPart> = new Map(
  Object.entries({ kills, cuts, flips, disk, offline, days, hours, network, units, malformed, changes, commands }),
);

const { positionals, values } = parseArgs({ allowPositionals: true, options: { list: { type: "boolean" }, seed: { type: "string" } } });
const [name = "", amount] = positionals;
const part = parts.get(name);
if (values.list === true || part === undefined) {
  for (const [each, { about, unit, usual }] of parts) process.stdout.write(`${each.padEnd(9)} ${about} (${usual} ${unit})\n`);
  process.exitCode = values.list === true ? 0 : 2;
} else {
  process.exitCode = await runPart(part, Number(amount ?? part.usual), Number(values.seed ?? Math.floor(Math.random() * 2 ** 32)));
}

/** @returns the exit code. */
async function runPart(chosen: SoakPart, wanted: number, seed: number): Promise<number> {
  if (!(wanted > 0) || !Number.isSafeInteger(seed)) throw new Error("The amount must be a number above 0, the seed a whole number.");
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  const run = new SoakRun(name, wanted, new Random(seed), stop.signal);
  run.print({ seed, amount: wanted });
  try {
    const skipped = await chosen.run(run);
    if (skipped !== null) {
      run.print({ summary: true, skipped });
      return 0;
    }
  } catch (error) {
    if (!stop.signal.aborted) run.violate(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  run.print({ summary: true, ...run.summary(), ...(stop.signal.aborted ? { stopped: true } : {}) });
  return run.violations.length > 0 ? 1 : 0;
}
