// Which of the items that crashed with one renderer process is blamed.
import { expect, test } from "vitest";
import { CrashSuspects } from "../../../renderer/player/stage/crash-suspects.ts";

/** Lets these items crash, in this order, and returns the last results. */
function crash(suspects: CrashSuspects, items: string[], crashId: string, now: number): Record<string, string> {
  let verdicts = {};
  for (const item of items) {
    verdicts = Object.fromEntries(suspects.itemCrashed(item, crashId, now));
    suspects.itemStopped(item, now);
  }
  return verdicts;
}

test("[REM11] items that crashed with one process are tried one at a time; the one that crashes it alone is blamed, and the others are cleared", () => {
  const suspects = new CrashSuspects();
  for (const item of ["a", "b", "c"]) suspects.itemStarted(item, 0);
  expect(crash(suspects, ["a", "b", "c"], "1", 1_000)).toEqual({ a: "suspect", b: "suspect", c: "suspect" });
  suspects.itemStarted("a", 2_000);
  expect([suspects.mayRun("a"), suspects.mayRun("b"), suspects.mayRun("c")]).toEqual([true, false, false]);
  // It ran alone for long enough: cleared, and the next one may run with it.
  expect(suspects.nextClearedAt()).toBe(22_000);
  suspects.clearProven(22_000);
  expect([suspects.mayRun("b"), suspects.mayRun("c")]).toEqual([true, true]);
  suspects.itemStarted("b", 22_000);
  expect(suspects.mayRun("c")).toBe(false);
  expect(crash(suspects, ["a", "b"], "2", 23_000)).toEqual({ a: "innocent", b: "culprit" });
  for (const item of ["a", "c"]) {
    expect(suspects.mayRun(item)).toBe(true);
    suspects.itemStarted(item, 24_000);
  }
  // If it is tried again with the others, it is blamed at once, in any order of the crash reports.
  suspects.itemStarted("b", 40_000);
  expect(crash(suspects, ["a", "b", "c"], "3", 41_000)).toEqual({ a: "innocent", b: "culprit", c: "innocent" });
});

test("[REM12] an item that crashes alone is the culprit, and each further crash makes the trials longer", () => {
  const suspects = new CrashSuspects();
  suspects.itemStarted("a", 0);
  expect(crash(suspects, ["a"], "1", 1_000)).toEqual({ a: "culprit" });
  const other = new CrashSuspects();
  let now = 0;
  const trials: number[] = [];
  for (const crashId of ["1", "2", "3"]) {
    other.itemStarted("a", now);
    other.itemStarted("b", now);
    expect(crash(other, ["a", "b"], crashId, now)).toEqual({ a: "suspect", b: "suspect" });
    for (const item of ["a", "b"]) {
      other.itemStarted(item, now);
      trials.push(other.nextClearedAt() - now);
      now = other.nextClearedAt();
      other.clearProven(now);
      other.itemStopped(item, now);
    }
  }
  expect(trials).toEqual([20_000, 20_000, 40_000, 40_000, 80_000, 80_000]);
});
