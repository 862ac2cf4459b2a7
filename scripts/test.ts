// `npm test`: installs what the tests need, builds the page, runs the tests, repeats failed tests, and prints the
// counts. `npm test -- --fast` runs only quick tests that need no browser and start no program.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createLog } from "../src/base/log.ts";
import { aptCommand, installPackages } from "../src/main/player/apt.ts";
import { browserPackages, findElectron } from "../src/main/player/engine.ts";
import { buildPageIfStale } from "../test/support/page-build.ts";
import { bundleProgramsIfStale } from "../test/support/programs/bundle.ts";
import { chooseFastTests } from "./test/fast.ts";
import { filesToRepeat, judge, listText, testsToRepeat, type Run } from "./test/outcome.ts";
import { filtersOf, runAllTests, runVitest, withoutFilters } from "./test/run-vitest.ts";

/** Programs that the tests start, and the Debian packages that contain them. */
const requirements = [
  { program: "/usr/lib/chromium/chromium", packages: browserPackages },
  // For the tests of the console.
  { program: "/usr/lib/chromium/chromium-headless-shell", packages: ["chromium-headless-shell"] },
  { program: "Xvfb", packages: ["xvfb"] },
  // An X server that can change its display's mode, and the program that requests the change.
  { program: "Xvnc", packages: ["tigervnc-standalone-server"] },
  { program: "xrandr", packages: ["x11-xserver-utils"] },
  { program: "ffmpeg", packages: ["ffmpeg"] },
  { program: "openbox", packages: ["openbox"] },
  // For the tests of the packages and of the image.
  { program: "reprepro", packages: ["reprepro"] },
  { program: "gpg", packages: ["gnupg"] },
  { program: "gpgv", packages: ["gpgv"] },
  { program: "zstd", packages: ["zstd"] },
  { program: "sgdisk", packages: ["gdisk"] },
  { program: "shellcheck", packages: ["shellcheck"] },
  { program: "groff", packages: ["groff-base"] },
  // For the tests of several nodes. apt starts neither where it runs without an init system; the tests start their own.
  { program: "/usr/sbin/nats-server", packages: ["nats-server"] },
  { program: "/usr/sbin/haproxy", packages: ["haproxy"] },
  // Compiles the library that makes a program's reads fail, for a long test.
  ...(process.env["SIGNAGE_LONG"] === "1" ? [{ program: "gcc", packages: ["gcc", "libc6-dev"] }] : []),
];

const argv = process.argv.slice(2).filter((argument) => argument !== "--fast");
const isFast = process.argv.includes("--fast");
if (!isFast) await prepareFullRun();

const folder = mkdtempSync(join(tmpdir(), "signage-report-"));
try {
  const first = isFast ? await runVitest(fastRun(), join(folder, "fast.json")) : await runAllTests(argv, folder);
  const files = filesToRepeat(first);
  const second = files.length === 0 ? null : await repeatTests(files, testsToRepeat(first), join(folder, "second.json"));
  const { passed, failed, skipped, failures, flaky, exitCode } = judge(first, second);
  process.stdout.write(listText("Flaky, passed only when run again", flaky) + listText("Failed", failures));
  process.stdout.write(`\nTests: ${passed} passed, ${failed} failed, ${skipped} skipped\n`);
  if (isFast) process.stdout.write(`Fast run: ${chooseFastTests().leftOut} test files were left out; \`npm test\` runs all.\n`);
  process.exitCode = exitCode;
} finally {
  rmSync(folder, { recursive: true });
}

/** Installs missing programs and builds the page and the programs; ends this program when it cannot. */
async function prepareFullRun(): Promise<void> {
  const log = await createLog("test");
  const missing = requirements.filter(({ program }) => !isInstalled(program)).flatMap(({ packages }) => packages);
  if (missing.length > 0) {
    log.info({ packages: missing }, "installing what the tests need");
    if (!(await installPackages(missing, log, new AbortController().signal))) {
      process.stderr.write(`Programs that the tests need are missing, and this user may not install them. Run: ${aptCommand(missing)}\n`);
      process.exit(1);
    }
  }
  if (findElectron() === null)
    process.stdout.write("Electron's binary is missing: a stand-in replaces it (npm run electron:check tests the binary).\n");
  // Before the global set-up, which runs in two processes at the same time.
  await Promise.all([buildPageIfStale(), bundleProgramsIfStale()]);
}

function isInstalled(program: string): boolean {
  if (program.startsWith("/")) return existsSync(program);
  return (process.env["PATH"] ?? "").split(delimiter).some((path) => existsSync(join(path, program)));
}

/** Vitest's arguments for the fast tests; file filters among `argv` narrow them. */
function fastRun(): string[] {
  const filters = filtersOf(argv);
  const files = chooseFastTests().files.filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter)));
  return [...withoutFilters(argv), "--project", "unit", ...files];
}

/** Runs only the tests of `files` that `pattern` matches, null for all, with the options among `argv`. */
function repeatTests(files: readonly string[], pattern: string | null, report: string): Promise<Run> {
  process.stdout.write(`\nRepeating failed tests, one file at a time: ${files.join(", ")}\n`);
  const chosen = pattern === null ? [] : ["-t", pattern];
  return runVitest([...withoutFilters(argv), "--no-file-parallelism", ...chosen, ...files], report);
}
