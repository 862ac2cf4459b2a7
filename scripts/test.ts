// `npm test`: brings what the tests need, builds the pages, runs the suites, repeats the browser files that failed, and
// closes with one plain line of counts.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { parseCLI } from "vitest/node";
import { createLog } from "../src/base/log.ts";
import { aptCommand, installPackages } from "../src/main/apt.ts";
import { browserPackages, findElectron } from "../src/main/engine.ts";
import { rootFolder } from "../src/main/folders.ts";
import { filesToRepeat, judge, Report, type Run } from "./test/outcome.ts";

/** A program that the tests start, and Debian's packages that bring it. */
const needs = [
  { program: "/usr/lib/chromium/chromium", packages: browserPackages },
  { program: "Xvfb", packages: ["xvfb"] },
  // An X server that changes its display's mode, and the program that has it do so.
  { program: "Xvnc", packages: ["tigervnc-standalone-server"] },
  { program: "xrandr", packages: ["x11-xserver-utils"] },
  { program: "ffmpeg", packages: ["ffmpeg"] },
  { program: "openbox", packages: ["openbox"] },
];

function isHere(program: string): boolean {
  if (program.startsWith("/")) return existsSync(program);
  return (process.env["PATH"] ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)));
}

function run(script: string, argv: readonly string[], env: NodeJS.ProcessEnv = process.env): number {
  const { status, error } = spawnSync(process.execPath, [join(rootFolder, "node_modules", script), ...argv], {
    cwd: rootFolder,
    stdio: "inherit",
    env,
  });
  if (error !== undefined) throw error;
  return status ?? 1;
}

/** @throws Error when Vitest ends before all files have. */
function runTests(argv: readonly string[], report: string): Run {
  const reporters = ["--reporter=default", `--reporter=${join(import.meta.dirname, "test", "reporter.ts")}`];
  const exitCode = run("vitest/vitest.mjs", ["run", ...reporters, ...argv], { ...process.env, SIGNAGE_TEST_REPORT: report });
  return { exitCode, report: Report.parse(JSON.parse(readFileSync(report, "utf8"))) };
}

/** Runs `files`, and nothing else, with the options among `argv`. */
function repeatTests(files: readonly string[], argv: readonly string[], report: string): Run {
  process.stdout.write(`\nRunning once more what failed and needs a browser, alone: ${files.join(", ")}\n`);
  const filters: readonly string[] = parseCLI(["vitest", "run", ...argv]).filter;
  return runTests([...argv.filter((argument) => !filters.includes(argument)), "--no-file-parallelism", ...files], report);
}

const log = await createLog("test");
const missing = needs.filter(({ program }) => !isHere(program)).flatMap(({ packages }) => packages);
if (missing.length > 0) {
  log.info({ packages: missing }, "installing what the tests need");
  if (!(await installPackages(missing, log, new AbortController().signal))) {
    process.stderr.write(`The tests need programs that are not here, and may not install them. Run: ${aptCommand(missing)}\n`);
    process.exit(1);
  }
}
if (findElectron() === null)
  process.stdout.write("Electron's binary is not here: its player is tested on a stand-in (npm run electron:check tests on the binary).\n");
if (run("vite/bin/vite.js", ["build", "--logLevel", "error"]) !== 0) process.exit(1);

const folder = mkdtempSync(join(tmpdir(), "signage-report-"));
try {
  const argv = process.argv.slice(2);
  const first = runTests(argv, join(folder, "first.json"));
  const files = filesToRepeat(first);
  const second = files.length === 0 ? null : repeatTests(files, argv, join(folder, "second.json"));
  const { passed, failed, skipped, flaky, exitCode } = judge(first, second);
  if (flaky.length > 0)
    process.stdout.write(`\nFlaky, passed only when run again: ${flaky.length}\n${flaky.map((one) => `  ${one}\n`).join("")}`);
  process.stdout.write(`\nTests: ${passed} passed, ${failed} failed, ${skipped} skipped\n`);
  process.exitCode = exitCode;
} finally {
  rmSync(folder, { recursive: true });
}
