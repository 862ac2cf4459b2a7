// Bundles the programs into `dist/main` for tests that run the bundle.
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { rootFolder } from "../../../src/main/folders.ts";
import { bundlePrograms } from "../bundled-programs.ts";
import { newestChange } from "../newest-change.ts";

const sources = ["src", "vite.main.config.ts", "package.json"];

/** Bundles the programs unless the bundle is newer than every source. */
export async function bundleProgramsIfStale(): Promise<void> {
  const bundled = await stat(join(rootFolder, "dist/main/electron.js")).catch(() => null);
  const changes = await Promise.all(sources.map((source) => newestChange(join(rootFolder, source))));
  if (bundled === null || Math.max(...changes) >= bundled.mtimeMs) await bundlePrograms();
}
