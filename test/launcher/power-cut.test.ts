// The power fails at some changes of the disk during an update: one slot can always be started, with every file as it was signed.
import { afterAll, beforeAll, expect, test } from "vitest";
import { seededRandom } from "../support/random.ts";
import { survivals, TracedUpdates } from "./traced-updates.ts";

const sampleSize = 25;

let updates: TracedUpdates;
beforeAll(async () => void (updates = await TracedUpdates.create()));
afterAll(() => updates[Symbol.asyncDispose]());

test("[SLT8] after a power cut at some moments of an update a whole version runs, and no older one than before", async () => {
  const random = seededRandom(7);
  const seen = new Set<string>();
  for (let moment = 0; moment <= updates.trace.length; moment += 1) {
    if (random() >= sampleSize / updates.trace.length) continue;
    seen.add(await updates.expectWhole(moment, survivals[moment % survivals.length]!));
  }
  expect(seen.size).toBeGreaterThan(2);
});

test("[SLT8] without the sync of a slot before its marker the test notices what a power cut damages", async () => {
  const { careless, trace } = updates;
  for (let moment = trace.length; moment > 0; moment -= 5) {
    const version = await updates.startedAfter(careless, moment, "length");
    if (version === "none" || version < updates.decidedAt(moment)) return;
  }
  expect.fail("no power cut had an effect");
});
