// Look-ups of single keys that share queries.
import { expect, test } from "vitest";
import { BatchedLookup } from "../../../src/service/store/tables/batched-lookup.ts";

/** A lookup whose queries wait until the test answers them. */
function heldLookup(collected?: "tick") {
  const queries: { keys: readonly string[]; answer: (rows: ReadonlyMap<string, string>) => void; fail: (error: Error) => void }[] = [];
  const lookup = new BatchedLookup<string>((keys) => {
    const { promise, resolve, reject } = Promise.withResolvers<ReadonlyMap<string, string>>();
    queries.push({ keys, answer: resolve, fail: reject });
    return promise;
  }, collected);
  return { lookup, queries };
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));

test("[BTQ1] keys that are asked for in one turn of the event loop are read by one query, each once, and each caller gets its own", async () => {
  const { lookup, queries } = heldLookup();
  const asked = Promise.all(["a", "b", "a", "missing"].map((key) => lookup.get(key)));
  await nextTurn();
  expect(queries.map(({ keys }) => keys)).toEqual([["a", "b", "missing"]]);
  queries[0]!.answer(
    new Map([
      ["b", "B"],
      ["a", "A"],
    ]),
  );
  expect(await asked).toEqual(["A", "B", "A", undefined]);
  expect(lookup.queryCount).toBe(1);
});

test("[BTQ2] a key is read by a query that begins after it was asked for, also if a running one reads it too", async () => {
  const { lookup, queries } = heldLookup();
  const first = lookup.get("a");
  await nextTurn();
  const second = lookup.get("a");
  await nextTurn();
  expect(queries).toHaveLength(2);
  queries[0]!.answer(new Map([["a", "old"]]));
  queries[1]!.answer(new Map([["a", "new"]]));
  expect([await first, await second]).toEqual(["old", "new"]);
});

test("[BTQ3] four queries of 500 keys each run at once; keys that are asked for meanwhile wait for one of them", async () => {
  const { lookup, queries } = heldLookup();
  const asked = Array.from({ length: 2_600 }, (_, place) => lookup.get(`key ${place}`));
  for (let turn = 0; turn < 10; turn += 1) await nextTurn();
  expect(queries.map(({ keys }) => keys.length)).toEqual([500, 500, 500, 500]);
  const answer = (place: number) => queries[place]!.answer(new Map(queries[place]!.keys.map((key) => [key, key])));
  // The first query gets no answer: only those who ask through it wait.
  for (const place of [1, 2, 3]) answer(place);
  for (let turn = 0; turn < 10; turn += 1) await nextTurn();
  expect(queries.map(({ keys }) => keys.length)).toEqual([500, 500, 500, 500, 500, 100]);
  for (const place of [4, 5, 0]) answer(place);
  expect(await Promise.all(asked)).toEqual(asked.map((_, place) => `key ${place}`));
});

test("[BTQ4] a query that fails rejects only those who asked through it; later keys are read", async () => {
  const { lookup, queries } = heldLookup();
  const failed = Promise.allSettled([lookup.get("a"), lookup.get("b")]);
  await nextTurn();
  queries[0]!.fail(new Error("gone"));
  expect((await failed).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  const later = lookup.get("a");
  await nextTurn();
  queries[1]!.answer(new Map([["a", "A"]]));
  expect(await later).toBe("A");
});

test("[BTQ6] keys that are asked for after another look-up are read by one query, in the same turn of the event loop", async () => {
  const { lookup: first, queries } = heldLookup();
  const { lookup: second, queries: next } = heldLookup("tick");
  const asked = Promise.all(["a", "b", "c"].map(async (key) => second.get((await first.get(key))!)));
  await nextTurn();
  queries[0]!.answer(new Map(["a", "b", "c"].map((key) => [key, key.toUpperCase()])));
  await new Promise<void>((resolve) => setImmediate(resolve));
  expect(next.map(({ keys }) => keys)).toEqual([["A", "B", "C"]]);
  next[0]!.answer(new Map([["B", "found"]]));
  expect(await asked).toEqual([undefined, "found", undefined]);
});
