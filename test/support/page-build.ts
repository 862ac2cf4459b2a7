// Finds the built page for tests, and builds it first when a source is newer than the last build.
import { join } from "node:path";
import { buildIfStale, builds } from "../../scripts/build/builds.ts";
import { rendererFolder } from "../../src/main/folders.ts";

/** Builds `dist/renderer/player` and `dist/renderer/console` unless they are newer than everything they are built from. */
export async function buildPageIfStale(): Promise<void> {
  await buildIfStale([builds.player, builds.console]);
}

/** The folder with the built page in `player`. Under Vitest it is the run's copy, which no test rebuilds or damages. */
export async function builtRenderer(): Promise<string> {
  const runFolder = process.env["SIGNAGE_TEST_RUN"];
  if (runFolder !== undefined) return join(runFolder, "renderer");
  await buildPageIfStale();
  return rendererFolder;
}
