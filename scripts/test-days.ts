// `npm run test:days`: the proofs that take hours or days, for changes that touch them. `-- SUITE PART [AMOUNT] [--seed N]` runs one part,
// `-- SUITE` all parts of a suite, `--list` names them. Prints JSON lines, at the end one summary a part. Exits with 1 after any violation.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { rootFolder } from "../src/main/folders.ts";
import { buildPageIfStale } from "../test/support/page-build.ts";
import { bundleProgramsIfStale } from "../test/support/programs/bundle.ts";

/** The suites, and the program that runs the parts of each. */
const suites: ReadonlyMap<string, string> = new Map([
  ["soak", "scripts/soak.ts"],
  ["packages", "scripts/package-test.ts"],
  ["scale", "scripts/scale.ts"],
]);

const words = process.argv.slice(2);
const stop = new AbortController();
// A part ends by itself with its summary when Ctrl+C reaches it; then no further one starts.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
if (words.includes("--list")) list();
else process.exitCode = await run(words);

function list(): void {
  for (const [suite, script] of suites) process.stdout.write(`${suite}:\n${partsText(script).replace(/^/gm, "  ").trimEnd()}\n`);
}

async function run([suite, part, ...rest]: readonly string[]): Promise<number> {
  const chosen = suite === undefined ? [...suites] : [...suites].filter(([name]) => name === suite);
  if (chosen.length === 0) {
    process.stderr.write(`There is no suite ${suite}. The suites: ${[...suites.keys()].join(", ")}\n`);
    return 2;
  }
  await Promise.all([buildPageIfStale(), bundleProgramsIfStale()]);
  const runs = part === undefined || part.startsWith("-") ? allParts(chosen) : [{ script: chosen[0]![1], argv: [part, ...rest] }];
  const outcomes: { line: string; code: number }[] = [];
  for (const { script, argv } of runs) {
    if (stop.signal.aborted) break;
    outcomes.push(await runPart(script, argv));
  }
  if (outcomes.length > 1) process.stdout.write(`\nSummaries:\n${outcomes.map(({ line }) => `${line}\n`).join("")}`);
  return Math.max(...outcomes.map(({ code }) => code));
}

function allParts(chosen: readonly (readonly [string, string])[]): { script: string; argv: string[] }[] {
  return chosen.flatMap(([, script]) => [...partsText(script).matchAll(/^(\S+)/gm)].map(([, name]) => ({ script, argv: [name!] })));
}

/** A line for each part, which begins with its name. */
function partsText(script: string): string {
  return execFileSync(process.execPath, [join(rootFolder, script), "--list"], { encoding: "utf8" });
}

/** Runs a part; `line` is the last one that it prints. */
async function runPart(script: string, argv: readonly string[]): Promise<{ line: string; code: number }> {
  const child = spawn(process.execPath, [join(rootFolder, script), ...argv], { stdio: ["ignore", "pipe", "inherit"] });
  let line = `${script} ${argv.join(" ")}: no output`;
  createInterface({ input: child.stdout }).on("line", (text) => {
    process.stdout.write(`${text}\n`);
    if (text !== "") line = text;
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { line, code: code ?? 1 };
}
