// Judges the tests from the first run's report and the repetition's: counts, flaky tests, exit code. Pure: starts nothing.
import { z } from "zod";

/** What scripts/test/reporter.ts writes: every test file of a run, its tests and its errors outside tests. */
export const Report = z.object({
  files: z.array(
    z.object({
      /** From the repository's root, such as `test/renderer/stage/stage.test.ts`. */
      path: z.string(),
      /** Of vitest.config.ts. */
      project: z.string(),
      tests: z.array(z.object({ title: z.string(), state: z.enum(["passed", "failed", "skipped"]) })),
      /** How often something failed outside every test: an import, a hook, a promise that nobody awaits. */
      errors: z.number(),
    }),
  ),
  /** Errors that Vitest traces to no file. */
  errors: z.number(),
});

type Report = z.infer<typeof Report>;
type ReportedFile = Report["files"][number];

/** A run of Vitest that came to its end. */
export interface Run {
  exitCode: number;
  report: Report;
}

/** What `npm test` prints and ends with. */
export interface Outcome {
  passed: number;
  /** Tests that failed, and errors outside tests. */
  failed: number;
  skipped: number;
  /** `file > title` of what failed at first and passed when its file was run again. */
  flaky: string[];
  exitCode: number;
}

/** The failed files that a second run decides. Those without a browser have nothing that the machine's load may disturb. */
export function filesToRepeat({ report }: Run): string[] {
  return report.files.filter((file) => file.project !== "unit" && hasFailed(file)).map(({ path }) => path);
}

/** @param second of `filesToRepeat(first)` alone; null when there was none. */
export function judge(first: Run, second: Run | null): Outcome {
  const repeated = new Map(second?.report.files.map((file) => [file.path, file]));
  const judged = first.report.files.map((file) => judgeFile(file, repeated.get(file.path)));
  const count = (state: ReportedFile["tests"][number]["state"]): number =>
    judged.flatMap(({ file }) => file.tests).filter((test) => test.state === state).length;
  const errors = judged.reduce((sum, { file }) => sum + file.errors, 0) + first.report.errors + (second?.report.errors ?? 0);
  const failed = count("failed") + errors;
  const flaky = judged.flatMap((one) => one.flaky);
  return { passed: count("passed"), failed, skipped: count("skipped"), flaky, exitCode: exitCodeOf(first, second, failed, flaky) };
}

function exitCodeOf(first: Run, second: Run | null, failed: number, flaky: readonly string[]): number {
  if (failed > 0) return 1;
  // Vitest also fails for reasons that no file has, such as a filter that matches none.
  return flaky.length > 0 && second !== null ? second.exitCode : first.exitCode;
}

/** What counts of a file, and what of it is flaky. */
function judgeFile(first: ReportedFile, second: ReportedFile | undefined): { file: ReportedFile; flaky: string[] } {
  if (second === undefined) return { file: first, flaky: [] };
  const failedAtFirst = new Set(first.tests.filter(({ state }) => state === "failed").map(({ title }) => title));
  const notPassed = new Set(second.tests.filter(({ state }) => state !== "passed").map(({ title }) => title));
  const known = new Set(second.tests.map(({ title }) => title));
  const isFlaky = (title: string): boolean => known.has(title) && !notPassed.has(title);
  // A test that failed and was then skipped, or did not come up again, has not passed.
  const lost = [...failedAtFirst].filter((title) => !known.has(title)).map((title) => ({ title, state: "failed" as const }));
  const tests = second.tests.map((test) =>
    test.state === "skipped" && failedAtFirst.has(test.title) ? { ...test, state: "failed" as const } : test,
  );
  const flaky = [...failedAtFirst].filter(isFlaky).map((title) => `${first.path} > ${title}`);
  if (first.errors > 0 && second.errors === 0) flaky.push(`${first.path} (outside its tests)`);
  return { file: { ...second, tests: [...tests, ...lost] }, flaky };
}

function hasFailed({ tests, errors }: ReportedFile): boolean {
  return errors > 0 || tests.some(({ state }) => state === "failed");
}
