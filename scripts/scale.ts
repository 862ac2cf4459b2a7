// `npm run -s scale:test -- PART [AMOUNT] [--seed N]`: the long proofs of several nodes, by name. Prints JSON lines, the summary last.
// Exits with 1 after any violation. Ctrl+C ends a run early, with its summary.
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { consistency } from "./scale/consistency.ts";
import { embedded } from "./scale/embedded.ts";
import { faults } from "./scale/faults.ts";
import { figures } from "./scale/figures.ts";
import { networks } from "./scale/networks.ts";
import type { ScalePart } from "./scale/scale-part.ts";
import { storm } from "./scale/storm.ts";
import { upgrade } from "./scale/upgrade.ts";
import { Random } from "./soak/random.ts";
import { SoakRun } from "./soak/soak-run.ts";

const parts: ReadonlyMap<string, ScalePart> = new Map(Object.entries({ faults, consistency, figures, upgrade, networks, storm, embedded }));

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    list: { type: "boolean" },
    seed: { type: "string" },
    short: { type: "boolean" },
    only: { type: "string" },
    engines: { type: "string" },
    nodes: { type: "string" },
    players: { type: "string" },
    work: { type: "string" },
  },
});
const [name = "", amount] = positionals;
const part = parts.get(name);
if (values.list === true || part === undefined) {
  for (const [each, { about, unit, usual }] of parts) process.stdout.write(`${each.padEnd(12)} ${about} (${usual} ${unit})\n`);
  process.exitCode = values.list === true ? 0 : 2;
} else {
  process.exitCode = await runPart(part, Number(amount ?? part.usual), Number(values.seed ?? Math.floor(Math.random() * 2 ** 32)));
}

/** @returns the exit code. */
async function runPart(chosen: ScalePart, wanted: number, seed: number): Promise<number> {
  if (!(wanted > 0) || !Number.isSafeInteger(seed)) throw new Error("The amount must be a number above 0, the seed a whole number.");
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  const run = new SoakRun(name, wanted, new Random(seed), stop.signal, "scale");
  const base = resolve(values.work ?? "/var/tmp/signage-scale-test");
  mkdirSync(base, { recursive: true });
  const work = mkdtempSync(join(base, `${name}-`));
  // PostgreSQL runs as another user.
  chmodSync(work, 0o755);
  run.print({ seed, amount: wanted, work });
  const engines = (values.engines ?? "postgres,nats,s3").split(",");
  try {
    const skipped = await chosen.run({
      run,
      work,
      engines: { postgres: engines.includes("postgres"), nats: engines.includes("nats"), s3: engines.includes("s3") },
      nodes: Number(values.nodes ?? (engines.includes("postgres") ? 2 : 1)),
      isShort: values.short === true,
      only: values.only?.split(",") ?? null,
      players: values.players === undefined ? null : Number(values.players),
    });
    if (skipped !== null) {
      run.print({ summary: true, skipped });
      return 0;
    }
  } catch (error) {
    if (!stop.signal.aborted) run.violate(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  run.print({ summary: true, ...run.summary(), ...(stop.signal.aborted ? { stopped: true } : {}) });
  // The programs' output explains a violation.
  if (run.violations.length === 0) rmSync(work, { recursive: true, force: true });
  return run.violations.length > 0 ? 1 : 0;
}
