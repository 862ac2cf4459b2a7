// `npm run electron:check`: runs the Electron player's tests on the real Electron binary and writes a report to send to the developers.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { release, tmpdir, type } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { z } from "zod";
import manifest from "../package.json" with { type: "json" };
import { hasGpu } from "../src/host/linux/gpu.ts";
import { findElectron } from "../src/main/player/engine.ts";
import { rootFolder } from "../src/main/folders.ts";
import { gateConfig, longConfig } from "./test/levels.ts";

const usage = "npm run electron:check -- [--binary FILE] [--report FILE]";
/** The test files, by the configuration that has them. */
const files = {
  [gateConfig]: ["test/system/packaging/electron.test.ts", "test/host/contract.test.ts"],
  [longConfig]: ["test/system/packaging/electron.long.test.ts", "test/host/sites/sites.long.test.ts"],
};
// From the tests of all hosts, only those of the Electron binary.
const wanted = "\\[EL|electron under Xvfb";
const questions = [
  "ELE1 passes: the window, the pages' frames and the screenshots work, and Electron ends with 0",
  "HST1: the window covers the display to the pixel",
  "WFR and WEB: frames stay watched after the page's first load (Fetch and auto-attach survive its change of process)",
  "ELE2: the embedded service starts in a utility process, also a second time",
];

const Report = z.object({
  testResults: z.array(
    z.object({
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string(), failureMessages: z.array(z.string()).nullish() })),
    }),
  ),
});
type Result = z.infer<typeof Report>["testResults"][number]["assertionResults"][number];

const { values } = parseArgs({ options: { binary: { type: "string" }, report: { type: "string", default: "electron-report.md" } } });
const binary = values.binary === undefined ? findElectron() : resolve(values.binary);
const missing = obstacle(binary);
if (missing !== null) {
  process.stderr.write(`electron:check: ${missing}. Usage: ${usage}\n`);
  process.exit(2);
}
const results = runTests(binary!);
const report = formatReport(binary!, results);
writeFileSync(values.report, report);
process.stdout.write(`${report}\nWritten to ${resolve(values.report)}: please send it to the developers.\n`);
process.exitCode = results.some(({ status }) => status === "failed") || results.every(({ status }) => status !== "passed") ? 1 : 0;

/** Why the check cannot run, with the remedy; null if it can. */
function obstacle(path: string | null): string | null {
  if (path === null) return "the Electron binary is missing; install it with: npx install-electron";
  if (!existsSync(path)) return `${path} does not exist`;
  return existsSync("/usr/bin/Xvfb") ? null : "Xvfb is missing; install it with: sudo apt-get install xvfb";
}

function runTests(path: string): Result[] {
  const folder = mkdtempSync(join(tmpdir(), "signage-electron-"));
  try {
    return Object.entries(files).flatMap(([config, own]) => runFiles(path, config, own, join(folder, `${basename(config)}.json`)));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function runFiles(path: string, config: string, own: readonly string[], file: string): Result[] {
  const vitest = join(rootFolder, "node_modules/vitest/vitest.mjs");
  const flags = ["run", "--config", config, ...own, "-t", wanted, "--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  const env = { ...process.env, SIGNAGE_ELECTRON_BINARY: path };
  const { error } = spawnSync(process.execPath, [vitest, ...flags], { cwd: rootFolder, stdio: "inherit", env });
  if (error !== undefined) throw error;
  if (!existsSync(file)) throw new Error("the tests ended without results; see their output above");
  const { testResults } = Report.parse(JSON.parse(readFileSync(file, "utf8")));
  return testResults.flatMap(({ assertionResults }) => assertionResults).filter(({ fullName }) => new RegExp(wanted).test(fullName));
}

/** The report as Markdown: the machine, each test, and the messages of failed tests. */
function formatReport(path: string, all: readonly Result[]): string {
  const count = (status: string): number => all.filter((one) => one.status === status).length;
  const failed = all.filter(({ status }) => status === "failed");
  return [
    `# signage-player ${manifest.version} on Electron ${manifest.devDependencies.electron}`,
    "",
    `- binary: ${path}`,
    `- system: ${type()} ${release()}, ${process.arch}, ${osName()}`,
    `- GPU: ${hasGpu() ? "yes" : "none"}, user: ${process.getuid?.() === 0 ? "root (Electron ran as nobody)" : "unprivileged"}`,
    `- ${count("passed")} passed, ${count("failed")} failed, ${all.length - count("passed") - count("failed")} skipped`,
    "",
    "What only a real binary can show, with the tests:",
    "",
    ...questions.map((question) => `- ${question}`),
    "",
    "| test | result |",
    "| --- | --- |",
    ...all.map(({ fullName, status }) => `| ${fullName.replaceAll("|", "\\|")} | ${status} |`),
    ...failed.flatMap(({ fullName, failureMessages }) => ["", `## ${fullName}`, "", "```", (failureMessages ?? []).join("\n"), "```"]),
    "",
  ].join("\n");
}

function osName(): string {
  if (!existsSync("/etc/os-release")) return process.platform;
  return /^PRETTY_NAME="?([^"\n]+)/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1] ?? process.platform;
}
