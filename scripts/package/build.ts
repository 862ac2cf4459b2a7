// Builds everything but the apt repository into one folder: bundles and Debian packages of each architecture.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { rootFolder } from "../../src/main/folders.ts";
import type { Architecture } from "../../src/protocol/device/updates.ts";
import { collectParts, packBundle, writeApplication } from "./application.ts";
import type { BuildOptions } from "./options.ts";
import { buildPlayerDeb } from "./player-package.ts";
import { run, step } from "./run-program.ts";
import { buildServiceDeb } from "./service-package.ts";

/** A file that a build made. */
export interface BuiltFile {
  path: string;
  sizeBytes: number;
  sha256: string;
}

/** Bundles the programs, the page, the console and the launcher from their sources. */
export function buildPrograms(epoch: number): void {
  const vite = join(rootFolder, "node_modules/vite/bin/vite.js");
  for (const config of ["config/vite.page.ts", "config/vite.console.ts", "config/vite.programs.ts", "config/vite.launcher.ts"]) {
    const argv = [vite, "build", "--config", config, "--logLevel", "warn"];
    run(process.execPath, argv, { cwd: rootFolder, env: { SOURCE_DATE_EPOCH: String(epoch) } });
  }
}

/**
 * Builds the packages of all architectures from the bundled programs. @param work a folder for intermediate files, which is
 * deleted afterwards. @param isFresh installs the dependencies anew.
 */
export async function buildPackages(
  architectures: readonly Architecture[],
  options: BuildOptions,
  work: string,
  output: string,
  isFresh: boolean,
): Promise<BuiltFile[]> {
  const launcher = join(rootFolder, "dist/launcher/launcher.mjs");
  const paths: string[] = [];
  rmSync(work, { recursive: true, force: true });
  try {
    for (const architecture of architectures) {
      const application = join(work, `application-${architecture}`);
      mkdirSync(application, { recursive: true });
      await step(`${architecture}: collect Node, programs and dependencies`, () => {
        const parts = collectParts(architecture, options, work, isFresh);
        writeApplication(application, architecture, options.version, parts);
      });
      const pack = { bundle: packBundle, player: buildPlayerDeb, service: buildServiceDeb };
      paths.push(await step(`${architecture}: bundle`, () => pack.bundle(application, architecture, options, output)));
      paths.push(
        await step(`${architecture}: signage-player`, () => pack.player(architecture, { application, launcher }, options, work, output)),
      );
      paths.push(await step(`${architecture}: signage-service`, () => pack.service(architecture, application, options, work, output)));
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return paths.map(describeFile);
}

/** The lines of SHA256SUMS. */
export function checksumLines(files: readonly BuiltFile[]): string {
  return files.map(({ path, sha256 }) => `${sha256}  ${basename(path)}\n`).join("");
}

function describeFile(path: string): BuiltFile {
  return { path, sizeBytes: statSync(path).size, sha256: createHash("sha256").update(readFileSync(path)).digest("hex") };
}
