// The faults that `npm run mutate` plants: each has one place in the code, and a test that could find it.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { checkFaults } from "../scripts/mutate/fault.ts";
import { chooseFreshFaults } from "../scripts/mutate/fresh-faults.ts";
import { faults } from "../scripts/mutate/faults.ts";
import { testsInFolders } from "../scripts/test/levels.ts";
import { testsByDistance } from "../scripts/test/test-graph.ts";
import { rootFolder } from "../src/main/folders.ts";

const textOf = (file: string): string => readFileSync(join(rootFolder, file), "utf8");

test("[RUN5] the text of each fault occurs exactly once, and a test that imports its file has its rule", () => {
  checkFaults(faults, textOf);
  const files = execFileSync("git", ["ls-files"], { cwd: rootFolder, encoding: "utf8" }).split("\n").filter(Boolean);
  const tests = testsByDistance(rootFolder, files, [testsInFolders], []);
  for (const { file, rule } of faults) {
    const importing = (tests.get(file) ?? []).map(({ test }) => test);
    expect(importing, file).not.toEqual([]);
    if (rule !== undefined) expect(importing.map(textOf).join(), file).toContain(`[${rule}]`);
  }
});

test("[RUN5] a fault whose text is missing, occurs twice or stays the same is refused", () => {
  const fault = { file: "a.ts", find: "x > 1", replace: "x >= 1" };
  expect(() => checkFaults([fault], () => "if (x > 1) y();")).not.toThrow();
  expect(() => checkFaults([fault], () => "if (x > 2) y();")).toThrow("occurs 0 times in a.ts");
  expect(() => checkFaults([fault], () => "x > 1, x > 1")).toThrow("occurs 2 times in a.ts");
  expect(() => checkFaults([{ ...fault, replace: "x > 1" }], () => "x > 1")).toThrow("changes nothing");
});

test("[RUN8] npm run mutate -- --fresh SEED plants two faults in each folder of src, at random places that the seed repeats", () => {
  const files = execFileSync("git", ["ls-files"], { cwd: rootFolder, encoding: "utf8" }).split("\n").filter(Boolean);
  const fresh = chooseFreshFaults(rootFolder, files, 7);
  checkFaults(fresh, textOf);
  expect(chooseFreshFaults(rootFolder, files, 7)).toEqual(fresh);
  expect(chooseFreshFaults(rootFolder, files, 8)).not.toEqual(fresh);
  const folders = new Set(files.filter((file) => /^src\/.*\.ts$/.test(file)).map((file) => dirname(file)));
  const counts = Map.groupBy(fresh, ({ file }) => dirname(file));
  expect([...counts.keys()].toSorted()).toEqual([...folders].toSorted());
  expect([...counts.values()].filter(({ length }) => length !== 2)).toEqual([]);
});
