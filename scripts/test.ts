// `npm test`: installs what the tests need, builds the page and the programs, runs the tests and prints the counts.
// `npm test -- --cost` also measures the CPU time of each test file and writes it to test/cost.md.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createLog } from "../src/base/log.ts";
import { aptCommand, installPackages } from "../src/main/player/apt.ts";
import { browserPackages, findElectron } from "../src/main/player/engine.ts";
import { buildPageIfStale } from "../test/support/page-build.ts";
import { bundleProgramsIfStale } from "../test/support/programs/bundle.ts";
import { CostMeter, writeCosts } from "./test/cost.ts";
import { judge, listText } from "./test/outcome.ts";
import { runVitest } from "./test/run-vitest.ts";

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
];

const words = process.argv.slice(2);
const withCost = words.includes("--cost");
const argv = words.filter((word) => word !== "--cost");
await prepareFullRun();

const folder = mkdtempSync(join(tmpdir(), "signage-report-"));
const meter = withCost ? new CostMeter() : null;
try {
  const run = await runVitest(argv, join(folder, "run.json"));
  if (meter !== null) writeCosts(meter.end());
  const { passed, failed, skipped, failures, exitCode } = judge(run);
  process.stdout.write(`${listText("Failed", failures)}\nTests: ${passed} passed, ${failed} failed, ${skipped} skipped\n`);
  process.exitCode = exitCode;
} finally {
  meter?.[Symbol.dispose]();
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
  await Promise.all([buildPageIfStale(), bundleProgramsIfStale()]);
}

function isInstalled(program: string): boolean {
  if (program.startsWith("/")) return existsSync(program);
  return (process.env["PATH"] ?? "").split(delimiter).some((path) => existsSync(join(path, program)));
}
