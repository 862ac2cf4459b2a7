// What the service clears away by the hour: the bin, shows that are over, what ended long ago, old minutes of heartbeats, old play events. In small parts.
import { setImmediate } from "node:timers/promises";
import { binRetentionMs, emptyBin, binBatchSize } from "./bin.ts";
import { pruneMinutes } from "../fleet/devices/heartbeat-minutes.ts";
import { deleteOldPlayEvents } from "../proof/play-events.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { BlobSweeper } from "../content/blob-sweeper.ts";
import type { Presence } from "../fleet/presence.ts";
import type { Db } from "../store/store.ts";
import { commitChange, type ChangeDependencies } from "../operations/commit-change.ts";
import type { Change } from "../operations/unit-of-work.ts";
import { removeExpiredRecords } from "./retention.ts";
import { clearShow, deleteOldShows, isProlonged, findShowSchedule, findFinishedShows } from "../shows/shows.ts";

const everyMs = 3_600_000;
const minutesKeptMs = 30 * 86_400_000;
const linksKeptMs = 86_400_000;

interface CleanupDependencies extends ChangeDependencies {
  clock: Clock;
  log: Log;
  presence: Presence;
  sweeper: BlobSweeper;
}

/** Clears away, now and every hour. Rejects with an AbortError when `signal` aborts. */
export async function runHourlyCleanup(parts: CleanupDependencies, playEventsKeptMs: number, signal: AbortSignal): Promise<never> {
  const { store, clock } = parts;
  for (;;) {
    const next = clock.monotonic() + everyMs;
    const now = Math.trunc(clock.now());
    await clearBin(parts, now, signal);
    while (await clearShows(parts, now)) signal.throwIfAborted();
    await store.write(async (db) => {
      await deleteOldShows(db, now - playEventsKeptMs);
      await db
        .deleteFrom("upload_links")
        .where("expires_at", "<", now - linksKeptMs)
        .execute();
    });
    await removeExpiredRecords(parts, now, signal);
    await pruneMinutes(store.telemetry, now - minutesKeptMs, signal);
    await deleteOldPlayEvents(store.plays, now - playEventsKeptMs, signal);
    // By the hour from the beginning: what has become due during a long round is not left for another hour.
    const leftMs = next - clock.monotonic();
    if (leftMs > 0) await clock.wait(leftMs, signal);
  }
}

/** Puts what shows made into the bin once they have been over for a day, unless somebody has prolonged them since: some of them. @returns whether there were any. */
async function clearShows(parts: CleanupDependencies, now: number): Promise<boolean> {
  const over = await findFinishedShows(parts.store.db, now);
  for (const row of over) {
    const clear = async (db: Db): Promise<Change<undefined>> => {
      const schedule = await findShowSchedule(db, row);
      if (schedule === null || schedule.row.deleted_at !== null || !isProlonged(schedule.shown, now)) return clearShow(db, row, now, false);
      // It is an ordinary schedule by now: whoever prolonged it ends it.
      await db.updateTable("shows").set({ ends_at: null }).where("id", "=", row.id).execute();
      return { result: undefined };
    };
    await commitChange(parts, clear, async () => undefined);
  }
  return over.length > 0;
}

/** Deletes for good what has been in the bin for long enough, a part at a time. */
async function clearBin({ store, events, log, presence, sweeper }: CleanupDependencies, now: number, signal: AbortSignal): Promise<void> {
  for (let isMore = true; isMore;) {
    const emptied = await store.write(async (db) => {
      const part = await emptyBin(db, { before: now - binRetentionMs, most: binBatchSize }, now);
      await events.append(db, part.events);
      return part;
    });
    const { files, playerIds } = emptied;
    sweeper.mark(files);
    for (const playerId of playerIds) await presence.deletePlayer(playerId);
    if (files.length > 0 || playerIds.length > 0) log.info({ files: files.length, players: playerIds.length }, "emptied the bin");
    isMore = emptied.isMore;
    await setImmediate(undefined, { signal });
  }
}
