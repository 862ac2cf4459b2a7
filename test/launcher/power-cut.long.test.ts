// The power fails at each change of the disk during an update, and any part of what was not synced may be left.
import { expect, test } from "vitest";
import { survivals, TracedUpdates } from "./traced-updates.ts";

test("[SLT8] after a power cut at any moment of an update a whole version runs, and no older one than before", async () => {
  await using updates = await TracedUpdates.create();
  const seen = new Set<string>();
  for (let moment = 0; moment <= updates.trace.length; moment += 1) {
    for (const survival of survivals) seen.add(await updates.expectWhole(moment, survival));
  }
  expect(seen.size).toBeGreaterThan(2);
});
