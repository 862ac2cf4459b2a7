// The weight check: runs the fast benchmarks and compares their ratios with bench/ratios.json. Exits with 1 if one got worse.
// `node bench/run.ts [--write] [--quick] [PART...]`: --write puts the measured ratios into the file, --quick tries the check itself.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { reasonOf } from "../src/base/fault.ts";
import { rootFolder } from "../src/main/folders.ts";
import { buildPageIfStale } from "../test/support/page-build.ts";
import { bundleProgramsIfStale } from "../test/support/programs/bundle.ts";
import { type Figure, type Part, parts } from "./weight/parts.ts";
import { compare, type Measured, raised, Ratios, tableOf, update } from "./weight/ratios.ts";

const { values: options, positionals: wanted } = parseArgs({
  options: { write: { type: "boolean", default: false }, quick: { type: "boolean", default: false } },
  allowPositionals: true,
});
const unknown = wanted.filter((name) => !parts.some((part) => part.name === name));
if (unknown.length > 0) throw new Error(`there is no part ${unknown.join(", ")}; parts: ${parts.map(({ name }) => name).join(", ")}`);
if (options.quick && options.write) throw new Error("--quick measures too little for --write");
const path = join(rootFolder, "bench/ratios.json");
const committed = Ratios.parse(JSON.parse(await readFile(path, "utf8")));

await Promise.all([buildPageIfStale(), bundleProgramsIfStale()]);
const measured = { ratios: {} as Ratios, leftOut: new Map<string, string>() };
const failures: string[] = [];
for (const [index, part] of parts.entries()) {
  if (wanted.length > 0 && !wanted.includes(part.name)) {
    measured.leftOut.set(`${part.name}:`, "not asked for");
    continue;
  }
  try {
    const { ratios, leftOut } = await measure(part, `part ${index + 1} of ${parts.length}`);
    Object.assign(measured.ratios, ratios);
    for (const [name, reason] of leftOut) measured.leftOut.set(name, reason);
  } catch (error) {
    failures.push(`${part.name}: ${reasonOf(error)}`);
    measured.leftOut.set(`${part.name}:`, `its benchmark failed: ${reasonOf(error)}`);
  }
}
for (const [name, { value }] of Object.entries(measured.ratios)) print({ ratio: name, value, committed: committed[name]?.value ?? null });
for (const [name, reason] of measured.leftOut) print({ ratio: `${name} …`, left_out: reason });
process.exitCode = failures.length > 0 ? 1 : 0;
if (options.write) await write();
else report();

/** Runs a benchmark, shows its lines, and makes ratios of its figures. */
async function measure(part: Part, place: string): Promise<Measured> {
  const args = options.quick ? part.quickArgs : part.args;
  process.stderr.write(`${new Date().toISOString()} ${place}: bench/${part.name}.ts ${args.join(" ")}\n`);
  const child = spawn(process.execPath, [join(rootFolder, "bench", `${part.name}.ts`), ...args], {
    cwd: rootFolder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  const figures: Figure[] = [];
  for await (const line of createInterface(child.stdout)) {
    process.stderr.write(`  ${line}\n`);
    if (line.startsWith('{"figure"')) figures.push(JSON.parse(line) as Figure);
  }
  const [code, signal] = (await ended) as [number | null, string | null];
  if (code !== 0) throw new Error(`it ended with ${code ?? signal}`);
  return part.measuredBy(figures);
}

function report(): void {
  const differences = compare(committed, measured);
  if (differences.length === 0) return;
  process.stdout.write(`\n${tableOf(differences)}\nMend what got worse, or run with --write on a quiet machine and give the reason.\n`);
  // A trial measures too little to judge.
  if (!options.quick) process.exitCode = 1;
}

async function write(): Promise<void> {
  const next = update(committed, measured);
  await writeFile(path, `${JSON.stringify(next, null, 2)}\n`);
  const worse = raised(committed, next);
  process.stdout.write(`\nWrote ${Object.keys(next).length} ratios to bench/ratios.json.\n`);
  if (worse.length > 0) process.stdout.write(`These got worse; each needs its reason in the closing note:\n  ${worse.join("\n  ")}\n`);
}

function print(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
