// Remembers the last authenticated time, so that a machine without a clock battery does not start in the past.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { isAbort, reasonOf } from "../../base/fault.ts";
import { DurableFile } from "../../base/files/durable-file.ts";
import type { CorrectedClock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { hourMs, minuteMs } from "../../base/time.ts";
import { Instant } from "../../protocol/common.ts";

const StoredTime = z.object({ time_ms: Instant });

const BuildStamp = z.object({ time_ms: Instant });

/** No version of this software is older, ms since the epoch. */
export const firstReleaseMs = Date.UTC(2025, 0, 1);
const firstStoreMs = minuteMs;
const storeMs = hourMs;

function fileIn(folder: string): DurableFile<{ time_ms: number }> {
  return new DurableFile(join(folder, "known-time.json"), (json) => StoredTime.parse(json));
}

/** A time that has certainly passed: the last authenticated one that was stored in `folder`, and at least the time of the build. */
export async function readKnownTime(folder: string, rendererFolder: string, log: Log): Promise<number> {
  const buildMs = await readBuildTime(rendererFolder, log);
  try {
    const stored = await fileIn(folder).read();
    return Math.max(buildMs, stored.is === "found" ? stored.value.time_ms : buildMs);
  } catch (error) {
    log.warn({ reason: reasonOf(error) }, "the stored time cannot be read: continuing without it");
    return buildMs;
  }
}

/** The build's time (`buildStamp` in config/vite.page.ts). A build outside a repository may have none. */
async function readBuildTime(rendererFolder: string, log: Log): Promise<number> {
  try {
    const text = await readFile(join(rendererFolder, "player/build.json"), "utf8");
    return Math.max(firstReleaseMs, BuildStamp.parse(JSON.parse(text)).time_ms);
  } catch (error) {
    log.debug({ reason: reasonOf(error) }, "the build's time is unknown");
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
      // The clock's own time has the bounds of a record.
      await file.write({ time_ms: Math.max(0, Math.trunc(Math.min(clock.earliest, clock.now()))) });
      storedAt = authenticatedAt;
    } catch (error) {
      if (isAbort(error)) throw error;
      log.warn({ reason: reasonOf(error) }, "the time cannot be stored");
    }
  }
}
