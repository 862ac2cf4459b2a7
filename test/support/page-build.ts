// Finds the built page for tests, and builds it first when a source is newer than the last build.
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { rendererFolder, rootFolder } from "../../src/main/folders.ts";
import { buildPage } from "./bundled-programs.ts";
import { newestChange } from "./newest-change.ts";

const sources = ["renderer/player", "src/protocol", "vite.config.ts", "package-lock.json"];

/** Builds `dist/renderer/player` unless it is newer than everything it is built from. */
export async function buildPageIfStale(): Promise<void> {
  const built = await stat(join(rendererFolder, "player/index.html")).catch(() => null);
  const changes = await Promise.all(sources.map((source) => newestChange(join(rootFolder, source))));
  if (built === null || Math.max(...changes) > built.mtimeMs) await buildPage();
}

/** The folder with the built page in `player`. Under Vitest it is the run's copy, which no test rebuilds or damages. */
export async function builtRenderer(): Promise<string> {
  const runFolder = process.env["SIGNAGE_TEST_RUN"];
  if (runFolder !== undefined) return join(runFolder, "renderer");
  await buildPageIfStale();
  return rendererFolder;
}
