// The production dependencies of one architecture, without the files that nothing reads at run time.
import { createHash } from "node:crypto";
import {
  closeSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  rmdirSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { rootFolder } from "../../src/main/folders.ts";
import type { Architecture } from "../../src/protocol/device/updates.ts";
import { npmNames } from "./node-release.ts";
import { run } from "./run-program.ts";

// The workspace's manifest must be there, or npm takes the lock file for outdated.
const manifests = ["package.json", "package-lock.json", "sdk/typescript/package.json"];

/** Packages that no bundled program imports, with the reason why they are installed. */
const unusedPackages: readonly string[] = [
  "@napi-rs", // pdf.js draws on this canvas under Node. The service only counts pages, and the page draws on the browser's canvas.
  // Only the Electron player keeps its settings in it; the Chromium player uses `conf`.
  "electron-store",
  // The upload server's other stores.
  "@redis",
  "@ioredis",
  "ioredis",
  "cluster-key-slot",
  "denque",
  "redis-errors",
  "redis-parser",
  "standard-as-callback",
];

/** Files that nothing reads at run time. Licenses are in the notices, see notices.ts. */
const unusedFiles: readonly string[] = [
  "**/*.{map,d.ts,d.mts,d.cts,md,markdown,flow,tsbuildinfo,orig}",
  "**/*.{ts,mts,cts,tsx}",
  "**/{LICENSE,LICENCE,LICENSES,COPYING,NOTICE,CHANGELOG,HISTORY,AUTHORS,CONTRIBUTORS,README,CODE_OF_CONDUCT}{,[.-]*}",
  "**/{license,licence,changelog,history,readme}{,.txt,.markdown}",
  "**/{.github,.vscode,.idea,.husky,.circleci,.nyc_output,__tests__,coverage}/**",
  "**/{.*rc,.*rc.json,.*rc.js,.*rc.cjs,.*ignore,.editorconfig,.gitattributes,.gitmodules,.travis.yml,.taprc,.airtap.yml,.eslintrc*}",
  "{*,@*/*}/{test,tests,example,examples,bench,benchmark,benchmarks,docs,doc,man,e2e}/**",
  "fastify/{integration,scripts}/**",
  "pino/{*.html,favicon*,docsify/**,*.png}",
  "{*,@*/*}/{*.tgz,Makefile,tsconfig*.json,*.config.{js,mjs,cjs},Gruntfile.js,bower.json,component.json,SECURITY*}",
  ".bin/**",
  ".package-lock.json",
  "@modelcontextprotocol/*/dist/**/*.cjs",
  "libheif-js/libheif/**",
  "mediabunny/{src,dist/bundles}/**",
  "nodemailer/dist/cjs/**",
  "pdfjs-dist/{build,web,types,image_decoders,wasm,cmaps,iccs,standard_fonts}/**",
  "pdfjs-dist/legacy/{web,image_decoders}/**",
  "pdfjs-dist/legacy/build/*.min.mjs",
  "pdfjs-dist/legacy/build/pdf.sandbox.mjs",
];

/**
 * Installs the production dependencies by npm, once for each lock file and architecture. @param isFresh does not use an earlier
 * installation. @returns a folder with `node_modules`.
 */
export function installedModules(architecture: Architecture, cacheFolder: string, isFresh: boolean): string {
  const hash = createHash("sha256");
  for (const path of manifests) hash.update(readFileSync(join(rootFolder, path)));
  const folder = join(cacheFolder, `modules-${architecture}-${hash.digest("hex").slice(0, 16)}`);
  if (isFresh) rmSync(folder, { recursive: true, force: true });
  if (existsSync(folder)) return folder;
  mkdirSync(cacheFolder, { recursive: true });
  const unfinished = mkdtempSync(`${folder}-`);
  for (const path of manifests) {
    mkdirSync(dirname(join(unfinished, path)), { recursive: true });
    cpSync(join(rootFolder, path), join(unfinished, path));
  }
  const target = ["--os=linux", `--cpu=${npmNames[architecture]}`, "--libc=glibc"];
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error", "--prefer-offline"];
  // No package's script runs: sharp's addon comes as a package of its own.
  run("npm", ["ci", "--omit=dev", "--ignore-scripts", "--workspaces=false", ...target, ...quiet], { cwd: unfinished });
  renameSync(unfinished, folder);
  return folder;
}

/** Deletes what nothing uses at run time from a copy of `node_modules`. */
export function pruneModules(modules: string): void {
  for (const name of unusedPackages) rmSync(join(modules, name), { recursive: true, force: true });
  const found = globSync([...unusedFiles], { cwd: modules, withFileTypes: true });
  for (const entry of found) if (!entry.isDirectory()) rmSync(join(entry.parentPath, entry.name), { force: true });
  // Hidden files, and commands for people, which no program imports.
  for (const entry of readdirSync(modules, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && (path.slice(modules.length).includes("/.") || isScript(path))) rmSync(path);
  }
  removeEmptyFolders(modules);
}

/** Whether the file names its interpreter. */
function isScript(path: string): boolean {
  const start = Buffer.alloc(2);
  const file = openSync(path, "r");
  readSync(file, start);
  closeSync(file);
  return start.toString("latin1") === "#!";
}

/** @returns whether the folder was empty, and is removed. */
function removeEmptyFolders(folder: string): boolean {
  let isEmpty = true;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isDirectory() || !removeEmptyFolders(join(folder, entry.name))) isEmpty = false;
  }
  if (isEmpty) rmdirSync(folder);
  return isEmpty;
}
