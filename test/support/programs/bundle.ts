// Bundles the programs into `dist/main` for tests that run the bundle.
import { buildIfStale, builds } from "../../../scripts/build/builds.ts";

/** Bundles the programs unless the bundle is newer than every source. */
export async function bundleProgramsIfStale(): Promise<void> {
  await buildIfStale([builds.programs]);
}
