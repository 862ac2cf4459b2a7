// Finds the built page for tests, and builds it first when a source is newer than the last build.
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { rendererFolder, rootFolder } from "../../src/main/folders.ts";
import { buildConsole, buildPage } from "./bundled-programs.ts";
import { newestChange } from "./newest-change.ts";

const pageSources = ["renderer/player", "src/protocol", "vite.config.ts", "vite.fonts.ts", "scripts/fonts", "package-lock.json"];
const consoleSources = [
  "renderer/console",
  "sdk/typescript/client.ts",
  "sdk/typescript/types.ts",
  "src/protocol",
  "src/schedule",
  "src/player/playback",
  "src/base/text-hash.ts",
  "src/base/deep-equal.ts",
  "vite.console.config.ts",
  "package-lock.json",
];

/** Builds `dist/renderer/player` and `dist/renderer/console` unless they are newer than everything they are built from. */
export async function buildPageIfStale(): Promise<void> {
  if (await isStale("player", pageSources)) await buildPage();
  if (await isStale("console", consoleSources)) await buildConsole();
}

async function isStale(name: string, sources: readonly string[]): Promise<boolean> {
  const built = await stat(join(rendererFolder, name, "index.html")).catch(() => null);
  const changes = await Promise.all(sources.map((source) => newestChange(join(rootFolder, source))));
  return built === null || Math.max(...changes) > built.mtimeMs;
}

/** The folder with the built page in `player`. Under Vitest it is the run's copy, which no test rebuilds or damages. */
export async function builtRenderer(): Promise<string> {
  const runFolder = process.env["SIGNAGE_TEST_RUN"];
  if (runFolder !== undefined) return join(runFolder, "renderer");
  await buildPageIfStale();
  return rendererFolder;
}
