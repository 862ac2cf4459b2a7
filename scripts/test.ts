// `npm test`: brings what the tests need, builds the pages, runs the suites, and closes with one plain line of counts.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { z } from "zod";
import { createLog } from "../src/base/log.ts";
import { aptLine, installPackages } from "../src/main/apt.ts";
import { browserPackages, findElectron } from "../src/main/engine.ts";
import { rootFolder } from "../src/main/folders.ts";

/** A program that the tests start, and Debian's packages that bring it. */
const needs = [
  { program: "/usr/lib/chromium/chromium", packages: browserPackages },
  { program: "Xvfb", packages: ["xvfb"] },
  { program: "ffmpeg", packages: ["ffmpeg"] },
  { program: "openbox", packages: ["openbox"] },
];

const Report = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  numTodoTests: z.number(),
});

function isHere(program: string): boolean {
  if (program.startsWith("/")) return existsSync(program);
  return (process.env["PATH"] ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)));
}

function run(script: string, ...argv: string[]): number {
  const { status, error } = spawnSync(process.execPath, [join(rootFolder, "node_modules", script), ...argv], {
    cwd: rootFolder,
    stdio: "inherit",
  });
  if (error !== undefined) throw error;
  return status ?? 1;
}

const log = await createLog("test");
const missing = needs.filter(({ program }) => !isHere(program)).flatMap(({ packages }) => packages);
if (missing.length > 0) {
  log.info({ packages: missing }, "installing what the tests need");
  if (!(await installPackages(missing, log, new AbortController().signal))) {
    process.stderr.write(`The tests need programs that are not here, and may not install them. Run: ${aptLine(missing)}\n`);
    process.exit(1);
  }
}
if (findElectron() === null)
  process.stdout.write("Electron's binary is not here: its player is tested on a stand-in (npm run electron:check tests on the binary).\n");
if (run("vite/bin/vite.js", "build", "--logLevel", "error") !== 0) process.exit(1);

const folder = mkdtempSync(join(tmpdir(), "signage-report-"));
try {
  const report = join(folder, "report.json");
  const code = run(
    "vitest/vitest.mjs",
    "run",
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${report}`,
    ...process.argv.slice(2),
  );
  const counts = Report.parse(JSON.parse(readFileSync(report, "utf8")));
  process.stdout.write(
    `\nTests: ${counts.numPassedTests} passed, ${counts.numFailedTests} failed, ${counts.numPendingTests + counts.numTodoTests} skipped\n`,
  );
  process.exitCode = code;
} finally {
  rmSync(folder, { recursive: true });
}
