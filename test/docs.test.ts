// Keeps the documents true: rules and their tests, paths, the import table, the reasons for packages.
import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import { rootFolder } from "../src/main/folders.ts";

async function idsIn(pattern: RegExp, path: string): Promise<string[]> {
  const text = await readFile(join(rootFolder, path), "utf8");
  return [...text.matchAll(pattern)].map(([, id]) => id!);
}

test("[DOC1] every rule has a test whose title contains its id, and every id in a test title has a rule", async () => {
  const rules = await idsIn(/^- \*\*([A-Z]{3}\d+)\*\*/gm, "docs/rules.md");
  expect(new Set(rules).size).toBe(rules.length);
  const files = (await readdir(join(rootFolder, "test"), { recursive: true })).filter(
    (name) => /(?:\.test|\/contract)\.ts$/.test(name) && !name.includes("node_modules"),
  );
  const cited = (await Promise.all(files.map((name) => idsIn(/\(\s*[`"'(]\[([A-Z]{3}\d+)\]/g, join("test", name))))).flat();
  expect([...new Set(cited)].toSorted()).toEqual(rules.toSorted());
});

test("[DOC2] every file and folder that the documents name exists", async () => {
  for (const page of ["README.md", "CONTRIBUTING.md", "docs/architecture.md"]) {
    const text = await readFile(join(rootFolder, page), "utf8");
    const inCode = [...text.matchAll(/`((?:src|test|bench|docs|renderer|demo|deploy|packaging|scripts|sdk)(?:\/[\w./-]+)?)`/g)].map(
      ([, path]) => path!,
    );
    const linked = [...text.matchAll(/\]\(([\w./-]+)\)/g)].map(([, path]) => join(dirname(page), path!));
    const paths = [...inCode, ...linked];
    expect(paths.length).toBeGreaterThan(3);
    for (const path of paths) await expect(stat(join(rootFolder, path)), `${page}: ${path}`).resolves.toBeDefined();
  }
});

test("[DOC4] the architecture page names every folder of src and the import table that the linter enforces", async () => {
  const text = await readFile(join(rootFolder, "docs/architecture.md"), "utf8");
  const described = text.slice(text.indexOf("## The folders"));
  for (const entry of await readdir(join(rootFolder, "src"), { recursive: true, withFileTypes: true })) {
    const path = relative(rootFolder, join(entry.parentPath, entry.name));
    if (entry.isDirectory() && path.split("/").length <= 3)
      expect(described, path).toContain(`\`${path.split("/").length === 2 ? path : entry.name}\``);
  }
  const { overrides } = JSON.parse(await readFile(join(rootFolder, ".oxlintrc.json"), "utf8")) as {
    overrides: { files: string[]; rules: object }[];
  };
  const linted = overrides
    .filter(({ rules }) => "no-restricted-imports" in rules)
    .flatMap(({ files }) => files.map((glob) => glob.replace("/**", "")))
    .filter((folder) => folder !== "test");
  const table = described.slice(described.indexOf("## The import table"));
  const rows = [...table.matchAll(/^\| `([\w/]+)` *\|/gm)].map(([, folder]) => folder!);
  expect(rows.toSorted()).toEqual([...linted, "src/main"].toSorted());
});

test("[DOC3] CONTRIBUTING gives the reason for each runtime dependency and for no other package; versions are exact", async () => {
  const { dependencies } = JSON.parse(await readFile(join(rootFolder, "package.json"), "utf8")) as { dependencies: Record<string, string> };
  const text = await readFile(join(rootFolder, "CONTRIBUTING.md"), "utf8");
  const section = text.slice(text.indexOf("## Why each runtime dependency"));
  const named = [...section.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell]) =>
    [...cell!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!),
  );
  expect(named.toSorted()).toEqual(Object.keys(dependencies).toSorted());
  for (const version of Object.values(dependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
});
