// `npm run mutate`: plants one fault at a time in a copy of the code and runs the browserless tests that import the file.
// Lists every fault that no test finds. `npm run mutate -- schedule` takes only the faults in files whose path contains `schedule`.
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { rootFolder } from "../src/main/folders.ts";
import type { Fault } from "./mutate/fault.ts";
import { faults } from "./mutate/faults.ts";
import { testsByDistance } from "./mutate/import-graph.ts";

/** What a run of the tests says of one fault. */
type Verdict = { is: "found"; by: string; file: string } | { is: "survived" } | { is: "untested" } | { is: "timed-out" };

const workers = 2;
/**
 * A fault may make a loop endless. A run that takes longer, per file, is stopped. Neither that nor a test's own time limit proves anything, because
 * the machine may be busy, so such a fault is listed apart.
 */
const longestFileMs = 60_000;
/** Two test files run first, then twice as many, and so on. */
const filesInFirstRun = 2;

const filters = process.argv.slice(2);
const chosen = faults.filter(({ file }) => filters.length === 0 || filters.some((filter) => file.includes(filter)));
checkFaults(chosen);
const tracked = execFileSync("git", ["ls-files"], { cwd: rootFolder, encoding: "utf8" }).split("\n").filter(Boolean);
const graph = testsByDistance(rootFolder, tracked);
const queue = [...chosen.entries()];
const copies: string[] = [];
process.once("exit", () => copies.forEach((copy) => rmSync(copy, { recursive: true, force: true })));
const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
const survivors: Fault[] = [];
const undecided: Fault[] = [];
/** Test files that were seen to pass without a fault. */
const sound = new Set<string>();
await Promise.all(Array.from({ length: workers }, work));
process.stdout.write(`\nFaults: ${chosen.length}, survivors: ${survivors.length}, stopped by the time limit: ${undecided.length}\n`);
print("Survivors", survivors);
print("Stopped by the time limit", undecided);
process.exitCode = survivors.length + undecided.length === 0 ? 0 : 1;

function print(title: string, list: readonly Fault[]): void {
  if (list.length > 0) process.stdout.write(`${title}:\n`);
  for (const { file, find, replace } of list) process.stdout.write(`  ${file}\n    - ${find}\n    + ${replace}\n`);
}

function outcomeOf(verdict: Verdict): string {
  switch (verdict.is) {
    case "found":
      return `found by ${verdict.by}`;
    case "survived":
      return "NOT FOUND";
    case "untested":
      return "NOT FOUND: no test imports it";
    case "timed-out":
      return "STOPPED by the time limit";
  }
}

/** Takes faults from the queue until it is empty, each in the same copy of the tree. */
async function work(): Promise<void> {
  const copy = copyTree();
  for (let next = queue.shift(); next !== undefined && !stop.signal.aborted; next = queue.shift()) {
    const [index, fault] = next;
    const verdict = await judge(copy, fault);
    if (verdict.is === "found") await requireSound(copy, verdict.file);
    if (verdict.is === "survived" || verdict.is === "untested") survivors.push(fault);
    if (verdict.is === "timed-out") undecided.push(fault);
    process.stdout.write(`${index + 1}/${chosen.length} ${fault.file}: ${fault.find.trim().split("\n")[0]} — ${outcomeOf(verdict)}\n`);
  }
}

/** @throws Error when a fault no longer fits the code: its text must occur exactly once. */
function checkFaults(all: readonly Fault[]): void {
  for (const { file, find, replace } of all) {
    const occurrences = readFileSync(join(rootFolder, file), "utf8").split(find).length - 1;
    if (occurrences !== 1) throw new Error(`scripts/mutate: this text occurs ${occurrences} times in ${file}, not once:\n${find}`);
    if (find === replace) throw new Error(`scripts/mutate: this fault in ${file} changes nothing:\n${find}`);
  }
}

/** A copy of the tracked files, with the same packages and builds. */
function copyTree(): string {
  const copy = mkdtempSync(join(tmpdir(), "signage-mutate-"));
  copies.push(copy);
  for (const path of tracked) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    cpSync(join(rootFolder, path), join(copy, path));
  }
  for (const folder of ["node_modules", "sdk/typescript/node_modules", "dist"]) symlinkSync(join(rootFolder, folder), join(copy, folder));
  return copy;
}

/** Plants the fault, runs the tests that import its file until one fails, and restores the file. */
async function judge(copy: string, { file, find, replace }: Fault): Promise<Verdict> {
  const tests = graph.get(file) ?? [];
  if (tests.length === 0) return { is: "untested" };
  const path = join(copy, file);
  const original = await readFile(path, "utf8");
  writeFileSync(
    path,
    original.replace(find, () => replace),
  );
  try {
    for (let from = 0, count = filesInFirstRun; from < tests.length; from += count, count *= 2) {
      const verdict = await runTests(copy, tests.slice(from, from + count));
      if (verdict.is !== "survived") return verdict;
    }
    return { is: "survived" };
  } finally {
    writeFileSync(path, original);
  }
}

/** @throws Error when the test file fails without any fault: then it proves nothing. Each file is checked once. */
async function requireSound(copy: string, test: string): Promise<void> {
  if (sound.has(test)) return;
  const { is } = await runTests(copy, [test]);
  if (is !== "survived") throw new Error(`${test} fails without any fault. Mend it first.`);
  sound.add(test);
}

/** Runs some test files until one fails. */
function runTests(copy: string, files: readonly string[]): Promise<Verdict> {
  const vitest = join(rootFolder, "node_modules/vitest/vitest.mjs");
  const child = spawn(process.execPath, [vitest, "run", "--project", "unit", "--bail", "1", "--reporter", "dot", ...files], {
    cwd: copy,
    stdio: ["ignore", "pipe", "pipe"],
    signal: AbortSignal.any([stop.signal, AbortSignal.timeout(longestFileMs * Math.max(2, files.length))]),
    env: { ...process.env, NO_COLOR: "1" },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.on("error", (error) => (error.name === "AbortError" ? resolve({ is: "timed-out" }) : reject(error)));
    child.on("exit", (code) => {
      if (code === 0) return resolve({ is: "survived" });
      if (output.includes("TestTimeoutError")) return resolve({ is: "timed-out" });
      const failures = [...output.matchAll(/FAIL\s+\|?unit\|?\s+((\S+).*)/g)];
      // The first failure cancels the other files, which are then listed without the name of a test.
      const first = failures.find(([, failure]) => failure!.includes(" > ")) ?? failures[0];
      if (first === undefined) return reject(new Error(`The tests ended with ${code}, but none failed:\n${output.slice(-4_000)}`));
      resolve({ is: "found", by: first[1]!.trim(), file: first[2]! });
    });
  });
}
