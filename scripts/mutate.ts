// `npm run mutate`: plants one fault at a time in a copy of the code and runs the browserless tests that import the file.
// Lists every fault that no test finds. `npm run mutate -- schedule` takes only the faults in files whose path holds `schedule`.
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { execFileSync } from "node:child_process";
import { rootFolder } from "../src/main/folders.ts";
import type { Fault } from "./mutate/fault.ts";
import { faults } from "./mutate/faults.ts";
import { testsByDistance } from "./mutate/import-graph.ts";

/** What a run of the tests says of one fault. */
type Verdict = { is: "killed"; by: string } | { is: "survived"; tests: number } | { is: "untested" };

const workers = 2;
/** A fault may make a loop endless: then the run is stopped, and the fault counts as found. */
const longestRunMs = 120_000;
/** The tests nearest to the file run first, so many files at a time. */
const filesPerRun = 6;

const filter = process.argv[2] ?? "";
const chosen = faults.filter(({ file }) => file.includes(filter));
checkFaults(chosen);
const tracked = execFileSync("git", ["ls-files"], { cwd: rootFolder, encoding: "utf8" }).split("\n").filter(Boolean);
const graph = testsByDistance(rootFolder, tracked);
const queue = [...chosen.entries()];
const survivors: Fault[] = [];
await Promise.all(Array.from({ length: workers }, work));
process.stdout.write(`\nFaults: ${chosen.length}, survivors: ${survivors.length}\n`);
for (const { file, find, replace } of survivors) process.stdout.write(`  ${file}\n    - ${find}\n    + ${replace}\n`);
process.exitCode = survivors.length === 0 ? 0 : 1;

/** Takes faults from the queue until it is empty, each in the same copy of the tree. */
async function work(): Promise<void> {
  const copy = copyTree();
  try {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [index, fault] = next;
      const verdict = await judge(copy, fault);
      if (verdict.is !== "killed") survivors.push(fault);
      const outcome =
        verdict.is === "killed" ? `found by ${verdict.by}` : verdict.is === "untested" ? "NOT FOUND: no test imports it" : "NOT FOUND";
      process.stdout.write(`${index + 1}/${chosen.length} ${fault.file}: ${fault.find.trim().split("\n")[0]} — ${outcome}\n`);
    }
  } finally {
    rmSync(copy, { recursive: true });
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

/** A copy of the tracked files, with the same node_modules. */
function copyTree(): string {
  const copy = mkdtempSync(join(tmpdir(), "signage-mutate-"));
  for (const path of tracked) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    cpSync(join(rootFolder, path), join(copy, path));
  }
  for (const folder of ["node_modules", "dist"]) symlinkSync(join(rootFolder, folder), join(copy, folder));
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
    for (let from = 0; from < tests.length; from += filesPerRun) {
      const failed = await runTests(copy, tests.slice(from, from + filesPerRun));
      if (failed !== null) return { is: "killed", by: failed };
    }
    return { is: "survived", tests: tests.length };
  } finally {
    writeFileSync(path, original);
  }
}

/** The first failure, or null when all tests pass. */
function runTests(copy: string, files: readonly string[]): Promise<string | null> {
  const vitest = join(rootFolder, "node_modules/vitest/vitest.mjs");
  const child = spawn(process.execPath, [vitest, "run", "--project", "unit", "--bail", "1", "--reporter", "dot", ...files], {
    cwd: copy,
    stdio: ["ignore", "pipe", "pipe"],
    signal: AbortSignal.timeout(longestRunMs),
    env: { ...process.env, NO_COLOR: "1" },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.on("error", (error) => (error.name === "AbortError" ? resolve("the time limit") : reject(error)));
    child.on("exit", (code) => {
      if (code === 0) return resolve(null);
      resolve(/FAIL\s+(?:\|?unit\|?\s+)?(.*)/.exec(output)?.[1]?.trim() ?? "an error outside the tests");
    });
  });
}
