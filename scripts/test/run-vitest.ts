// Runs Vitest. Tests that judge frames or times run one at a time; all others run beside them, but only on CPU time that those
// leave idle.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseCLI } from "vitest/node";
import { rootFolder } from "../../src/main/folders.ts";
import { Report, type Run } from "./outcome.ts";

/** The projects of vitest.config.ts that tolerate a loaded machine. Of the others, `last` does too, but runs after the serial tests. */
const backgroundProjects = ["unit", "programs"];
const foregroundProjects = ["browser", "last"];

/**
 * Runs all projects, or those that `argv` names, in two processes.
 * @param argv options and file filters for Vitest.
 * @param folder where the reports are written.
 * @throws Error when Vitest ends before all files have.
 */
export async function runAllTests(argv: readonly string[], folder: string): Promise<Run> {
  if (argv.some((argument) => argument.startsWith("--project"))) return runVitest(argv, join(folder, "first.json"));
  const projects = (names: readonly string[]) => names.flatMap((name) => ["--project", name]);
  const runs = await Promise.all([
    runVitest([...argv, "--passWithNoTests", ...projects(foregroundProjects)], join(folder, "foreground.json")),
    runVitest([...argv, "--passWithNoTests", ...projects(backgroundProjects)], join(folder, "background.json"), idleOnly),
  ]);
  const files = runs.flatMap(({ report }) => report.files);
  if (files.length === 0) process.stderr.write("No test file matches. Filters are parts of paths such as test/host.\n");
  return {
    exitCode: files.length === 0 ? 1 : Math.max(...runs.map(({ exitCode }) => exitCode)),
    report: { files, errors: runs.reduce((sum, { report }) => sum + report.errors, 0) },
  };
}

// The scheduling class for tasks that run only on an idle CPU (sched(7), SCHED_IDLE). A low nice value is not enough: as root, the
// player raises its browser's. `chrt` belongs to Debian's essential package util-linux.
const idleOnly = ["chrt", "--idle", "0"];

/**
 * Runs Vitest once and reads its report.
 * @param launcher a program and its arguments that start the command that follows them.
 * @throws Error when Vitest ends before all files have.
 */
export async function runVitest(argv: readonly string[], report: string, launcher: readonly string[] = []): Promise<Run> {
  const reporters = ["--reporter=default", `--reporter=${join(rootFolder, "scripts/test/reporter.ts")}`];
  const vitest = join(rootFolder, "node_modules/vitest/vitest.mjs");
  const [program, ...words] = [...launcher, process.execPath, vitest, "run", ...reporters, ...argv];
  const child = spawn(program!, words, {
    cwd: rootFolder,
    stdio: "inherit",
    env: { ...process.env, SIGNAGE_TEST_REPORT: report },
  });
  const [code] = (await once(child, "exit")) as [number | null];
  return { exitCode: code ?? 1, report: Report.parse(JSON.parse(readFileSync(report, "utf8"))) };
}

/** `argv` without its file filters. */
export function withoutFilters(argv: readonly string[]): string[] {
  const filters = filtersOf(argv);
  return argv.filter((argument) => !filters.includes(argument));
}

/** The file filters among `argv`. */
export function filtersOf(argv: readonly string[]): readonly string[] {
  return parseCLI(["vitest", "run", ...argv]).filter;
}
