// Runs Vitest and reads its report.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rootFolder } from "../../src/main/folders.ts";
import { Report, type Run } from "./outcome.ts";

const signals = ["SIGINT", "SIGTERM"] as const;

/**
 * Runs Vitest once and reads its report. A signal that ends this process ends Vitest and its workers first.
 * @param argv options and file filters for Vitest.
 * @param env added to the environment.
 * @throws Error when Vitest ends before all files have.
 */
export async function runVitest(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Run> {
  const reporters = ["--reporter=default", `--reporter=${join(rootFolder, "scripts/test/reporter.ts")}`];
  const vitest = join(rootFolder, "node_modules/vitest/vitest.mjs");
  const folder = mkdtempSync(join(tmpdir(), "signage-report-"));
  const report = join(folder, "report.json");
  const child = spawn(process.execPath, [vitest, "run", ...reporters, ...argv], {
    cwd: rootFolder,
    stdio: "inherit",
    env: { ...process.env, ...env, SIGNAGE_TEST_REPORT: report },
  });
  let stoppedBy: NodeJS.Signals | null = null;
  const stop = (signal: NodeJS.Signals): void => {
    stoppedBy = signal;
    child.kill(signal);
  };
  for (const signal of signals) process.on(signal, stop);
  const [code] = (await once(child, "exit")) as [number | null];
  for (const signal of signals) process.off(signal, stop);
  const text = existsSync(report) ? readFileSync(report, "utf8") : null;
  rmSync(folder, { recursive: true });
  if (stoppedBy !== null) process.kill(process.pid, stoppedBy);
  if (text === null) throw new Error(`Vitest ended with ${code} before it wrote its report`);
  return { exitCode: code ?? 1, report: Report.parse(JSON.parse(text)) };
}
