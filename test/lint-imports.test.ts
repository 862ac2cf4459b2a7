// Plants imports in a copy of the source tree and runs the linter on them with this project's settings.
import { readdir } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { rootFolder } from "../src/main/folders.ts";
import { readImportTable } from "./support/import-table.ts";
import { lintPlanted } from "./support/lint.ts";

const table = await readImportTable();
const packages = ["electron", "node:fs", "node:worker_threads", "pino", "zod", "z"];

/** The parts of the project: the folders of src and renderer, and all others in the root that hold TypeScript. */
async function readParts(): Promise<Map<string, string[]>> {
  const parts = new Map<string, string[]>();
  for (const root of await readdir(rootFolder, { withFileTypes: true })) {
    if (!root.isDirectory() || root.name.startsWith(".") || root.name === "dist" || root.name === "node_modules") continue;
    for (const path of await readdir(join(rootFolder, root.name), { recursive: true })) {
      if (!path.endsWith(".ts") || path.includes("node_modules")) continue;
      const part = root.name === "src" || root.name === "renderer" ? join(root.name, path.split("/")[0]!) : root.name;
      parts.set(part, [...(parts.get(part) ?? []), join(root.name, path)]);
    }
  }
  return parts;
}

const depthOf = (path: string) => path.split("/").length;

/**
 * Files of all parts: of each part the nearest to the root and the farthest, of each file that the table names the file
 * itself, one that has its name in another folder, and its neighbours.
 */
async function readTargets(): Promise<string[]> {
  const parts = [...(await readParts()).values()];
  const ends = parts.flatMap((files) => {
    const sorted = files.toSorted((one, other) => depthOf(one) - depthOf(other));
    return [sorted[0]!, sorted.at(-1)!];
  });
  const named = table.flatMap(({ paths, typePaths }) => [...paths, ...typePaths]).filter((path) => path.endsWith(".ts"));
  const near = named.flatMap((path) => [path, join(dirname(path), "elsewhere", basename(path)), join(dirname(path), "another.ts")]);
  return [...new Set([...ends, ...near])];
}

const isWithin = (path: string, folders: readonly string[]) => folders.some((folder) => path === folder || path.startsWith(`${folder}/`));

/** One planted import. */
interface Planted {
  /** Its file's path below the copy. */
  file: string;
  code: string;
  isAllowed: boolean;
}

const depths = ["", "one", "one/two", "one/two/three"];
const kinds = [
  (target: string) => `import { x } from "${target}";\nexport const y = x;\n`,
  (target: string) => `import type { X } from "${target}";\nexport type Y = X;\n`,
  (target: string) => `import { type X } from "${target}";\nexport type Y = X;\n`,
  (target: string) => `export { x } from "${target}";\n`,
  (target: string) => `export * from "${target}";\n`,
  (target: string) => `export const x = await import("${target}");\n`,
];
const typeKinds = new Set([1, 2]);

async function plant(): Promise<Planted[]> {
  const targets = [...(await readTargets()), ...packages];
  return table.flatMap(({ folder, paths, typePaths, allows }) =>
    targets.flatMap((target, number) =>
      depths.flatMap((depth) =>
        kinds.map((write, kind) => {
          const file = join(folder, depth, `planted-${number}-${kind}.ts`);
          if (packages.includes(target)) return { file, code: write(target), isAllowed: allows(target) };
          const isAllowed = isWithin(target, [folder, ...paths]) || (typePaths.includes(target) && typeKinds.has(kind));
          return { file, code: write(specifierOf(file, target)), isAllowed };
        }),
      ),
    ),
  );
}

/** How `file` writes an import of `target`. */
function specifierOf(file: string, target: string): string {
  const path = relative(dirname(file), target);
  return path.startsWith(".") ? path : `./${path}`;
}

const cycles = {
  "src/player/circle/one.ts": `import type { Two } from "./two.ts";\nexport interface One {\n  two: Two;\n}\n`,
  "src/player/circle/two.ts": `import type { One } from "./one.ts";\nexport interface Two {\n  one: One;\n}\n`,
};

const planted = await plant();
/** The files that the linter rejected, by rule. */
const complaints = new Map<string, Set<string>>();

beforeAll(async () => {
  const files = new Map([...planted.map(({ file, code }) => [file, code] as const), ...Object.entries(cycles)]);
  for (const { code, filename } of await lintPlanted(files)) {
    const rejected = complaints.get(code) ?? new Set();
    complaints.set(code, rejected.add(filename));
  }
});

const importRule = "eslint(no-restricted-imports)";

test("[LNT1] the linter rejects every import that the import table forbids, at any depth and in any form, and accepts the others", () => {
  const rejected = complaints.get(importRule) ?? new Set();
  const describe = ({ file, code }: Planted): string => `${file}: ${code.split("\n")[0]}`;
  expect(planted.filter(({ file, isAllowed }) => !isAllowed && !rejected.has(file)).map(describe), "accepted though forbidden").toEqual([]);
  expect(planted.filter(({ file, isAllowed }) => isAllowed && rejected.has(file)).map(describe), "rejected though allowed").toEqual([]);
  expect(rejected.size).toBeGreaterThan(1_000);
});

test("[LNT2] the linter rejects a cycle of imports, even when they import only types", () => {
  const rejected = complaints.get("import(no-cycle)") ?? new Set();
  expect([...rejected].filter((file) => file in cycles)).not.toEqual([]);
});
