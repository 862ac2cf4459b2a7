// How the tests run: browsers share two cores, so tests that judge frames or times run one at a time. `npm test` runs the other
// projects beside them (scripts/test/run-vitest.ts).
import { statfsSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { browserlessTests, longTests } from "./scripts/test/fast.ts";

const isLong = process.env["SIGNAGE_LONG"] === "1";
// With SIGNAGE_LONG=1 only the long tests run, otherwise all others.
const kept = (paths: readonly string[]): string[] => (isLong ? paths.map((path) => path.replace(".test.ts", ".long.test.ts")) : [...paths]);
const leftOut = isLong ? [] : [longTests];
// Every second commit of the tests on PostgreSQL fails (scripts/test-postgres.ts).
const setupFiles = process.env["SIGNAGE_TEST_CONFLICTS"] === "1" ? ["test/support/conflicts.ts"] : [];
// Programs that mostly wait, and pages whose timing no test judges. None of these files builds the page that the others serve.
const programs = [
  "test/console/**/*.test.ts",
  "test/host/{contract,local,sites,chromium/cache-folder,{linux,proxy}/*}.test.ts",
  "test/renderer/{screens,items/{feed-items,legible,sites},stage/{growth,walls,zones}}.test.ts",
  "test/system/{agent,whole-path,packaging/{bundle,entry,pack},playback/{proof-of-play,schedule,site-data,workers}}.test.ts",
  "test/system/start/*.test.ts",
];
// Programs that run when the serial tests have ended: the other projects then leave a part of both cores idle. As many as make both
// processes of `npm test` end at about the same time.
const last = [
  "test/host/chromium/chromium.test.ts",
  "test/system/{commands,pictures}.test.ts",
  "test/system/packaging/electron.test.ts",
  "test/system/playback/play-causes.test.ts",
  "test/system/recovery/*.test.ts",
];
// No test replaces modules, so the files of a worker share them: loading them anew for each file takes a third of the CPU time.
// More workers than cores, because these tests mostly wait: three use 1.2 cores when nothing else runs, the serial tests 0.35.
const background = { isolate: false, maxWorkers: 4 };
// The many small files that these tests write are in memory where there is room: waiting for the disk costs a fifth of the CPU time.
const env: Record<string, string> = hasRoom("/dev/shm", 1e9) ? { TMPDIR: "/dev/shm" } : {};
const browsers = { globalSetup: "test/support/global-setup.ts", testTimeout: 60_000, hookTimeout: 60_000 };
// For tests that get only the CPU time that others leave: on a slow machine a tenth of it, so these time limits only end hangs.
const patient = { testTimeout: 600_000, hookTimeout: 600_000, expect: { poll: { timeout: 120_000 } } };

export default defineConfig({
  test: {
    projects: [
      { test: { ...background, name: "unit", include: kept(browserlessTests), exclude: leftOut, setupFiles, ...patient, env } },
      {
        test: {
          ...background,
          ...browsers,
          ...patient,
          name: "programs",
          include: kept(programs),
          exclude: [...kept(browserlessTests), ...leftOut],
        },
      },
      {
        test: {
          ...browsers,
          name: "browser",
          include: [...kept(["test/{renderer,host,system}/**/*.test.ts"]), ...(isLong ? ["test/long/**/*.test.ts"] : [])],
          exclude: [...kept([...programs, ...last]), ...leftOut],
          isolate: false,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...background,
          ...browsers,
          ...patient,
          name: "last",
          include: kept(last),
          exclude: leftOut,
          maxWorkers: 3,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});

function hasRoom(folder: string, bytes: number): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= bytes;
  } catch {
    return false; // There is no such folder, as on other systems.
  }
}
