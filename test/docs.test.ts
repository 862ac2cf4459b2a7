import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { rootFolder } from "../src/main/folders.ts";

async function idsIn(pattern: RegExp, path: string): Promise<string[]> {
  const text = await readFile(join(rootFolder, path), "utf8");
  return [...text.matchAll(pattern)].map(([, id]) => id!);
}

test("[DOC1] every rule has a test whose title contains its id, and every id in a title has a rule", async () => {
  const rules = await idsIn(/^- \*\*([A-Z]{2,3}\d+)\*\*/gm, "docs/rules.md");
  expect(new Set(rules).size).toBe(rules.length);
  const files = (await readdir(join(rootFolder, "test"), { recursive: true })).filter((name) => name.endsWith(".test.ts"));
  const cited = (await Promise.all(files.map((name) => idsIn(/\(\s*[`"'(]\[([A-Z]{2,3}\d+)\]/g, join("test", name))))).flat();
  expect([...new Set(cited)].toSorted()).toEqual(rules.toSorted());
});

test("[DOC2] every file and folder that README and CONTRIBUTING name exists", async () => {
  for (const page of ["README.md", "CONTRIBUTING.md"]) {
    const text = await readFile(join(rootFolder, page), "utf8");
    const paths = [...text.matchAll(/`((?:src|test|bench|docs|renderer|demo|deploy|scripts|sdk)(?:\/[\w./-]+)?)`/g)].map(
      ([, path]) => path!,
    );
    expect(paths.length).toBeGreaterThan(3);
    for (const path of paths)
      await expect(
        readdir(join(rootFolder, path)).catch(() => readFile(join(rootFolder, path))),
        path,
      ).resolves.toBeDefined();
  }
});

test("[DOC3] CONTRIBUTING gives the reason for each runtime dependency and for no other package", async () => {
  const { dependencies } = JSON.parse(await readFile(join(rootFolder, "package.json"), "utf8")) as { dependencies: Record<string, string> };
  const text = await readFile(join(rootFolder, "CONTRIBUTING.md"), "utf8");
  const section = text.slice(text.indexOf("## Why each runtime dependency"));
  const named = [...section.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell]) =>
    [...cell!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!),
  );
  expect(named.toSorted()).toEqual(Object.keys(dependencies).toSorted());
  for (const version of Object.values(dependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
});
