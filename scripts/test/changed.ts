// Chooses the tests of `npm test -- --changed [COMMIT]`: those that depend on what changed, the nearest first, as many as run in 90 s.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { rootFolder } from "../../src/main/folders.ts";
import { knownCosts } from "./cost.ts";
import { gateTests } from "./levels.ts";
import { testsByDistance, type Dependent } from "./test-graph.ts";

// Two cores are busy for 90 s, less what starting the runner, its workers and a build of the page take.
const budgetSeconds = 110;
// For a file that test/cost.md does not list yet.
const unknownCostSeconds = 1;

/** The chosen test files, and how many depend on the change but were left out, because they are further away or cost too much. */
export interface Choice {
  files: string[];
  leftOut: number;
}

/**
 * Chooses the tests of what has changed since `commit` in the working tree, files included that git does not know yet.
 * @throws Error when git does not know the commit.
 */
export function chooseChanged(commit: string): Choice {
  const changed = [...git("diff", "--name-only", commit, "--"), ...git("ls-files", "--others", "--exclude-standard")];
  const files = [...new Set([...git("ls-files"), ...changed])].filter((file) => existsSync(join(rootFolder, file)));
  const dependents = testsByDistance(rootFolder, files, [...gateTests.unit, ...gateTests.programs], gateTests.exclude);
  const costs = knownCosts();
  return chooseWithin(changed, dependents, (test) => costs.get(test) ?? unknownCostSeconds, budgetSeconds);
}

/** Takes the nearest tests of the changed files until their costs, in CPU seconds, exceed the budget. */
export function chooseWithin(
  changed: readonly string[],
  dependents: ReadonlyMap<string, readonly Dependent[]>,
  costOf: (test: string) => number,
  budget: number,
): Choice {
  const distances = new Map<string, number>();
  for (const { test, distance } of changed.flatMap((file) => dependents.get(file) ?? [])) {
    distances.set(test, Math.min(distance, distances.get(test) ?? distance));
  }
  const nearest = [...distances].toSorted(([a, one], [b, other]) => one - other || costOf(a) - costOf(b)).map(([test]) => test);
  const files: string[] = [];
  let rest = budget;
  for (const test of nearest) {
    // A test file that was itself changed always runs.
    if (costOf(test) > rest && distances.get(test)! > 0) continue;
    rest -= costOf(test);
    files.push(test);
  }
  return { files, leftOut: nearest.length - files.length };
}

function git(...words: string[]): string[] {
  return execFileSync("git", words, { cwd: rootFolder, encoding: "utf8" }).split("\n").filter(Boolean);
}
