// How the outcome of a run of the tests is judged.
import { expect, test } from "vitest";
import { judge, type Run } from "../scripts/test/outcome.ts";

type State = "passed" | "failed" | "skipped";

function file(path: string, tests: Record<string, State>, errors = 0): Run["report"]["files"][number] {
  return { path, tests: Object.entries(tests).map(([title, state]) => ({ title, state })), errors };
}

function run(exitCode: number, ...files: Run["report"]["files"]): Run {
  return { exitCode, report: { files, errors: 0 } };
}

const passing = file("test/base/clock.test.ts", { ticks: "passed", waits: "passed", sleeps: "skipped" });
const swap = "test/renderer/stage/swap.test.ts";

test("[RUN1] npm test runs each test once, counts those that pass, and exits with 0", () => {
  expect(judge(run(0, passing))).toEqual({ passed: 2, failed: 0, skipped: 1, failures: [], exitCode: 0 });
});

test("[RUN1] a test that fails, and a file that fails outside its tests, are listed in the last lines, and the run exits with 1", () => {
  const outcome = judge(run(1, passing, file(swap, { b: "passed", "zones c": "failed" }), file("test/a.test.ts", { d: "skipped" }, 1)));
  const failures = [`${swap} > zones c`, "test/a.test.ts (outside its tests)"];
  expect(outcome).toEqual({ passed: 3, failed: 2, skipped: 2, failures, exitCode: 1 });
});

test("[RUN3] the run exits with 1 if an error belongs to no file, or if no test file matches", () => {
  const stray: Run = { exitCode: 0, report: { files: [passing], errors: 1 } };
  const failures = ["(errors that belong to no file: 1)"];
  expect(judge(stray)).toMatchObject({ passed: 2, failed: 1, failures, exitCode: 1 });
  expect(judge(run(1))).toEqual({ passed: 0, failed: 0, skipped: 0, failures: [], exitCode: 1 });
});
