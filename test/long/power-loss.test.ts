// Power loss at every moment of a life of the player's stores, with many fates of what was not synced.
import { expect, test } from "vitest";
import { brokenPromises, powerLossesAt, traceStores } from "../support/power-loss/check-recovery.ts";

test("[DUR6] after a power loss at each moment the stores have what they promised", { timeout: 1_800_000 }, async () => {
  await using run = await traceStores();
  for (let moment = 0; moment <= run.trace.length; moment += 1) {
    expect(await brokenPromises(run, powerLossesAt(moment, [1, 2, 3, 4, 5, 6, 7, 8]))).toEqual([]);
  }
});
