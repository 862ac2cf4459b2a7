// Vitest's global set-up: one build of page and programs and one folder of generated media for all test files of a run.
import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rendererFolder } from "../../src/main/folders.ts";
import { buildPageIfStale } from "./page-build.ts";
import { bundleProgramsIfStale } from "./programs/bundle.ts";

/** Names the run's folder in SIGNAGE_TEST_RUN. The result removes the folder when the run is over. */
export default async function setUp(): Promise<() => Promise<void>> {
  await Promise.all([buildPageIfStale(), bundleProgramsIfStale()]);
  const folder = await mkdtemp(join(tmpdir(), "signage-run-"));
  await cp(rendererFolder, join(folder, "renderer"), { recursive: true });
  await mkdir(join(folder, "media"));
  process.env["SIGNAGE_TEST_RUN"] = folder;
  return () => rm(folder, { recursive: true, force: true });
}
