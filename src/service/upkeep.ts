// What the service clears away by the hour: the bin, old minutes of heartbeats, old play events. In small parts.
import type { Clock } from "../base/clock.ts";
import { binKeptMs, emptyBin } from "./bin.ts";
import { pruneMinutes } from "./heartbeat-minutes.ts";
import { prunePlays } from "./play-events.ts";
import type { Store } from "./store.ts";

const everyMs = 3_600_000;
const minutesKeptMs = 30 * 86_400_000;

/** Clears away, now and every hour. Rejects with an AbortError when `signal` aborts. */
export async function keepUp(store: Store, clock: Clock, playEventsKeptMs: number, signal: AbortSignal): Promise<never> {
  for (;;) {
    const now = Math.trunc(clock.now());
    await store.write((db) => emptyBin(db, now - binKeptMs));
    await pruneMinutes(store.telemetry, now - minutesKeptMs, signal);
    await prunePlays(store.plays, now - playEventsKeptMs, signal);
    await clock.wait(everyMs, signal);
  }
}
