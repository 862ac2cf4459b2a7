// Runs Vitest and reads its report.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { rootFolder } from "../../src/main/folders.ts";
import { Report, type Run } from "./outcome.ts";

/**
 * Runs Vitest once and reads its report.
 * @param argv options and file filters for Vitest.
 * @param env added to the environment.
 * @throws Error when Vitest ends before all files have.
 */
export async function runVitest(argv: readonly string[], report: string, env: Readonly<Record<string, string>> = {}): Promise<Run> {
  const reporters = ["--reporter=default", `--reporter=${join(rootFolder, "scripts/test/reporter.ts")}`];
  const vitest = join(rootFolder, "node_modules/vitest/vitest.mjs");
  const child = spawn(process.execPath, [vitest, "run", ...reporters, ...argv], {
    cwd: rootFolder,
    stdio: "inherit",
    env: { ...process.env, ...env, SIGNAGE_TEST_REPORT: report },
  });
  const [code] = (await once(child, "exit")) as [number | null];
  return { exitCode: code ?? 1, report: Report.parse(JSON.parse(readFileSync(report, "utf8"))) };
}
