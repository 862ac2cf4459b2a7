// The order in which items are made ready ahead of their start, where there is not room for all.
import { expect, test } from "vitest";
import { PreloadBudget } from "../../../renderer/player/stage/preload-budget.ts";

const clip = { bytes: 60, decoders: 1 };
const picture = { bytes: 10, decoders: 0 };

/** A budget of 100 bytes and one decoder, and the names of those that got their room, in order. */
function room() {
  const budget = new PreloadBudget({ bytes: 100, decoders: 1 });
  const granted: string[] = [];
  const claim = (name: string, startsAt: number, cost = clip) => budget.reserve(cost, startsAt, () => granted.push(name));
  return { granted, claim, settled: () => new Promise<void>((resolve) => setImmediate(resolve)) };
}

test("[ZON11] of those that wait for room to be made ready the one that starts first comes first, in whatever order they asked", async () => {
  const { granted, claim, settled } = room();
  const first = claim("first", 0);
  await settled();
  claim("latest", 30_000);
  const next = claim("next", 10_000);
  claim("later", 20_000);
  await settled();
  expect(granted).toEqual(["first"]);
  first.release();
  await settled();
  expect(granted).toEqual(["first", "next"]);
  next.release();
  await settled();
  expect(granted).toEqual(["first", "next", "later"]);
});

test("[ZON11] a small item does not slip past a large one that starts before it; what is due needs no room", async () => {
  const { granted, claim, settled } = room();
  const first = claim("first", 0);
  await settled();
  const large = claim("large", 10_000);
  claim("small", 20_000, picture);
  await settled();
  expect(granted).toEqual(["first"]);
  large.grantNow();
  expect(granted).toEqual(["first", "large"]);
  first.release();
  await settled();
  expect(granted).toEqual(["first", "large", "small"]);
});
