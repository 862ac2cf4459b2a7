// What the service clears away by the hour: the bin, old minutes of heartbeats, old play events. In small parts.
import { binKeptMs, emptyBin } from "./bin.ts";
import { pruneMinutes } from "./heartbeat-minutes.ts";
import { prunePlays } from "./play-events.ts";
import type { Parts } from "./operations/operation.ts";

const everyMs = 3_600_000;
const minutesKeptMs = 30 * 86_400_000;

/** Clears away, now and every hour. Rejects with an AbortError when `signal` aborts. */
export async function keepUp(
  { store, clock, events, log, presence, sweeper }: Parts,
  playEventsKeptMs: number,
  signal: AbortSignal,
): Promise<never> {
  for (;;) {
    const now = Math.trunc(clock.now());
    const { files, playerIds } = await store.write(async (db) => {
      const emptied = await emptyBin(db, { before: now - binKeptMs }, now);
      await events.append(db, emptied.events);
      return emptied;
    });
    sweeper.mark(files);
    for (const playerId of playerIds) await presence.drop(playerId);
    if (files.length > 0 || playerIds.length > 0) log.info({ files: files.length, players: playerIds.length }, "emptied the bin");
    await pruneMinutes(store.telemetry, now - minutesKeptMs, signal);
    await prunePlays(store.plays, now - playEventsKeptMs, signal);
    await clock.wait(everyMs, signal);
  }
}
