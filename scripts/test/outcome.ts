// Evaluates the reports of the first run and of the repetition: counts, flaky tests, exit code. Pure.
import { z } from "zod";

/** The report of scripts/test/reporter.ts: every test file of a run, its tests and its errors outside tests. */
export const Report = z.object({
  files: z.array(
    z.object({
      /** Relative to the repository's root, such as `test/renderer/stage/stage.test.ts`. */
      path: z.string(),
      tests: z.array(z.object({ title: z.string(), state: z.enum(["passed", "failed", "skipped"]) })),
      /** Number of failures outside tests: imports, hooks, unhandled rejections. */
      errors: z.number(),
    }),
  ),
  /** Errors that Vitest attributes to no file. */
  errors: z.number(),
});

type Report = z.infer<typeof Report>;
type ReportedFile = Report["files"][number];

/** A completed run of Vitest. */
export interface Run {
  exitCode: number;
  report: Report;
}

/** What `npm test` prints, and its exit code. */
export interface Outcome {
  passed: number;
  /** Tests that failed, and errors outside tests. */
  failed: number;
  skipped: number;
  /**
   * `file > title` of the tests that failed, `file (outside its tests)`, and how many errors belong to no file: whoever sees only the end
   * of a log needs them.
   */
  failures: string[];
  /** `file > title` of tests that failed first and passed in the repetition. */
  flaky: string[];
  exitCode: number;
}

/** The failed files, to repeat: in the first run most of them get only CPU time that others leave idle. */
export function filesToRepeat({ report }: Run): string[] {
  return report.files.filter(hasFailed).map(({ path }) => path);
}

/**
 * Vitest's pattern of the tests to repeat: those that failed, and all of a file that failed outside its tests. Null: all tests of the
 * files to repeat, because one of them failed before its tests were known.
 */
export function testsToRepeat(first: Run): string | null {
  const files = first.report.files.filter(hasFailed);
  if (files.some(({ tests, errors }) => errors > 0 && tests.length === 0)) return null;
  const chosen = files.flatMap(({ tests, errors }) => (errors > 0 ? tests : tests.filter(({ state }) => state === "failed")));
  return chosen.map(({ title }) => `^${RegExp.escape(title)}$`).join("|");
}

/** @param second the run of `filesToRepeat(first)`, or of its failed tests only; null when there was none. */
export function judge(first: Run, second: Run | null): Outcome {
  const repeated = new Map(second?.report.files.map((file) => [file.path, file]));
  const judged = first.report.files.map((file) => judgeFile(file, repeated.get(file.path)));
  const count = (state: ReportedFile["tests"][number]["state"]): number =>
    judged.flatMap(({ file }) => file.tests).filter((test) => test.state === state).length;
  const withoutFile = first.report.errors + (second?.report.errors ?? 0);
  const failed = count("failed") + judged.reduce((sum, { file }) => sum + file.errors, 0) + withoutFile;
  const failures = judged.flatMap(({ file }) => failuresOf(file));
  if (withoutFile > 0) failures.push(`(errors that belong to no file: ${withoutFile})`);
  const flaky = judged.flatMap((one) => one.flaky);
  const exitCode = exitCodeOf(first, second, failed, flaky);
  return { passed: count("passed"), failed, skipped: count("skipped"), failures, flaky, exitCode };
}

function failuresOf({ path, tests, errors }: ReportedFile): string[] {
  const failed = tests.filter(({ state }) => state === "failed").map(({ title }) => `${path} > ${title}`);
  return errors > 0 ? [...failed, `${path} (outside its tests)`] : failed;
}

/** A heading with the number of titles, and a line for each of them; nothing if there are none. */
export function listText(heading: string, titles: readonly string[]): string {
  return titles.length === 0 ? "" : `\n${heading}: ${titles.length}\n${titles.map((title) => `  ${title}\n`).join("")}`;
}

function exitCodeOf(first: Run, second: Run | null, failed: number, flaky: readonly string[]): number {
  if (failed > 0) return 1;
  // Vitest also fails for reasons outside files, such as a filter that matches none.
  return flaky.length > 0 && second !== null ? second.exitCode : first.exitCode;
}

/** The final result of a file, and its flaky tests. */
function judgeFile(first: ReportedFile, second: ReportedFile | undefined): { file: ReportedFile; flaky: string[] } {
  if (second === undefined) return { file: first, flaky: [] };
  const failedAtFirst = new Set(first.tests.filter(({ state }) => state === "failed").map(({ title }) => title));
  const notPassed = new Set(second.tests.filter(({ state }) => state !== "passed").map(({ title }) => title));
  const known = new Set(second.tests.map(({ title }) => title));
  const isFlaky = (title: string): boolean => known.has(title) && !notPassed.has(title);
  // A failed test that is skipped or missing in the repetition has not passed. One that passed was not repeated.
  const lost = [...failedAtFirst].filter((title) => !known.has(title)).map((title) => ({ title, state: "failed" as const }));
  const statesAtFirst = new Map(first.tests.map(({ title, state }) => [title, state]));
  const atFirst = (title: string): ReportedFile["tests"][number]["state"] =>
    failedAtFirst.has(title) ? "failed" : (statesAtFirst.get(title) ?? "skipped");
  const tests = second.tests.map((test) => (test.state === "skipped" ? { ...test, state: atFirst(test.title) } : test));
  const flaky = [...failedAtFirst].filter(isFlaky).map((title) => `${first.path} > ${title}`);
  if (first.errors > 0 && second.errors === 0) flaky.push(`${first.path} (outside its tests)`);
  return { file: { ...second, tests: [...tests, ...lost] }, flaky };
}

function hasFailed({ tests, errors }: ReportedFile): boolean {
  return errors > 0 || tests.some(({ state }) => state === "failed");
}
