// The days for which a table gets new partitions.
import { expect, test } from "vitest";
import { freeParts } from "../../../src/service/store/partitions/ranges.ts";

test("[PTN9] only the days that no partition covers get a new one, whatever the length of those that are there", () => {
  const week = { from: 7, to: 14 };
  expect(freeParts(week, [])).toEqual([week]);
  expect(
    freeParts(week, [
      { from: 0, to: 7 },
      { from: 14, to: 21 },
    ]),
  ).toEqual([week]);
  expect(
    freeParts(week, [
      { from: 12, to: 13 },
      { from: 9, to: 10 },
    ]),
  ).toEqual([
    { from: 7, to: 9 },
    { from: 10, to: 12 },
    { from: 13, to: 14 },
  ]);
  expect(
    freeParts(week, [
      { from: 5, to: 8 },
      { from: 13, to: 20 },
    ]),
  ).toEqual([{ from: 8, to: 13 }]);
  expect(freeParts(week, [{ from: 0, to: 30 }])).toEqual([]);
});
