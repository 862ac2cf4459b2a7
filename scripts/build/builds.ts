// What Vite builds here, and how it is told that a build is missing or outdated: for `npm start`, the packages and the tests.
import { execFile } from "node:child_process";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { rootFolder } from "../../src/main/folders.ts";

export interface Build {
  /** What a person is told while it runs. */
  title: string;
  config: string;
  /** A file that each build writes anew. */
  output: string;
  /** Files and folders that it is made of. */
  sources: readonly string[];
}

export type BuildName = "player" | "console" | "programs";

const packages = ["package.json", "package-lock.json"];

export const builds: Readonly<Record<BuildName, Build>> = {
  player: {
    title: "the player's page",
    config: "config/vite.page.ts",
    output: "dist/renderer/player/index.html",
    sources: ["renderer/player", "src/protocol", "config/vite.page.ts", "config/fonts.ts", "scripts/fonts", ...packages],
  },
  console: {
    title: "the console",
    config: "config/vite.console.ts",
    output: "dist/renderer/console/index.html",
    sources: [
      "renderer/console",
      "renderer/player",
      "sdk/typescript/client.ts",
      "sdk/typescript/types.ts",
      "src/protocol",
      "src/schedule",
      "src/playback",
      "src/base",
      "config/vite.console.ts",
      ...packages,
    ],
  },
  programs: {
    title: "the programs",
    config: "config/vite.programs.ts",
    output: "dist/main/electron.js",
    sources: ["src", "config/vite.programs.ts", ...packages],
  },
};

/** Runs a build in a checkout. */
export type RunBuild = (build: Build, checkout: string) => Promise<void>;

/**
 * Runs those builds whose output is missing or not newer than all they are made of, one after the other.
 * @param tell gets one line for each build that runs.
 */
export async function buildIfStale(
  wanted: readonly Build[],
  tell: (line: string) => void = () => {},
  { checkout = rootFolder, run = runVite }: { checkout?: string; run?: RunBuild } = {},
): Promise<void> {
  for (const build of wanted) {
    if (!(await isStale(build, checkout))) continue;
    tell(`building ${build.title}`);
    await run(build, checkout);
  }
}

/** Builds with Vite, whose warnings are shown. @throws Error with its output when it fails. */
export async function runVite({ config }: Build, checkout: string): Promise<void> {
  const program = join(checkout, "node_modules/vite/bin/vite.js");
  // Otherwise Vite would use Vitest's NODE_ENV, "test".
  const env = { ...process.env, NODE_ENV: "production" };
  const flags = ["build", "--logLevel", "warn", "--config", config];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [program, ...flags], { cwd: checkout, env });
  process.stderr.write(stdout + stderr);
}

async function isStale({ output, sources }: Build, checkout: string): Promise<boolean> {
  const built = await stat(join(checkout, output)).catch(() => null);
  if (built === null) return true;
  const changes = await Promise.all(sources.map((source) => newestChange(join(checkout, source))));
  return Math.max(...changes) >= built.mtimeMs;
}

/** The latest modification time below `path`, its own included, ms since the epoch: a folder's tells of files that are gone. */
async function newestChange(path: string): Promise<number> {
  const own = await stat(path);
  if (!own.isDirectory()) return own.mtimeMs;
  const names = await readdir(path, { recursive: true });
  const below = await Promise.all(names.map((name) => stat(join(path, name))));
  return Math.max(own.mtimeMs, ...below.map(({ mtimeMs }) => mtimeMs));
}
