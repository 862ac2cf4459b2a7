// Tells which test files depend on a source file: by imports, directly or by way of others, and by the programs and pages they start.
import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** What a file loads without importing it: a program that it starts, a page that it builds. */
const loads: Readonly<Record<string, readonly string[]>> = {
  "src/service/media/process.ts": ["src/service/media/child.ts"],
  "test/service/store/backup.test.ts": ["src/main/backup.ts"],
  "test/support/page-build.ts": ["renderer/player/main.ts", "renderer/player/preview/main.ts", "renderer/console/main.tsx"],
  "test/support/programs/programs.ts": ["src/main/cli.ts"],
  "test/docs.test.ts": [
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "docs/README.md",
    "docs/architecture.md",
    "docs/glossary.md",
    "sdk/README.md",
  ],
};

/** A test file, and the number of imports between it and a source file. */
export interface Dependent {
  test: string;
  distance: number;
}

/**
 * @param files all tracked files, relative to `root`.
 * @param tests patterns of test files.
 * @param exclude patterns of test files that do not count.
 * @returns for each file the test files that depend on it, ordered by the number of imports between them, then those in the folder of the
 * same name first.
 */
export function testsByDistance(
  root: string,
  files: readonly string[],
  tests: readonly string[],
  exclude: readonly string[],
): Map<string, Dependent[]> {
  const known = new Set(files);
  const imports = new Map(
    files.map((file) => [file, (/\.tsx?$/.test(file) ? importsOf(root, file) : []).filter((target) => known.has(target))]),
  );
  const found = new Map<string, Dependent[]>();
  for (const test of globSync(tests, { cwd: root, exclude })) {
    if (!known.has(test)) continue;
    for (const [file, distance] of distancesFrom(test, imports)) found.set(file, [...(found.get(file) ?? []), { test, distance }]);
  }
  for (const [file, dependents] of found) {
    dependents.sort((a, b) => a.distance - b.distance || sharedFolders(file, b.test) - sharedFolders(file, a.test));
  }
  return found;
}

/** How many folders the paths have in common below `src` and `test`. */
function sharedFolders(source: string, test: string): number {
  const [, ...one] = dirname(source).split("/");
  const [, ...other] = dirname(test).split("/");
  const differs = one.findIndex((folder, at) => folder !== other[at]);
  return differs === -1 ? one.length : differs;
}

function importsOf(root: string, file: string): string[] {
  const text = readFileSync(join(root, file), "utf8");
  const imported = [...text.matchAll(/(?:from|import)\s*\(?\s*"(\.{1,2}\/[^"]+)"/g)].map(([, specifier]) =>
    normalize(join(dirname(file), specifier!)),
  );
  return [...imported, ...(loads[file] ?? [])];
}

/** The number of imports from `start` to every file that it reaches. */
function distancesFrom(start: string, imports: ReadonlyMap<string, readonly string[]>): Map<string, number> {
  const distances = new Map([[start, 0]]);
  const queue = [start];
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    for (const target of imports.get(file) ?? []) {
      if (distances.has(target)) continue;
      distances.set(target, distances.get(file)! + 1);
      queue.push(target);
    }
  }
  return distances;
}
