// Batches of writes, in order and up to a maximum.
import { expect, test } from "vitest";
import { Batch } from "../../src/base/async/batch.ts";

test("[BAT1] items that are added in one turn of the event loop, or during another write, are written together, in order and up to a maximum", async () => {
  const written: number[][] = [];
  const batch = new Batch<number>(3, async (items) => void written.push([...items]));
  await Promise.all([1, 2, 3, 4].map((item) => batch.add(item)));
  expect(written).toEqual([[1, 2, 3], [4]]);
});

test("[BAT2] the event loop continues between two writes, although each write blocks it", async () => {
  const events: string[] = [];
  const batch = new Batch<number>(1, async ([item]) => void events.push(`write ${item}`));
  const both = Promise.all([batch.add(1), batch.add(2)]);
  setImmediate(() => events.push("others"));
  await both;
  expect(events).toEqual(["write 1", "others", "write 2"]);
});

test("[BAT3] a failed write rejects only the items of its batch; the next batch is written", async () => {
  const batch = new Batch<string>(1, async ([item]) => {
    if (item === "bad") throw new Error("no");
  });
  const all = await Promise.allSettled(["bad", "good"].map((item) => batch.add(item)));
  expect(all.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
});
