// The application: Node.js, programs, page and production dependencies in one folder, and the bundle made of it.
import { chmodSync, copyFileSync, cpSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { rootFolder } from "../../src/main/folders.ts";
import { bundleName, type Architecture, type ReleaseManifest } from "../../src/protocol/device/updates.ts";
import { nodeRelease, type NodeRelease } from "./node-release.ts";
import { noticesOf, noticesText } from "./notices.ts";
import type { BuildOptions } from "./options.ts";
import { installedModules, pruneModules } from "./production-modules.ts";
import { run } from "./run-program.ts";
import { fontPackages } from "../../config/fonts.ts";

/** The oldest launcher that can run this application. Raise it when a bundle needs what only a newer launcher does. */
const launcherNeeded = "0.1.0";

// Development dependencies that the build puts into the player's page. That of the console lists its own.
const packagesInPage = ["hls.js", "uqr", ...fontPackages];
const PackageFolders = z.array(z.string().startsWith("node_modules/"));

/** What an application is made of. Tests give small parts instead of the real ones. */
export interface ApplicationParts {
  node: NodeRelease;
  /** A folder with the pruned `node_modules`. */
  modules: string;
  /** The notices of third parties. */
  notices: string;
  /** A folder with `dist/main`, `dist/renderer` and `LICENSE`. */
  built: string;
}

/** Collects the real parts for one architecture in the folder `work`. @param isFresh installs the dependencies anew. */
export function collectParts(architecture: Architecture, { cacheFolder }: BuildOptions, work: string, isFresh: boolean): ApplicationParts {
  const node = nodeRelease(architecture, cacheFolder);
  const installed = installedModules(architecture, cacheFolder, isFresh);
  const inConsole = PackageFolders.parse(JSON.parse(readFileSync(join(rootFolder, "dist/renderer/console/packages.json"), "utf8")));
  const inPage = [...packagesInPage.map((name) => `node_modules/${name}`), ...inConsole].map((folder) => join(rootFolder, folder));
  const notices = noticesText(noticesOf(join(installed, "node_modules"), inPage), node.version, node.license);
  const modules = join(work, `modules-${architecture}`);
  cpSync(join(installed, "node_modules"), join(modules, "node_modules"), { recursive: true, verbatimSymlinks: true });
  pruneModules(join(modules, "node_modules"));
  return { node, modules, notices, built: rootFolder };
}

/** Writes an application's folder. */
export function writeApplication(folder: string, architecture: Architecture, version: string, parts: ApplicationParts): void {
  const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;
  const manifest: ReleaseManifest = { version, architecture, launcher_needed: launcherNeeded };
  mkdirSync(join(folder, "bin"), { recursive: true });
  copyFileSync(parts.node.program, join(folder, "bin/node"));
  writeFileSync(join(folder, "release.json"), json(manifest));
  writeFileSync(
    join(folder, "package.json"),
    json({ name: "signage-player", version, private: true, license: "Apache-2.0", type: "module" }),
  );
  copyFileSync(join(parts.built, "LICENSE"), join(folder, "LICENSE"));
  writeFileSync(join(folder, "THIRD-PARTY-NOTICES.txt"), parts.notices);
  for (const path of ["dist/main", "dist/renderer"]) {
    cpSync(join(parts.built, path), join(folder, path), { recursive: true, filter: (from) => !from.endsWith(".map") });
  }
  cpSync(join(parts.modules, "node_modules"), join(folder, "node_modules"), { recursive: true });
  setModes(folder, ["bin/node"]);
}

/** Packs an application's folder. @returns the bundle's path. */
export function packBundle(
  application: string,
  architecture: Architecture,
  { version, epoch, quick }: BuildOptions,
  output: string,
): string {
  const bundle = join(output, bundleName(version, architecture));
  const archive = bundle.replace(/\.zst$/, "");
  mkdirSync(dirname(bundle), { recursive: true });
  rmSync(bundle, { force: true });
  // The oldest format that has all that is needed, and the same bytes for the same files.
  const flags = ["--format=ustar", "--sort=name", `--mtime=@${epoch}`, "--owner=0", "--group=0", "--numeric-owner"];
  run("tar", ["--create", ...flags, `--file=${archive}`, `--directory=${application}`, ...readdirSync(application).toSorted()]);
  // The result does not depend on the number of threads, except for none.
  run("zstd", ["--quiet", "--rm", "--threads=2", quick ? "-3" : "-19", archive, "-o", bundle]);
  return bundle;
}

/** Makes everything below `folder` readable for all and writable for its owner, and only `programs` executable. */
function setModes(folder: string, programs: readonly string[]): void {
  // Unlike a glob, this also finds what is in folders whose name begins with a dot.
  for (const path of ["", ...readdirSync(folder, { recursive: true, encoding: "utf8" })]) {
    const file = join(folder, path);
    if (lstatSync(file).isSymbolicLink()) continue;
    chmodSync(file, statSync(file).isDirectory() || programs.includes(path) ? 0o755 : 0o644);
  }
}
