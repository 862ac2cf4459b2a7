// Tells which browserless test files import a source file, directly, by way of others or in a program, the nearest first.
import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { longFiles, testsInFolders } from "../test/levels.ts";

/** Tests that start a program which loads these files: they do not import them. */
const startedBy: Readonly<Record<string, string>> = {
  "test/service/media/media-formats.test.ts": "src/service/media/child.ts",
  "test/service/store/backup.test.ts": "src/main/backup.ts",
};

/**
 * @param files all tracked files, relative to `root`.
 * @returns for each source file the test files that import it, ordered by the number of imports between them, then those in the folder
 * of the same name first.
 */
export function testsByDistance(root: string, files: readonly string[]): Map<string, string[]> {
  const known = new Set(files.filter((file) => file.endsWith(".ts")));
  const imports = new Map([...known].map((file) => [file, importsOf(root, file).filter((target) => known.has(target))]));
  const found = new Map<string, { test: string; distance: number }[]>();
  for (const test of globSync(testsInFolders, { cwd: root, exclude: [longFiles] })) {
    if (!known.has(test)) continue;
    for (const [file, distance] of distancesFrom(test, imports)) {
      found.set(file, [...(found.get(file) ?? []), { test, distance }]);
    }
  }
  return new Map(
    [...found].map(([file, tests]) => {
      const sorted = tests.toSorted((a, b) => a.distance - b.distance || sharedFolders(file, b.test) - sharedFolders(file, a.test));
      return [file, sorted.map(({ test }) => test)];
    }),
  );
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
  const started = startedBy[file];
  return started === undefined ? imported : [...imported, started];
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
