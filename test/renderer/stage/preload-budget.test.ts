// The order in which items are prepared when the budget is too small for all.
import { expect, test } from "vitest";
import { PreloadBudget } from "../../../renderer/player/stage/preload-budget.ts";

const video = { bytes: 60, decoders: 1 };
const picture = { bytes: 10, decoders: 0 };

/** A budget of 100 bytes and one decoder, and the names of the granted requests in their order. */
function createBudget() {
  const budget = new PreloadBudget({ bytes: 100, decoders: 1 });
  const granted: string[] = [];
  const reserve = (name: string, startsAt: number, cost = video) => budget.reserve(cost, startsAt, () => granted.push(name));
  return { granted, reserve, settled: () => new Promise<void>((resolve) => setImmediate(resolve)) };
}

test("[ZON11] waiting items are prepared in the order of their starts, not in the order of their requests", async () => {
  const { granted, reserve, settled } = createBudget();
  const first = reserve("first", 0);
  await settled();
  reserve("latest", 30_000);
  const next = reserve("next", 10_000);
  reserve("later", 20_000);
  await settled();
  expect(granted).toEqual(["first"]);
  first.release();
  await settled();
  expect(granted).toEqual(["first", "next"]);
  next.release();
  await settled();
  expect(granted).toEqual(["first", "next", "later"]);
});

test("[ZON11] a small item does not overtake a large one that starts before it; an item that is due needs no budget", async () => {
  const { granted, reserve, settled } = createBudget();
  const first = reserve("first", 0);
  await settled();
  const large = reserve("large", 10_000);
  reserve("small", 20_000, picture);
  await settled();
  expect(granted).toEqual(["first"]);
  large.grantNow();
  expect(granted).toEqual(["first", "large"]);
  first.release();
  await settled();
  expect(granted).toEqual(["first", "large", "small"]);
});
