// `npm run mutate`: plants one fault at a time in a copy of the code and runs the browserless tests that import the file.
// Lists every fault that no test finds. `npm run mutate -- schedule` takes only the faults in files whose path contains `schedule`.
// `npm run mutate -- --fresh SEED` plants two random faults in each folder of `src` instead, and also runs the tests with a browser or
// built programs that depend on the file.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { parseArgs } from "node:util";
import { dirname, join } from "node:path";
import { rootFolder } from "../src/main/folders.ts";
import { checkFaults, type Fault } from "./mutate/fault.ts";
import { faults } from "./mutate/faults.ts";
import { chooseFreshFaults } from "./mutate/fresh-faults.ts";
import { runTests, type TestRun } from "./mutate/run-tests.ts";
import { knownCosts } from "./test/cost.ts";
import { gateTests, longFiles, longTests, testsInFolders } from "./test/levels.ts";
import { testsByDistance } from "./test/test-graph.ts";

/** What the tests say of one fault. */
type Verdict = "found" | "found by the long run" | "survived" | "untested" | "undecided";

/** A verdict, and the words that say why. */
interface Judgement {
  verdict: Verdict;
  text: string;
}

const workers = 2;
/** Two test files run first, then twice as many, and so on. */
const filesInFirstRun = 2;
const slowSeconds = 4;
const stopped = "stopped by a signal";
const costs = knownCosts();

const { positionals: filters, values } = parseArgs({ allowPositionals: true, options: { fresh: { type: "string" } } });
const tracked = execFileSync("git", ["ls-files"], { cwd: rootFolder, encoding: "utf8" }).split("\n").filter(Boolean);
const isFresh = values.fresh !== undefined;
const planned = isFresh ? chooseFreshFaults(rootFolder, tracked, Number(values.fresh)) : faults;
const chosen = planned.filter(({ file }) => filters.length === 0 || filters.some((filter) => file.includes(filter)));
checkFaults(chosen, (file) => readFileSync(join(rootFolder, file), "utf8"));
const testFiles = isFresh ? [...gateTests.unit, ...gateTests.programs] : [testsInFolders];
const graph = testsByDistance(rootFolder, tracked, testFiles, [longFiles]);
/** The long tests beside the code that they test: asked only for faults that the others do not find. */
const longGraph = testsByDistance(rootFolder, tracked, longTests.unit, []);
const queue = [...chosen.entries()];
const copies: string[] = [];
process.once("exit", () => copies.forEach((copy) => rmSync(copy, { recursive: true, force: true })));
const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
const verdicts = new Map<Fault, Verdict>();
/** What was seen to pass without a fault: a test file, or the tests of a rule in it. */
const sound = new Set<string>();
await Promise.all(Array.from({ length: workers }, work));

const survivors = chosen.filter((fault) => ["survived", "untested"].includes(verdicts.get(fault) ?? ""));
const undecided = chosen.filter((fault) => (verdicts.get(fault) ?? "undecided") === "undecided");
const onlyLong = chosen.filter((fault) => verdicts.get(fault) === "found by the long run");
const found = chosen.length - survivors.length - undecided.length - onlyLong.length;
process.stdout.write(`\nFaults: ${chosen.length}, found by npm test: ${found}, only by the long run: ${onlyLong.length}, `);
process.stdout.write(`survivors: ${survivors.length}, not decided: ${undecided.length}\n`);
print("Found only by the long run", onlyLong);
print("Survivors", survivors);
print("Not decided, because a run took too long or was stopped", undecided);
process.exitCode = survivors.length + undecided.length === 0 ? 0 : 1;

function print(title: string, list: readonly Fault[]): void {
  if (list.length > 0) process.stdout.write(`${title}:\n`);
  for (const { file, find, replace } of list) process.stdout.write(`  ${file}\n    - ${find}\n    + ${replace}\n`);
}

/** Takes faults from the queue until it is empty, each in the same copy of the tree. */
async function work(): Promise<void> {
  const copy = copyTree();
  for (let next = queue.shift(); next !== undefined && !stop.signal.aborted; next = queue.shift()) {
    const [index, fault] = next;
    const { verdict, text } = await judge(copy, fault);
    verdicts.set(fault, verdict);
    process.stdout.write(`${index + 1}/${chosen.length} ${fault.file}: ${fault.find.trim().split("\n")[0]} — ${text}\n`);
  }
}

/** A copy of the tracked files, with the same packages and builds. */
function copyTree(): string {
  const copy = mkdtempSync(join(tmpdir(), "signage-mutate-"));
  copies.push(copy);
  // Some tests ask git about the sources.
  const gitFolder = execFileSync("git", ["rev-parse", "--absolute-git-dir"], { cwd: rootFolder, encoding: "utf8" });
  writeFileSync(join(copy, ".git"), `gitdir: ${gitFolder}`);
  // PostgreSQL runs as another user, with this working directory.
  chmodSync(copy, 0o755);
  for (const path of tracked) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    cpSync(join(rootFolder, path), join(copy, path));
  }
  for (const folder of ["node_modules", "sdk/typescript/node_modules"]) symlinkSync(join(rootFolder, folder), join(copy, folder));
  // Copied, because the tests build it anew when a source has changed.
  cpSync(join(rootFolder, "dist"), join(copy, "dist"), { recursive: true, preserveTimestamps: true });
  return copy;
}

/** Plants the fault and runs the tests that import its file until one fails. */
async function judge(copy: string, fault: Fault): Promise<Judgement> {
  const tests = (graph.get(fault.file) ?? []).map(({ test }) => test).toSorted((a, b) => Number(isSlow(a)) - Number(isSlow(b)));
  if (tests.length === 0) return { verdict: "untested", text: "NOT FOUND: no test imports the file" };
  /** Files whose failures prove nothing, and why. */
  const unsound = new Map<string, string>();
  for (const run of runsFor(fault, tests)) {
    const judgement = await judgeBy(copy, fault, run, unsound);
    if (judgement !== null) return judgement;
  }
  const [first] = unsound;
  if (first === undefined) return { verdict: "survived", text: "NOT FOUND" };
  return { verdict: "undecided", text: `NOT DECIDED: ${first[0]} does not pass without the fault either: ${first[1]}` };
}

/** Judges by one run without the files in `unsound`, to which it adds those that do not pass without the fault. Null: the others pass. */
async function judgeBy(copy: string, fault: Fault, run: TestRun, unsound: Map<string, string>): Promise<Judgement | null> {
  const files = run.files.filter((file) => !unsound.has(file));
  if (files.length === 0) return null;
  const outcome = await withFault(copy, fault, () => runTests(copy, { ...run, files }, stop.signal));
  if (outcome.is === "passed") return null;
  if (outcome.is === "stopped") return { verdict: "undecided", text: `NOT DECIDED: ${stopped}` };
  const isEndless = outcome.is === "endless";
  const failed = isEndless ? files : [outcome.file];
  // A busy machine, too, makes a test reach a time limit, so then the tests have to pass right afterwards.
  const reason = await unsoundness(copy, { ...run, files: failed }, isEndless || outcome.isTimeout);
  if (reason === null) {
    const test = isEndless ? `${files.join(", ")}, which did not end` : outcome.test;
    return run.isLong === true
      ? { verdict: "found by the long run", text: `found only by ${test}` }
      : { verdict: "found", text: `found by ${test}` };
  }
  for (const file of failed) unsound.set(file, reason);
  return judgeBy(copy, fault, run, unsound);
}

/** The tests to run for a fault, in turn: those of its rule, the files that import it, the nearest first, then the long ones. */
function runsFor({ file, rule }: Fault, tests: readonly string[]): TestRun[] {
  const runs: TestRun[] = [];
  if (rule !== undefined) {
    const files = tests.filter((path) => readFileSync(join(rootFolder, path), "utf8").includes(`[${rule}]`));
    if (files.length > 0) runs.push({ files, rule });
  }
  for (let from = 0, count = filesInFirstRun; from < tests.length; from += count, count *= 2) {
    runs.push({ files: tests.slice(from, from + count) });
  }
  for (const { test } of longGraph.get(file) ?? []) runs.push({ files: [test], isLong: true });
  return runs;
}

/** Whether the file takes more than a few seconds: such files run after all others. */
function isSlow(test: string): boolean {
  return (costs.get(test) ?? 0) > slowSeconds;
}

async function withFault<T>(copy: string, { file, find, replace }: Fault, action: () => Promise<T>): Promise<T> {
  const path = join(copy, file);
  const original = readFileSync(path, "utf8");
  writeFileSync(
    path,
    original.replace(find, () => replace),
  );
  try {
    return await action();
  } finally {
    writeFileSync(path, original);
  }
}

/**
 * Why a run that found a fault proves nothing: it does not pass without the fault either. Null if it does. Checked once for each run,
 * unless `again`.
 */
async function unsoundness(copy: string, run: TestRun, again: boolean): Promise<string | null> {
  const key = `${run.files.join()} ${run.rule ?? ""}`;
  if (!again && sound.has(key)) return null;
  const outcome = await runTests(copy, run, stop.signal);
  if (outcome.is === "failed") return outcome.test;
  if (outcome.is === "endless") return "the time limit of the run";
  if (outcome.is === "stopped") return stopped;
  sound.add(key);
  return null;
}
