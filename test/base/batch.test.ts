import { expect, test } from "vitest";
import { Batch } from "../../src/base/async/batch.ts";

test("[BAT1] what comes in one turn of the event loop, or while a write is under way, is written together, in order and so many at once", async () => {
  const written: number[][] = [];
  const batch = new Batch<number>(3, async (items) => void written.push([...items]));
  await Promise.all([1, 2, 3, 4].map((item) => batch.add(item)));
  expect(written).toEqual([[1, 2, 3], [4]]);
});

test("[BAT2] between two writes the event loop goes on, though a write never lets it", async () => {
  const events: string[] = [];
  const batch = new Batch<number>(1, async ([item]) => void events.push(`write ${item}`));
  const both = Promise.all([batch.add(1), batch.add(2)]);
  setImmediate(() => events.push("others"));
  await both;
  expect(events).toEqual(["write 1", "others", "write 2"]);
});

test("[BAT3] a write that fails is told to those whose items were in it; the next goes on", async () => {
  const batch = new Batch<string>(1, async ([item]) => {
    if (item === "bad") throw new Error("no");
  });
  const all = await Promise.allSettled(["bad", "good"].map((item) => batch.add(item)));
  expect(all.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
});
