// The parts of `npm run test:long`: which test files each runs, and with which environment.
import { globSync } from "node:fs";
import { rootFolder } from "../../src/main/folders.ts";
import { gateConfig, gateTests, longConfig, longTests } from "./levels.ts";

/** A part that runs apart from the others, by its own run of Vitest. */
export interface LongPart {
  name: string;
  /** What it proves, for `--list`. */
  about: string;
  /** Patterns of its test files. */
  files: readonly string[];
  config: typeof gateConfig | typeof longConfig;
  env?: Readonly<Record<string, string>>;
  /** The packages of test/long that its tests import (test/long/package.json). */
  needsTools?: boolean;
  /** The window manager labwc, from Debian 13 (test/support/browser/labwc.ts). */
  needsLabwc?: boolean;
}

const onPostgres = { SIGNAGE_TEST_DATABASE: "postgres" };

export const longParts: readonly LongPart[] = [
  { name: "page", about: "the page's frames and videos in real time", files: ["test/renderer/**/*.long.test.ts"], config: longConfig },
  { name: "host", about: "the browser's window, processes and networks", files: ["test/host/**/*.long.test.ts"], config: longConfig },
  {
    name: "system",
    about: "whole programs: start, playback, recovery, packages",
    files: ["test/{system,main,launcher,package,scale}/**/*.long.test.ts", "test/*.long.test.ts", "test/long/together.test.ts"],
    config: longConfig,
  },
  {
    name: "console",
    about: "the console's pages, and previews beside a real player",
    files: ["test/console/**/*.long.test.ts", "test/long/{console-pages,preview-pixels}.test.ts"],
    config: longConfig,
  },
  { name: "firefox", about: "the console in Firefox", files: ["test/long/console-firefox.test.ts"], config: longConfig, needsTools: true },
  { name: "labwc", about: "the window on labwc", files: ["test/long/labwc*.test.ts"], config: longConfig, needsLabwc: true },
  {
    name: "parts",
    about: "player, schedule and service: many generated cases, each moment of a power loss",
    files: ["test/{base,playback,player,protocol,schedule,service}/**/*.long.test.ts", "test/long/{malformed,power-loss,versions}.test.ts"],
    config: longConfig,
  },
  {
    name: "descriptions",
    about: "the linters of the API's descriptions, and clients of third-party generators",
    files: ["test/long/openapi/*.test.ts"],
    config: longConfig,
    needsTools: true,
  },
  {
    name: "postgres",
    about: "the service's tests on npm's PostgreSQL",
    files: ["test/service/**/*.test.ts"],
    config: gateConfig,
    env: onPostgres,
  },
  {
    name: "postgres-debian",
    about: "the same on Debian's PostgreSQL",
    files: ["test/service/**/*.test.ts"],
    config: gateConfig,
    env: { ...onPostgres, SIGNAGE_TEST_POSTGRES_VERSION: "15" },
  },
  {
    name: "conflicts",
    about: "the same with a conflict at every second commit",
    files: ["test/service/**/*.test.ts"],
    config: gateConfig,
    env: { ...onPostgres, SIGNAGE_TEST_CONFLICTS: "1" },
  },
];

/** The test files of a part, relative to the root. */
export function filesOf({ files, config }: Pick<LongPart, "files" | "config">): string[] {
  return globSync([...files], {
    cwd: rootFolder,
    exclude: config === gateConfig ? [...gateTests.exclude] : [...longTests.exclude],
  }).toSorted();
}

/** All files of the long level. */
export function allLongFiles(): string[] {
  return globSync([...longTests.unit, ...longTests.programs], { cwd: rootFolder, exclude: [...longTests.exclude] }).toSorted();
}
