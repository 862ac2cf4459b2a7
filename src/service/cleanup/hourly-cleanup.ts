// Deletes outdated data every hour, in small transactions: the bin, finished shows, expired records, old heartbeats and play events.
import { setImmediate } from "node:timers/promises";
import { dayMs, hourMs } from "../../base/time.ts";
import { binRetentionMs, emptyBin, binBatchSize } from "./bin.ts";
import { pruneHours, rollUpHours } from "../fleet/heartbeats/hours.ts";
import { pruneMinutes } from "../fleet/heartbeats/minutes.ts";
import { deleteOldAttempts } from "../http/limits/limits-in-database.ts";
import { deleteExpiredSecrets } from "../people/one-time/used-secrets.ts";
import { deleteOldPlayEvents } from "../proof/play-events.ts";
import { isAbort } from "../../base/fault.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { BlobSweeper } from "../content/blob-sweeper.ts";
import type { Presence } from "../fleet/presence/presence.ts";
import type { Db, Retention, Store } from "../store/store.ts";
import { commitChange, type ChangeDependencies } from "../operations/commit-change.ts";
import type { Change } from "../operations/unit-of-work.ts";
import { removeExpiredRecords } from "./retention.ts";
import { clearShow, deleteOldShows, isProlonged, findShowSchedule, findFinishedShows } from "../shows/shows.ts";

const everyMs = hourMs;
const minutesRetentionMs = 30 * dayMs;
const hoursRetentionMs = 366 * dayMs;
const linksRetentionMs = dayMs;

interface CleanupDependencies extends ChangeDependencies {
  clock: Clock;
  log: Log;
  presence: Presence;
  sweeper: BlobSweeper;
}

/** Cleans up now and every hour. Rejects with an AbortError when `signal` aborts. */
export async function runHourlyCleanup(
  dependencies: CleanupDependencies,
  playEventsRetentionMs: number,
  signal: AbortSignal,
): Promise<never> {
  const { store, clock, log } = dependencies;
  for (;;) {
    const next = clock.monotonic() + everyMs;
    const now = Math.trunc(clock.now());
    await clearBin(dependencies, now, signal);
    while (await clearFinishedShows(dependencies, now)) signal.throwIfAborted();
    await store.write(async (db) => {
      await deleteOldShows(db, now - playEventsRetentionMs);
      await db
        .deleteFrom("upload_links")
        .where("expires_at", "<", now - linksRetentionMs)
        .execute();
      await deleteExpiredSecrets(db, now);
      if (store.isShared) await deleteOldAttempts(db, now);
    });
    await removeExpiredRecords(dependencies, now, signal);
    await cleanTelemetry(dependencies, now, signal).catch((error: unknown) => {
      if (isAbort(error)) throw error;
      // Nothing is lost: minutes are kept for a month, and the next round computes their hours.
      log.error({ err: error }, "the history of heartbeats could not be cleaned up");
    });
    await cleanPlayEvents(store, { now, before: now - playEventsRetentionMs }, signal);
    // Count the hour from the start of the round, so that a long round does not delay the next one.
    const leftMs = next - clock.monotonic();
    if (leftMs > 0) await clock.wait(leftMs, signal);
  }
}

/** Computes the hours of heartbeats and deletes old minutes and hours. Rejects if the telemetry database cannot be used. */
async function cleanTelemetry({ store, presence, log }: CleanupDependencies, now: number, signal: AbortSignal): Promise<void> {
  // Heartbeats that cannot be stored now are stored later, and their hours are then computed again.
  await presence.flush().catch((error: unknown) => log.debug({ err: error }, "hours are computed without the newest heartbeats"));
  await rollUpHours(store.telemetry, now, now - minutesRetentionMs, signal);
  const [minutes, hours] = [now - minutesRetentionMs, now - hoursRetentionMs];
  if (store.partitions === null) {
    await pruneMinutes(store.telemetry, minutes, signal);
    await pruneHours(store.telemetry, hours, signal);
  } else {
    await store.partitions.keep("heartbeat_minutes", { now, before: minutes }, signal);
    await store.partitions.keep("heartbeat_hours", { now, before: hours }, signal);
  }
}

async function cleanPlayEvents({ partitions, plays }: Store, retention: Retention, signal: AbortSignal): Promise<void> {
  if (partitions === null) await deleteOldPlayEvents(plays, retention.before, signal);
  else await partitions.keep("play_events", retention, signal);
}

/**
 * Puts the resources of some shows in the bin that ended a day ago, unless someone has prolonged their schedule.
 * @returns whether there were any.
 */
async function clearFinishedShows(dependencies: CleanupDependencies, now: number): Promise<boolean> {
  const finished = await findFinishedShows(dependencies.store.db, now);
  for (const row of finished) {
    const clear = async (db: Db): Promise<Change<undefined>> => {
      const schedule = await findShowSchedule(db, row);
      if (schedule === null || schedule.row.deleted_at !== null || !isProlonged(schedule.shown, now)) return clearShow(db, row, now, false);
      // From now on it is an ordinary schedule, which the show no longer ends.
      await db.updateTable("shows").set({ ends_at: null }).where("id", "=", row.id).execute();
      return { result: undefined };
    };
    await commitChange(dependencies, clear, async () => undefined);
  }
  return finished.length > 0;
}

/** Deletes the resources for good that have been in the bin for long enough, batch by batch. */
async function clearBin({ store, events, log, presence, sweeper }: CleanupDependencies, now: number, signal: AbortSignal): Promise<void> {
  for (let isMore = true; isMore;) {
    const removal = await store.write(async (db) => {
      const batch = await emptyBin(db, { before: now - binRetentionMs, limit: binBatchSize }, now);
      await events.append(db, batch.events);
      await presence.announceForgotten(db, batch.playerIds);
      return batch;
    });
    const { files, playerIds } = removal;
    sweeper.mark(files);
    for (const playerId of playerIds) await presence.deletePlayer(playerId);
    if (files.length > 0 || playerIds.length > 0) log.info({ files: files.length, players: playerIds.length }, "bin emptied");
    isMore = removal.isMore;
    await setImmediate(undefined, { signal });
  }
}
