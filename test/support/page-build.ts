// Finds the built page for tests, and builds it first when a source is newer than the last build.
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { rendererFolder, rootFolder } from "../../src/main/folders.ts";
import { buildPage } from "./bundled-programs.ts";

const sources = ["renderer/player", "src/protocol", "vite.config.ts", "package-lock.json"];

/** Builds `dist/renderer/player` unless it is newer than everything it is built from. */
export async function buildPageIfStale(): Promise<void> {
  const builtAt = await modifiedAt(join(rendererFolder, "player/index.html"));
  const changes = await Promise.all(sources.map((source) => newestIn(join(rootFolder, source))));
  if (builtAt === null || Math.max(...changes) > builtAt) await buildPage();
}

/** The folder with the built page in `player`. Under Vitest it is the run's copy, which no test rebuilds or damages. */
export async function builtRenderer(): Promise<string> {
  const runFolder = process.env["SIGNAGE_TEST_RUN"];
  if (runFolder !== undefined) return join(runFolder, "renderer");
  await buildPageIfStale();
  return rendererFolder;
}

async function newestIn(path: string): Promise<number> {
  const found = await stat(path);
  if (!found.isDirectory()) return found.mtimeMs;
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const times = await Promise.all(entries.map(async (entry) => (await stat(join(entry.parentPath, entry.name))).mtimeMs));
  return Math.max(found.mtimeMs, ...times);
}

async function modifiedAt(path: string): Promise<number | null> {
  return (await stat(path, { bigint: false }).catch(() => null))?.mtimeMs ?? null;
}
