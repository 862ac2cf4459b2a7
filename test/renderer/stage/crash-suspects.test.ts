// Which of the items that died with one renderer process is blamed for it.
import { expect, test } from "vitest";
import { CrashSuspects } from "../../../renderer/player/stage/crash-suspects.ts";

/** A death of all that run, in the order given; the last verdict. */
function die(suspects: CrashSuspects, items: string[], death: string, now: number): Record<string, string> {
  let verdicts = {};
  for (const item of items) {
    verdicts = Object.fromEntries(suspects.itemCrashed(item, death, now));
    suspects.itemStopped(item, now);
  }
  return verdicts;
}

test("[REM11] items that died together are tried one at a time; the one that ends its process alone is blamed, the others are free", () => {
  const suspects = new CrashSuspects();
  for (const item of ["a", "b", "c"]) suspects.itemStarted(item, 0);
  expect(die(suspects, ["a", "b", "c"], "1", 1_000)).toEqual({ a: "suspect", b: "suspect", c: "suspect" });
  suspects.itemStarted("a", 2_000);
  expect([suspects.mayRun("a"), suspects.mayRun("b"), suspects.mayRun("c")]).toEqual([true, false, false]);
  // Long enough alone: cleared, and the next may run beside it.
  expect(suspects.nextClearedAt()).toBe(22_000);
  suspects.clearProven(22_000);
  expect([suspects.mayRun("b"), suspects.mayRun("c")]).toEqual([true, true]);
  suspects.itemStarted("b", 22_000);
  expect(suspects.mayRun("c")).toBe(false);
  expect(die(suspects, ["a", "b"], "2", 23_000)).toEqual({ a: "innocent", b: "culprit" });
  for (const item of ["a", "c"]) {
    expect(suspects.mayRun(item)).toBe(true);
    suspects.itemStarted(item, 24_000);
  }
  // Tried again beside the others, it is blamed at once, in whichever order they are told of.
  suspects.itemStarted("b", 40_000);
  expect(die(suspects, ["a", "b", "c"], "3", 41_000)).toEqual({ a: "innocent", b: "culprit", c: "innocent" });
});

test("[REM12] who dies alone is the culprit, and each further death makes trials longer", () => {
  const suspects = new CrashSuspects();
  suspects.itemStarted("a", 0);
  expect(die(suspects, ["a"], "1", 1_000)).toEqual({ a: "culprit" });
  const other = new CrashSuspects();
  let now = 0;
  const trials: number[] = [];
  for (const death of ["1", "2", "3"]) {
    other.itemStarted("a", now);
    other.itemStarted("b", now);
    expect(die(other, ["a", "b"], death, now)).toEqual({ a: "suspect", b: "suspect" });
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
