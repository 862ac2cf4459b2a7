// Power loss at random moments: the stores start from states of the disk that POSIX allows, and keep what they promised.
import { afterAll, beforeAll, expect, test } from "vitest";
import { brokenPromises, powerLossesAt, traceStores } from "../support/power-loss/check-recovery.ts";
import { withoutSyncs } from "../support/power-loss/crash-states.ts";
import { seededRandom } from "../support/random.ts";

const momentCount = 40;

let run: Awaited<ReturnType<typeof traceStores>>;
let moments: number[];

beforeAll(async () => {
  run = await traceStores();
  const random = seededRandom(1);
  moments = Array.from({ length: momentCount }, () => Math.floor(random() * (run.trace.length + 1)));
});

afterAll(() => run[Symbol.asyncDispose]());

test("[DUR6] after a power loss at any moment the stores have what they promised, and trust nothing that is half written", async () => {
  for (const moment of moments) expect(await brokenPromises(run, powerLossesAt(moment, [1]))).toEqual([]);
});

test.each(["sync-file", "sync-folder"] as const)(
  "[DUR6] without the effect of %s promises are broken: a missing one is found",
  async (kind) => {
    const careless = { ...run, trace: withoutSyncs(run.trace, kind) };
    for (const moment of moments) if ((await brokenPromises(careless, powerLossesAt(moment, [1]))).length > 0) return;
    expect.fail("no power loss broke a promise");
  },
);
