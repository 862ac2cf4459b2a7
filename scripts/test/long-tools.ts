// The tools that only the long tests and `node scripts/openapi.ts` use: a package of their own below test/long, which a plain `npm ci`
// does not install.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rootFolder } from "../../src/main/folders.ts";

/** The folder with the tools' package.json and package-lock.json. */
const longToolsFolder = join(rootFolder, "test/long");

/** The path of a file of a tool, such as `orval/dist/bin/orval.mjs`. */
export function longTool(file: string): string {
  return join(longToolsFolder, "node_modules", file);
}

/** Installs the packages that a folder's package-lock.json lists. */
export type Install = (folder: string) => void;

/**
 * Installs the tools in `folder` unless what is installed is what package-lock.json lists. @returns whether it installed them.
 * @throws Error when npm fails; the next call tries again.
 */
export function installLongToolsIfStale(folder: string = longToolsFolder, install: Install = npmCi): boolean {
  const lock = createHash("sha256")
    .update(readFileSync(join(folder, "package-lock.json")))
    .digest("hex");
  // `npm ci` removes node_modules first, so this file is there only after an installation that succeeded.
  const installed = join(folder, "node_modules/.installed-lock");
  if (existsSync(installed) && readFileSync(installed, "utf8") === lock) return false;
  install(folder);
  writeFileSync(installed, lock);
  return true;
}

function npmCi(folder: string): void {
  process.stdout.write("installing the tools of the long tests (test/long/package.json)\n");
  execFileSync("npm", ["ci", "--prefix", folder, "--no-audit", "--no-fund", "--loglevel", "error"], { cwd: folder, stdio: "inherit" });
}
