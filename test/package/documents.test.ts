// The manual pages, completions and notices of the packages.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { completionText } from "../../scripts/package/manual/completion.ts";
import { manualPage } from "../../scripts/package/manual/manual-page.ts";
import { playerManual, releaseManual, serviceManual } from "../../scripts/package/manual/manuals.ts";
import { noticesOf, noticesText } from "../../scripts/package/notices.ts";
import { pruneModules } from "../../scripts/package/production-modules.ts";
import { rootFolder } from "../../src/main/folders.ts";
import { temporaryFolder } from "../support/folder.ts";
import { isInstalled } from "../support/is-installed.ts";

const manuals = [playerManual, serviceManual, releaseManual];
// Needs the sources: service, player, page and demo content are started from the checkout.
const undocumented = ["demo"];

test("[DEB9] the manual pages list every program and every flag, and render without a warning", () => {
  const help = execFileSync(process.execPath, [join(rootFolder, "src/main/cli.ts"), "--help"], { encoding: "utf8" });
  const programs = [...help.matchAll(/^ {2}([a-z-]+) {2,}\S/gm)].map(([, name]) => name!).filter((name) => !undocumented.includes(name));
  expect(programs.length).toBeGreaterThan(5);
  const documented = manuals.flatMap((manual) => manual.programs.map(({ name }) => name));
  expect(documented).toEqual(expect.arrayContaining(programs));
  for (const manual of manuals) {
    const page = manualPage(manual, "1.2.3", 1_790_000_000);
    const plain = page.replaceAll("\\-", "-");
    for (const { usage } of manual.programs) for (const flag of Object.keys(usage.flags)) expect(plain).toContain(`\\fB--${flag}\\fR`);
    // The same on every machine: without the home folder of who builds it.
    expect(plain).not.toContain(`${homedir()}/`);
    if (!isInstalled("groff")) continue;
    const { stderr } = spawnSync("groff", ["-man", "-Tutf8", "-ww"], { input: page, encoding: "utf8" });
    expect(stderr).toBe("");
  }
});

test.skipIf(!isInstalled("bash"))("[DEB10] bash completes the programs, and the flags of each", () => {
  const complete = (text: string, ...words: string[]): string[] => {
    const name = /^complete .* -F (\S+)/m.exec(text)![1]!;
    const line = `COMP_WORDS=(x ${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length}; ${name}; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync("bash", ["-c", `${text}\n${line}`], { encoding: "utf8" })
      .trim()
      .split("\n");
  };
  for (const manual of manuals) {
    const text = completionText(manual);
    expect(complete(text, "")).toEqual([...manual.programs.map(({ name }) => name), "--help", "--version"]);
    for (const { name, usage } of manual.programs) {
      expect(complete(text, name, "--")).toEqual([...Object.keys(usage.flags), "help"].map((flag) => `--${flag}`));
    }
  }
});

async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

test("[DEB11] the notices name every package with its license, also scoped and nested ones, and Node", async () => {
  await using folder = await temporaryFolder();
  await writeFiles(folder.path, {
    "one/package.json": JSON.stringify({ name: "one", version: "1.0.0", license: "MIT" }),
    "one/LICENSE": "text of one",
    "one/dist/package.json": JSON.stringify({ type: "module" }),
    "one/node_modules/two/package.json": JSON.stringify({ name: "two", version: "2.0.0", licenses: [{ type: "ISC" }] }),
    "@scope/three/package.json": JSON.stringify({ name: "@scope/three", version: "3.0.0", license: "Apache-2.0" }),
    "@scope/three/NOTICE.txt": "notice of three",
    "node-license": "text of Node",
  });
  const notices = noticesOf(folder.path);
  expect(notices.map(({ name, license }) => `${name}: ${license}`)).toEqual(["@scope/three: Apache-2.0", "one: MIT", "two: ISC"]);
  const text = noticesText(notices, "24.0.0", join(folder.path, "node-license"));
  for (const part of ["text of one", "notice of three", "Node.js 24.0.0", "text of Node"]) expect(text).toContain(part);
  // The real ones: none lacks a license.
  const folders = Object.keys(manifest.dependencies).map((name) => join(rootFolder, "node_modules", name));
  const real = noticesOf(join(folder.path, "none"), folders);
  expect(real.map(({ name }) => name).toSorted()).toEqual(Object.keys(manifest.dependencies).toSorted());
  for (const { name, license } of real) expect(license, name).not.toBe("see below");
});

test("[DEB12] the bundle has the code of its dependencies, and neither their documents nor their tests, types and commands", async () => {
  await using folder = await temporaryFolder();
  await writeFiles(folder.path, {
    "one/index.js": "",
    "one/index.js.map": "",
    "one/index.d.ts": "",
    "one/README.md": "",
    "one/LICENSE": "",
    "one/bin.js": "#!/usr/bin/env node\n",
    "one/test/index.js": "",
    "one/lib/.hidden/page.txt": "",
    "one/types/standard.js": "",
    "one/data.json": "{}",
    "@scope/two/addon.node": "",
    "@scope/two/docs/page.js": "",
    "electron-store/index.js": "",
    "pdfjs-dist/legacy/build/pdf.mjs": "",
    "pdfjs-dist/build/pdf.mjs": "",
  });
  pruneModules(folder.path);
  const left = (await readdir(folder.path, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const paths = left.map(({ parentPath, name }) => join(parentPath, name).slice(folder.path.length + 1)).toSorted();
  expect(paths).toEqual([
    "@scope/two/addon.node",
    "one/data.json",
    "one/index.js",
    "one/types/standard.js",
    "pdfjs-dist/legacy/build/pdf.mjs",
  ]);
});
