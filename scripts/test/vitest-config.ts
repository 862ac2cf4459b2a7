// Vitest's configuration for the test files of one level.
import { statfsSync } from "node:fs";
import { defineConfig, type ViteUserConfig } from "vitest/config";
import { costVariable } from "./cost.ts";
import type { TestFiles } from "./levels.ts";
import CostSequencer from "./sequencer.ts";

// These limits only end what hangs: a test takes many times longer on a machine whose cores others use.
const hangMs = 900_000;
// More workers than cores, because a test often waits for a program.
const workers = 4;

/** @param options how the files run. */
export function configOf({ unit, programs, exclude }: TestFiles, options: { fileParallelism?: boolean } = {}): ViteUserConfig {
  const shared = {
    ...options,
    // No test replaces modules, so the files of a worker share them: loading them anew for each file takes a third of the CPU time.
    isolate: false,
    maxWorkers: options.fileParallelism === false ? 1 : workers,
    testTimeout: hangMs,
    hookTimeout: hangMs,
    expect: { poll: { timeout: hangMs / 3, interval: 20 } },
    setupFiles: setupFiles(),
  };
  const globalSetup = "test/support/global-setup.ts";
  return defineConfig({
    test: {
      sequence: { sequencer: CostSequencer },
      projects: [
        { test: { ...shared, name: "unit", include: [...unit], exclude: [...exclude], env: temporaryFolder() } },
        { test: { ...shared, globalSetup, name: "programs", include: [...programs], exclude: [...exclude, ...unit] } },
      ],
    },
  });
}

function setupFiles(): string[] {
  const files = ["test/support/bytes.ts"];
  // Every second commit of the tests on PostgreSQL fails (scripts/test/long-parts.ts).
  if (process.env["SIGNAGE_TEST_CONFLICTS"] === "1") files.push("test/support/conflicts.ts");
  if (process.env[costVariable] !== undefined) files.push("test/support/cost.ts");
  return files;
}

/** The many small files that these tests write are in memory where there is room: waiting for the disk costs a fifth of the CPU time. */
function temporaryFolder(): Record<string, string> {
  const inMemory = "/dev/shm";
  try {
    const { bavail, bsize } = statfsSync(inMemory);
    return bavail * bsize >= 1e9 ? { TMPDIR: inMemory } : {};
  } catch {
    return {}; // There is no such folder, as on other systems.
  }
}
