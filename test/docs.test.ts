// Keeps the documents true: rules and their tests, paths, the import table, the reasons for packages.
import { readdir, readFile, stat } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import { idOf, readRules, titlesIn, type Rule } from "../scripts/rules/titles.ts";
import { rootFolder } from "../src/main/folders.ts";
import { readImportTable } from "./support/import-table.ts";

/** Rules that have tests in files of several names: each part of the program that a rule concerns proves its own share. */
const inSeveralFiles = `
AST10 AST15 AST16 AST9 BRU3 CAL17 CJN1 CLY6 CLY7 CLY8 CPR7 CSD6 CWL4 DBE3 DSK1 DSK13 DSK7 DSP10 DSP3 DSP4 DSP8 DSP9
ENG22 FST11 FST8 HST13 HST16 HST29 HST31 HST33 HST35 HST37 HST9 HTT4 IMP6 INT1 KIL1 LIM1 MPR1 NOD23 NTP8 OAS6 PIX10
POP17 PRG4 PRV15 PRV17 PRV19 PRV3 PRV8 RCO5 REC10 REC12 REC13 REC14 REC17 REC19 REC20 REC21 REC3 REC4 REC7 ROM8 RST6
SCN3 SFD1 SGN6 SNS2 SNS7 TEA11 WFR15 WHK14 WIR22 WRT2 ZON10
`;

test("[DOC1] each title of a test is a rule with an id, whose tests stand in one file unless it is listed here", () => {
  const rules = readRules(rootFolder);
  expect(rules.filter((rule) => idOf(rule) === null)).toEqual([]);
  const namesOf = (own: readonly Rule[]) => new Set(own.map(({ file }) => basename(file).replace(/(?:\.long)?\.test\.ts$/, "")));
  const shared = [...Map.groupBy(rules, idOf)].filter(([, own]) => namesOf(own).size > 1).map(([id]) => String(id));
  expect(shared.toSorted()).toEqual(inSeveralFiles.trim().split(/\s+/));
});

test("[DOC5] titles are read of tests with tables, conditions, expressions and names of their own, and of nothing else", () => {
  const text = `
    test("[ABC1] a plain one", () => pattern.test("no", title));
    test.each(["no"])("[ABC2] one for %s", { timeout: 1 }, run);
    test.skipIf(!isHere).for([[1, 2]])(\`[ABC3] one on \${name}\`, run);
    test.skip("no");
    standInTest('[ABC4] "another" one', run);
    test(computed, run);
  `;
  const titles = ["[ABC1] a plain one", "[ABC2] one for %s", "[ABC3] one on ${name}", '[ABC4] "another" one', "computed"];
  expect(titlesIn(text)).toEqual(titles);
});

test("[DOC6] each rule that a document names is the title of a test", async () => {
  const ids = new Set(readRules(rootFolder).map(idOf));
  const areas = new Set([...ids].map((id) => id?.slice(0, 3)));
  const pages = (await readdir(join(rootFolder, "docs"))).filter((name) => name.endsWith(".md")).map((name) => join("docs", name));
  for (const page of ["README.md", "CONTRIBUTING.md", ...pages]) {
    const named = (await readFile(join(rootFolder, page), "utf8")).match(/\b[A-Z]{3}\d+\b/g) ?? [];
    expect(
      named.filter((id) => areas.has(id.slice(0, 3)) && !ids.has(id)),
      page,
    ).toEqual([]);
  }
});

test("[DOC2] every file and folder that the documents name exists", async () => {
  for (const page of ["README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/README.md", "docs/architecture.md", "docs/glossary.md"]) {
    const text = await readFile(join(rootFolder, page), "utf8");
    const inCode = [...text.matchAll(/`((?:src|test|bench|docs|renderer|demo|packaging|scripts|sdk)(?:\/[\w./-]+)?)`/g)].map(
      ([, path]) => path!,
    );
    const linked = [...text.matchAll(/\]\(([\w./-]+)(?:#[\w-]+)?\)/g)].map(([, path]) => join(dirname(page), path!));
    const paths = [...inCode, ...linked];
    expect(paths.length, page).toBeGreaterThan(page === "docs/glossary.md" ? 0 : 3);
    for (const path of paths) await expect(stat(join(rootFolder, path)), `${page}: ${path}`).resolves.toBeDefined();
  }
});

test("[DOC7] docs/README.md leads to every document, and no command of a document runs a Node that may be too old", async () => {
  const names = (await readdir(join(rootFolder, "docs"))).filter((name) => name.endsWith(".md") && name !== "README.md");
  const index = await readFile(join(rootFolder, "docs/README.md"), "utf8");
  for (const name of names) expect(index).toContain(`](${name})`);
  for (const page of ["README.md", "CONTRIBUTING.md", "sdk/README.md", ...names.map((name) => join("docs", name))]) {
    const text = await readFile(join(rootFolder, page), "utf8");
    expect(
      [...text.matchAll(/^```[^]*?^```/gm)].filter(([block]) => /^node /m.test(block)),
      page,
    ).toEqual([]);
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
    .flatMap(({ files }) => files.map((glob) => glob.replace("/**", "")));
  expect((await readImportTable()).map(({ folder }) => folder).toSorted()).toEqual(linted.toSorted());
});

test("[DOC3] CONTRIBUTING gives the reason for each runtime dependency and for no other package; versions are exact", async () => {
  const { dependencies } = JSON.parse(await readFile(join(rootFolder, "package.json"), "utf8")) as { dependencies: Record<string, string> };
  const text = await readFile(join(rootFolder, "CONTRIBUTING.md"), "utf8");
  const section = text.slice(text.indexOf("## Why each runtime dependency"));
  const named = [...section.matchAll(/^- (`[^:]+):/gm)].flatMap(([, cell]) => [...cell!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!));
  expect(named.toSorted()).toEqual(Object.keys(dependencies).toSorted());
  for (const version of Object.values(dependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
});
