// Remembers the last authenticated time, so that a machine without a clock battery does not start in the past.
import { join } from "node:path";
import { z } from "zod";
import { isAbort, reasonOf } from "../../base/fault.ts";
import { DurableFile } from "../../base/files/durable-file.ts";
import type { CorrectedClock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { Instant } from "../../protocol/common.ts";

const StoredTime = z.object({ time_ms: Instant });

/** No version of this software is older, ms since the epoch. */
export const firstReleaseMs = Date.UTC(2025, 0, 1);
const firstStoreMs = 60_000;
const storeMs = 3_600_000;

function fileIn(folder: string): DurableFile<{ time_ms: number }> {
  return new DurableFile(join(folder, "known-time.json"), (json) => StoredTime.parse(json));
}

/** A time that has certainly passed: the last authenticated one that was stored in `folder`, and at least the first release. */
export async function readKnownTime(folder: string, log: Log): Promise<number> {
  try {
    const stored = await fileIn(folder).read();
    return Math.max(firstReleaseMs, stored.is === "found" ? stored.value.time_ms : firstReleaseMs);
  } catch (error) {
    log.warn({ reason: reasonOf(error) }, "the stored time cannot be read: continuing without it");
    return firstReleaseMs;
  }
}

/** Stores the time a minute after the start and then every hour, whenever the clock has learned an authenticated one. */
export async function storeKnownTime(folder: string, clock: CorrectedClock, log: Log, signal: AbortSignal): Promise<never> {
  const file = fileIn(folder);
  let storedAt: number | null = null;
  for (;;) {
    await clock.wait(storedAt === null ? firstStoreMs : storeMs, signal);
    const { authenticatedAt } = clock;
    if (authenticatedAt === storedAt) continue;
    try {
      await file.write({ time_ms: Math.trunc(clock.earliest) });
      storedAt = authenticatedAt;
    } catch (error) {
      if (isAbort(error)) throw error;
      log.warn({ reason: reasonOf(error) }, "the time cannot be stored");
    }
  }
}
