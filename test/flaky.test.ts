// How the outcome of a run and of its repetition is judged.
import { expect, test } from "vitest";
import { chooseFastTests } from "../scripts/test/fast.ts";
import { filesToRepeat, judge, testsToRepeat, type Run } from "../scripts/test/outcome.ts";

type State = "passed" | "failed" | "skipped";

function file(path: string, tests: Record<string, State>, errors = 0): Run["report"]["files"][number] {
  return { path, tests: Object.entries(tests).map(([title, state]) => ({ title, state })), errors };
}

function run(exitCode: number, ...files: Run["report"]["files"]): Run {
  return { exitCode, report: { files, errors: 0 } };
}

const passing = file("test/base/clock.test.ts", { ticks: "passed", waits: "passed", sleeps: "skipped" });
const swap = "test/renderer/stage/swap.test.ts";

test("[RUN1] failed files are repeated once", () => {
  const first = run(
    1,
    passing,
    file("test/player/proof/play-state.test.ts", { a: "failed" }),
    file(swap, { b: "passed", c: "failed" }),
    file("test/renderer/stage/stage.test.ts", { d: "passed" }),
    file("test/renderer/stage/walls.test.ts", { e: "skipped" }, 1),
  );
  expect(filesToRepeat(first)).toEqual(["test/player/proof/play-state.test.ts", swap, "test/renderer/stage/walls.test.ts"]);
  expect(filesToRepeat(run(0, passing))).toEqual([]);
});

test("[RUN1] only the failed tests of a file are repeated, and all of its tests if it failed outside them", () => {
  const walls = "test/renderer/stage/walls.test.ts";
  const failed = file(swap, { b: "passed", "zones > c (1.5×)": "failed" });
  const pattern = new RegExp(
    testsToRepeat(run(1, failed, file(walls, { d: "passed", e: "skipped" }, 1), file("test/a.test.ts", { f: "passed" })))!,
  );
  const titles = ["b", "zones > c (1.5×)", "zones > c (1.5×) again", "d", "e", "f"];
  expect(titles.filter((title) => pattern.test(title))).toEqual(["zones > c (1.5×)", "d", "e"]);
  expect(testsToRepeat(run(1, failed, file(walls, {}, 1)))).toBeNull();
});

test("[RUN2] what passed the first time and was not repeated counts as passed", () => {
  const first = run(1, file(swap, { a: "passed", b: "failed", c: "skipped" }));
  const second = run(0, file(swap, { a: "skipped", b: "passed", c: "skipped" }));
  expect(judge(first, second)).toMatchObject({ passed: 2, failed: 0, skipped: 1, flaky: [`${swap} > b`], exitCode: 0 });
});

test("[RUN1] tests that pass the first time are counted, and the run exits with 0", () => {
  expect(judge(run(0, passing), null)).toEqual({ passed: 2, failed: 0, skipped: 1, failures: [], flaky: [], exitCode: 0 });
});

test("[RUN2] a test that fails once and passes when it is repeated is listed as flaky with its file and title, and the run exits with 0", () => {
  const first = run(1, passing, file(swap, { b: "passed", "zones c": "failed" }));
  const second = run(0, file(swap, { b: "passed", "zones c": "passed" }));
  expect(judge(first, second)).toEqual({ passed: 4, failed: 0, skipped: 1, failures: [], flaky: [`${swap} > zones c`], exitCode: 0 });
});

test("[RUN2] a file that fails outside its tests and passes the second time is flaky", () => {
  const outcome = judge(run(1, file(swap, { b: "skipped" }, 1)), run(0, file(swap, { b: "passed" })));
  expect(outcome).toEqual({ passed: 1, failed: 0, skipped: 0, failures: [], flaky: [`${swap} (outside its tests)`], exitCode: 0 });
});

test("[RUN3] a test that fails again has failed, and another one of its file that then passes is listed as flaky", () => {
  const first = run(1, file(swap, { b: "failed", c: "failed" }));
  expect(judge(first, run(1, file(swap, { b: "failed", c: "passed" })))).toEqual({
    passed: 1,
    failed: 1,
    skipped: 0,
    failures: [`${swap} > b`],
    flaky: [`${swap} > c`],
    exitCode: 1,
  });
});

test("[RUN3] a flaky browser test does not hide a failed test of another file", () => {
  const first = run(1, file("test/player/proof/play-state.test.ts", { a: "failed" }), file(swap, { b: "failed" }));
  expect(judge(first, run(0, file(swap, { b: "passed" })))).toEqual({
    passed: 1,
    failed: 1,
    skipped: 0,
    failures: ["test/player/proof/play-state.test.ts > a"],
    flaky: [`${swap} > b`],
    exitCode: 1,
  });
});

test("[RUN3] a failed test that is skipped or missing the second time, or whose file has an error, has not passed", () => {
  const first = run(1, file(swap, { b: "failed", c: "passed" }));
  const failedOnce = { passed: 1, failed: 1, flaky: [], exitCode: 1 };
  expect(judge(first, run(0, file(swap, { b: "skipped", c: "passed" })))).toMatchObject(failedOnce);
  expect(judge(first, run(0, file(swap, { c: "passed" })))).toMatchObject(failedOnce);
  expect(judge(first, run(1))).toMatchObject(failedOnce);
  expect(judge(first, run(1, file(swap, { b: "passed", c: "passed" }, 1)))).toMatchObject({
    failed: 1,
    failures: [`${swap} (outside its tests)`],
    exitCode: 1,
  });
});

test("[RUN3] two tests with the same title pass only if both do", () => {
  const twice = (one: State, other: State): Run["report"]["files"][number] => ({
    ...file(swap, {}),
    tests: [one, other].map((state) => ({ title: "b", state })),
  });
  const outcome = judge(run(1, twice("failed", "passed")), run(1, twice("passed", "failed")));
  expect(outcome).toMatchObject({ passed: 1, failed: 1, flaky: [], exitCode: 1 });
});

test("[RUN3] an error that belongs to no file, and a run without files, exit with 1", () => {
  const stray: Run = { exitCode: 1, report: { files: [passing], errors: 1 } };
  const failures = ["(errors that belong to no file: 1)"];
  expect(judge(stray, null)).toMatchObject({ passed: 2, failed: 1, failures, exitCode: 1 });
  expect(judge(run(1), null)).toEqual({ passed: 0, failed: 0, skipped: 0, failures: [], flaky: [], exitCode: 1 });
});

test("[RUN4] a fast run selects quick files that need no browser and start no program, and counts the files that it leaves out", () => {
  const { files, leftOut } = chooseFastTests();
  expect(files).toEqual(expect.arrayContaining(["test/flaky.test.ts", "test/schedule/schedule-rules.test.ts"]));
  expect(files.filter((path) => /^test\/(?:host|renderer|system|long)\//.test(path))).toEqual([]);
  // One file starts a program, one is slow.
  expect(files).not.toContain("test/service/store/backup.test.ts");
  expect(files).not.toContain("test/service/fuzz/fuzz.test.ts");
  expect(leftOut).toBeGreaterThan(files.length / 2);
});
