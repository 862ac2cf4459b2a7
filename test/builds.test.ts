// Which builds run: those that are missing or outdated.
import { mkdir, rm, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { buildIfStale, builds } from "../scripts/build/builds.ts";
import { temporaryFolder } from "./support/folder.ts";

test("[SUP2] a build runs when it is missing or not newer than what it is made of, and only then; each one is one line", async () => {
  await using folder = await temporaryFolder();
  const part = { title: "the page", config: "none", output: "dist/page.html", sources: ["src", "package.json"] };
  let now = 1_000;
  const touch = async (name: string) => {
    const path = join(folder.path, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, "");
    await utimes(path, now, now);
  };
  const date = (name: string) => utimes(join(folder.path, name), now, now);
  const lines = async () => {
    const told: string[] = [];
    const run = async () => {
      now += 1;
      await touch(part.output);
    };
    await buildIfStale([part], (line) => told.push(line), { checkout: folder.path, run });
    return told;
  };
  for (const name of ["src/deep/a.ts", "src/b.ts", "package.json", "unrelated.ts"]) await touch(name);
  await date("src/deep");
  await date("src");
  expect([await lines(), await lines()]).toEqual([["building the page"], []]);
  now += 1;
  await touch("unrelated.ts");
  expect(await lines()).toEqual([]);
  for (const changed of ["src/deep/a.ts", "package.json"]) {
    await touch(changed);
    // What came in the same moment as the build counts too.
    expect([await lines(), await lines()], changed).toEqual([["building the page"], []]);
  }
  await rm(join(folder.path, "src/b.ts"));
  await date("src");
  expect([await lines(), await lines()]).toEqual([["building the page"], []]);
  await rm(join(folder.path, part.output));
  expect(await lines()).toEqual(["building the page"]);
});

test("[SUP2] what a build is made of exists", async () => {
  // A source that is gone would be an error of the file system, so this build runs in no case.
  const run = () => Promise.reject(new Error("not wanted"));
  for (const build of Object.values(builds)) {
    const ofSources = { ...build, output: build.sources[0]! };
    await expect(buildIfStale([ofSources], () => {}, { run })).rejects.toThrow("not wanted");
  }
});
