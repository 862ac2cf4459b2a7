// What a part of the package tests gets: its run, and where packages and work files are.
import type { SoakRun } from "../soak/soak-run.ts";

export interface PackageTest {
  run: SoakRun;
  /** The output of `npm run package`: packages/ and apt/. */
  packages: string;
  /** The same for a higher version, by `npm run package -- --version 99.0.0 --output DIR`. */
  newer: string;
  /** The output of `npm run image`, built with --kernel console=ttyS0. */
  image: string;
  /** Debian systems, which later runs use again. */
  cache: string;
  /** A folder of this run. */
  work: string;
  /** The cases to try; null for all. */
  only: readonly string[] | null;
  /** How many machines may run at a time. */
  parallel: number;
}

export interface PackagePart {
  about: string;
  /** What the amount counts. */
  unit: string;
  usual: number;
  /** @returns why this machine cannot run the part; null after it ran. */
  run(test: PackageTest): Promise<string | null>;
}
