// The history of heartbeats: one row for each minute in which a player was heard, so that asking for days stays cheap.
import { setImmediate } from "node:timers/promises";
import { sql } from "kysely";
import type { HeartbeatMinute } from "../../../protocol/operator/heartbeat-history.ts";
import type { Heartbeat } from "../../../protocol/device/heartbeat.ts";
import type { HeartbeatMinuteRow } from "../../store/telemetry-tables.ts";
import { preparedQuery } from "../../store/prepared-query.ts";
import type { TelemetryDb } from "../../store/store.ts";

/** A minute, in ms. */
export const minuteMs = 60_000;
const minutesOfDay = 1_440;
const partOfPruning = 5_000;

const addToMinute = preparedQuery((db: TelemetryDb, row: HeartbeatMinuteRow) => {
  const latest = { boot_id: row.boot_id, uptime_ms: row.uptime_ms, revision: row.revision };
  const [player_id, minute, beats, rendering] = [row.player_id, row.minute, row.beats, row.rendering];
  const most = {
    cpu_load_max: row.cpu_load_max,
    memory_bytes_max: row.memory_bytes_max,
    temperature_c_max: row.temperature_c_max,
    disk_free_bytes_min: row.disk_free_bytes_min,
    clock_error_ms_max: row.clock_error_ms_max,
    drift_ms_max: row.drift_ms_max,
  };
  return db
    .insertInto("heartbeat_minutes")
    .values({ player_id, minute, beats, rendering, ...most, ...latest })
    .onConflict((conflict) =>
      conflict.columns(["player_id", "minute"]).doUpdateSet({
        beats: sql`heartbeat_minutes.beats + excluded.beats`,
        rendering: sql`heartbeat_minutes.rendering + excluded.rendering`,
        cpu_load_max: further("cpu_load_max", ">"),
        memory_bytes_max: further("memory_bytes_max", ">"),
        temperature_c_max: further("temperature_c_max", ">"),
        disk_free_bytes_min: further("disk_free_bytes_min", "<"),
        clock_error_ms_max: further("clock_error_ms_max", ">"),
        drift_ms_max: further("drift_ms_max", ">"),
        ...latest,
      }),
    );
});

/** Counts a heartbeat that came at `receivedAt` (ms since the epoch) into its minute. */
export async function countHeartbeat(db: TelemetryDb, playerId: string, beat: Heartbeat, receivedAt: number): Promise<void> {
  await addToMinute(db, {
    player_id: playerId,
    minute: Math.floor(receivedAt / minuteMs),
    beats: 1,
    rendering: beat.rendering ? 1 : 0,
    cpu_load_max: beat.cpu_load,
    memory_bytes_max: beat.memory_bytes,
    temperature_c_max: beat.temperature_c,
    disk_free_bytes_min: beat.disk_free_bytes,
    clock_error_ms_max: beat.clock_error_ms,
    drift_ms_max: beat.drift_ms ?? null,
    boot_id: beat.boot_id,
    uptime_ms: beat.uptime_ms,
    revision: beat.content.applied_revision,
  });
}

/** The greater or the lesser of what stands and what comes; one that is null gives way. Both engines know no common max(). */
function further(column: keyof HeartbeatMinuteRow, than: ">" | "<") {
  const [old, fresh] = [sql.ref(`heartbeat_minutes.${column}`), sql.ref(`excluded.${column}`)];
  return sql<number>`case when ${old} is null or ${fresh} ${sql.raw(than)} ${old} then ${fresh} else ${old} end`;
}

/** Minutes of a player from `from` to before `to` (ms since the epoch). */
export function selectMinutes(db: TelemetryDb, playerId: string, from: number, to: number) {
  return db
    .selectFrom("heartbeat_minutes")
    .selectAll()
    .where("player_id", "=", playerId)
    .where("minute", ">=", Math.floor(from / minuteMs))
    .where("minute", "<", Math.ceil(to / minuteMs));
}

/** How many minutes of each UTC day a player was heard in, by days since the epoch. */
export async function minutesByDay(db: TelemetryDb, playerId: string, fromDay: number, toDay: number): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom("heartbeat_minutes")
    .select((row) => [sql<number>`minute / ${sql.lit(minutesOfDay)}`.as("day"), row.fn.countAll<number>().as("minutes")])
    .where("player_id", "=", playerId)
    .where("minute", ">=", fromDay * minutesOfDay)
    .where("minute", "<", toDay * minutesOfDay)
    .groupBy("day")
    .execute();
  return new Map(rows.map(({ day, minutes }) => [Number(day), Number(minutes)]));
}

/** Deletes what is older than `before` (ms since the epoch), part by part, so that heartbeats get their turn between. */
export async function pruneMinutes(db: TelemetryDb, before: number, signal: AbortSignal): Promise<void> {
  const minute = Math.floor(before / minuteMs);
  for (;;) {
    const old = db.selectFrom("heartbeat_minutes").select(["player_id", "minute"]).where("minute", "<", minute).limit(partOfPruning);
    const { numDeletedRows } = await db
      .deleteFrom("heartbeat_minutes")
      .where((row) => row(row.refTuple("player_id", "minute"), "in", old.$asTuple("player_id", "minute")))
      .executeTakeFirst();
    if (numDeletedRows < BigInt(partOfPruning)) return;
    await setImmediate(undefined, { signal });
  }
}

/** A minute as REST shows it. */
export function showMinute(row: HeartbeatMinuteRow): HeartbeatMinute {
  const { minute, player_id: _, ...rest } = row;
  return { minute: new Date(minute * minuteMs).toISOString(), ...rest };
}
