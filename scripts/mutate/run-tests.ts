// Runs tests in a copy of the tree until one fails.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { rootFolder } from "../../src/main/folders.ts";
import { gateConfig, longConfig } from "../test/levels.ts";

/** Test files, and the rule whose tests are run; all tests without it. */
export interface TestRun {
  files: readonly string[];
  rule?: string;
  /** Whether the files belong to the long run. */
  isLong?: boolean;
}

/** How a run ended. `endless`: it reached its time limit. `stopped`: by a signal, which says nothing of the code. */
export type Outcome = { is: "passed" } | FailedTest | { is: "endless" } | { is: "stopped" };

/** `isTimeout`: a test reached its own time limit. */
interface FailedTest {
  is: "failed";
  test: string;
  file: string;
  isTimeout: boolean;
}

/** A fault may make a loop endless, so a run is stopped after this time per file. */
const longestFileMs = 60_000;

/** Runs the tests in the folder `copy` until one fails. @throws Error when they end with an error, but no test failed. */
export function runTests(copy: string, { files, rule, isLong }: TestRun, signal: AbortSignal): Promise<Outcome> {
  const vitest = join(rootFolder, "node_modules/vitest/vitest.mjs");
  const only = rule === undefined ? [] : ["--testNamePattern", `\\[${rule}\\]`];
  const config = ["--config", isLong === true ? longConfig : gateConfig];
  const timeout = AbortSignal.timeout(longestFileMs * Math.max(2, files.length));
  const child = spawn(process.execPath, [vitest, "run", "--bail", "1", "--reporter", "dot", ...config, ...only, ...files], {
    cwd: copy,
    stdio: ["ignore", "pipe", "pipe"],
    signal: AbortSignal.any([signal, timeout]),
    env: { ...process.env, NO_COLOR: "1" },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.on("error", (error) => {
      if (error.name !== "AbortError") return reject(error);
      resolve({ is: timeout.aborted ? "endless" : "stopped" });
    });
    child.on("exit", (code) => {
      if (code === 0) return resolve({ is: "passed" });
      const failures = [...output.matchAll(/FAIL\s+\|?(?:unit|programs)\|?\s+((\S+).*)/g)];
      // The first failure cancels the other files, which are then listed without the name of a test.
      const first = failures.find(([, failure]) => failure!.includes(" > ")) ?? failures[0];
      if (first === undefined) return reject(new Error(`The tests ended with ${code}, but none failed:\n${output.slice(-4_000)}`));
      resolve({ is: "failed", test: first[1]!.trim(), file: first[2]!, isTimeout: output.includes("TestTimeoutError") });
    });
  });
}
