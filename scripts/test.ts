// `npm test`: installs what the tests need, builds the page and the programs, runs the tests and prints the counts.
//
// `npm test -- --changed [COMMIT]` runs the tests that depend on what changed since the commit (HEAD by default), the nearest first, as
// many as take 90 seconds. `npm test -- --cost` also measures the CPU time of each test file and writes it to test/cost.md. All other
// words go to Vitest: parts of paths of test files, and options.
import { createLog } from "../src/base/log.ts";
import { findElectron } from "../src/main/player/engine.ts";
import { buildPageIfStale } from "../test/support/page-build.ts";
import { bundleProgramsIfStale } from "../test/support/programs/bundle.ts";
import { chooseChanged } from "./test/changed.ts";
import { CostMeter, writeCosts } from "./test/cost.ts";
import { gateConfig } from "./test/levels.ts";
import { judge, listText } from "./test/outcome.ts";
import { ensureInstalled, gateRequirements } from "./test/requirements.ts";
import { runVitest } from "./test/run-vitest.ts";

const { commit, withCost, argv } = parseWords(process.argv.slice(2));
const changed = commit === null ? null : chooseChanged(commit);
if (changed?.files.length === 0) process.stdout.write(`No test depends on what has changed since ${commit}.\n`);
else await runTests([...argv, ...(changed?.files ?? [])]);

async function runTests(words: readonly string[]): Promise<void> {
  await ensureInstalled(gateRequirements, await createLog("test"), new AbortController().signal);
  if (findElectron() === null)
    process.stdout.write("Electron's binary is missing: a stand-in replaces it (npm run electron:check tests the binary).\n");
  await Promise.all([buildPageIfStale(), bundleProgramsIfStale()]);
  using meter = withCost ? new CostMeter() : null;
  const run = await runVitest(["--config", gateConfig, ...words]);
  if (meter !== null) writeCosts(meter.end());
  const { passed, failed, skipped, failures, exitCode } = judge(run);
  process.stdout.write(`${listText("Failed", failures)}\nTests: ${passed} passed, ${failed} failed, ${skipped} skipped\n`);
  if (changed !== null) process.stdout.write(`Left out: ${changed.leftOut} test files that depend on the change. npm test runs all.\n`);
  process.exitCode = exitCode;
}

/** `commit`: what --changed compares with, null without it. */
function parseWords(words: readonly string[]): { commit: string | null; withCost: boolean; argv: string[] } {
  const at = words.indexOf("--changed");
  const next = at === -1 ? undefined : words[at + 1];
  const hasCommit = next !== undefined && !next.startsWith("-");
  const taken = at === -1 ? [] : hasCommit ? [at, at + 1] : [at];
  const argv = words.filter((word, index) => word !== "--cost" && !taken.includes(index));
  return { commit: at === -1 ? null : hasCommit ? next : "HEAD", withCost: words.includes("--cost"), argv };
}
