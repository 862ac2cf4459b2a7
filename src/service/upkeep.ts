// What the service clears away by the hour: the bin, old minutes of heartbeats, old play events. In small parts.
import { binKeptMs, emptyBin } from "./bin.ts";
import { pruneMinutes } from "./heartbeat-minutes.ts";
import { prunePlays } from "./play-events.ts";
import type { Parts } from "./operations/operation.ts";

const everyMs = 3_600_000;
const minutesKeptMs = 30 * 86_400_000;

/** Clears away, now and every hour. Rejects with an AbortError when `signal` aborts. */
export async function keepUp({ store, clock, log, sweeper }: Parts, playEventsKeptMs: number, signal: AbortSignal): Promise<never> {
  for (;;) {
    const now = Math.trunc(clock.now());
    const gone = await store.write((db) => emptyBin(db, { before: now - binKeptMs }));
    sweeper.mark(gone);
    if (gone.length > 0) log.info({ files: gone.length }, "emptied the bin of assets");
    await pruneMinutes(store.telemetry, now - minutesKeptMs, signal);
    await prunePlays(store.plays, now - playEventsKeptMs, signal);
    await clock.wait(everyMs, signal);
  }
}
