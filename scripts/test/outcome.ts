// Evaluates the report of a run: counts, what failed, exit code. Pure.
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
  exitCode: number;
}

/** Counts the tests of a run. Vitest's own exit code counts too: it also fails for reasons outside files, such as a filter without a match. */
export function judge({ exitCode, report: { files, errors } }: Run): Outcome {
  const count = (state: ReportedFile["tests"][number]["state"]): number =>
    files.flatMap(({ tests }) => tests).filter((test) => test.state === state).length;
  const failures = files.flatMap(failuresOf);
  if (errors > 0) failures.push(`(errors that belong to no file: ${errors})`);
  const failed = count("failed") + files.reduce((sum, file) => sum + file.errors, 0) + errors;
  return { passed: count("passed"), failed, skipped: count("skipped"), failures, exitCode: failed > 0 ? 1 : exitCode };
}

function failuresOf({ path, tests, errors }: ReportedFile): string[] {
  const failed = tests.filter(({ state }) => state === "failed").map(({ title }) => `${path} > ${title}`);
  return errors > 0 ? [...failed, `${path} (outside its tests)`] : failed;
}

/** A heading with the number of titles, and a line for each of them; nothing if there are none. */
export function listText(heading: string, titles: readonly string[]): string {
  return titles.length === 0 ? "" : `\n${heading}: ${titles.length}\n${titles.map((title) => `  ${title}\n`).join("")}`;
}
