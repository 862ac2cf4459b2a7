// The history of heartbeats: one row for each minute with a heartbeat, so that queries over days are cheap.
import { setImmediate } from "node:timers/promises";
import { sql, type OnConflictBuilder } from "kysely";
import { iso, minuteMs } from "../../../base/time.ts";
import type { HeartbeatMinute } from "../../../protocol/operator/heartbeat-history.ts";
import type { Heartbeat } from "../../../protocol/device/heartbeat.ts";
import type { HeartbeatMinuteRow, TelemetryTables } from "../../store/tables/telemetry.ts";
import { isPostgres } from "../../store/dialect.ts";
import { preparedQuery } from "../../store/prepared-query.ts";
import type { TelemetryDb } from "../../store/store.ts";

const minutesOfDay = 1_440;
const maxPrunedRows = 5_000;

const columns = [
  "player_id",
  "minute",
  "beats",
  "rendering",
  "cpu_load_max",
  "memory_bytes_max",
  "temperature_c_max",
  "disk_free_bytes_min",
  "clock_error_ms_max",
  "drift_ms_max",
  "page_memory_bytes_max",
  "signal_dbm_min",
  "throttled_minutes",
  "display_off_minutes",
  "frames_presented",
  "frames_dropped",
  "frames_late",
  "boot_id",
  "uptime_ms",
  "revision",
] as const satisfies readonly (keyof HeartbeatMinuteRow)[];

const addToMinute = preparedQuery((db: TelemetryDb, row: HeartbeatMinuteRow) => {
  const values = Object.fromEntries(columns.map((column) => [column, row[column]])) as unknown as HeartbeatMinuteRow;
  return db.insertInto("heartbeat_minutes").values(values).onConflict(addToExisting);
});

/** Several rows, of different players or minutes, by one statement of PostgreSQL. */
const addRowsToMinutes = preparedQuery((db: TelemetryDb, { json }: { json: string }) =>
  db
    .insertInto("heartbeat_minutes")
    .columns([...columns])
    .expression(
      sql`select ${sql.join(columns.map((column) => sql.ref(column)))}
        from json_populate_recordset(cast(null as heartbeat_minutes), cast(${json} as json))`,
    )
    .onConflict(addToExisting),
);

function addToExisting(conflict: OnConflictBuilder<TelemetryTables, "heartbeat_minutes">) {
  return conflict.columns(["player_id", "minute"]).doUpdateSet({
    beats: sql`heartbeat_minutes.beats + excluded.beats`,
    rendering: sql`heartbeat_minutes.rendering + excluded.rendering`,
    cpu_load_max: moreExtreme("cpu_load_max", ">"),
    memory_bytes_max: moreExtreme("memory_bytes_max", ">"),
    temperature_c_max: moreExtreme("temperature_c_max", ">"),
    disk_free_bytes_min: moreExtreme("disk_free_bytes_min", "<"),
    clock_error_ms_max: moreExtreme("clock_error_ms_max", ">"),
    drift_ms_max: moreExtreme("drift_ms_max", ">"),
    page_memory_bytes_max: moreExtreme("page_memory_bytes_max", ">"),
    signal_dbm_min: moreExtreme("signal_dbm_min", "<"),
    throttled_minutes: moreExtreme("throttled_minutes", ">"),
    display_off_minutes: moreExtreme("display_off_minutes", ">"),
    frames_presented: sumOf("frames_presented"),
    frames_dropped: sumOf("frames_dropped"),
    frames_late: sumOf("frames_late"),
    boot_id: sql`excluded.boot_id`,
    uptime_ms: sql`excluded.uptime_ms`,
    revision: sql`excluded.revision`,
  });
}

/** A heartbeat that arrived at `receivedAt`, ms since the epoch. */
interface CountedHeartbeat {
  playerId: string;
  heartbeat: Heartbeat;
  receivedAt: number;
}

/** Adds heartbeats of different players to the rows of their minutes. */
export async function countHeartbeats(db: TelemetryDb, beats: readonly CountedHeartbeat[]): Promise<void> {
  // SQLite is not a round trip away, and a statement that parses JSON would cost more than one for each row.
  if (isPostgres(db)) await addRowsToMinutes(db, { json: JSON.stringify(beats.map(minuteOf)) });
  else for (const beat of beats) await addToMinute(db, minuteOf(beat));
}

function minuteOf({ playerId, heartbeat, receivedAt }: CountedHeartbeat): HeartbeatMinuteRow {
  const { frames, memory, network, throttling, display } = heartbeat.telemetry ?? {};
  return {
    player_id: playerId,
    minute: Math.floor(receivedAt / minuteMs),
    beats: 1,
    rendering: heartbeat.rendering ? 1 : 0,
    cpu_load_max: heartbeat.cpu_load,
    memory_bytes_max: heartbeat.memory_bytes,
    temperature_c_max: heartbeat.temperature_c,
    disk_free_bytes_min: heartbeat.disk_free_bytes,
    clock_error_ms_max: heartbeat.clock_error_ms,
    drift_ms_max: heartbeat.drift_ms ?? null,
    page_memory_bytes_max: memory?.page ?? null,
    frames_presented: frames?.presented ?? null,
    frames_dropped: frames?.dropped ?? null,
    frames_late: frames?.late ?? null,
    signal_dbm_min: network?.signal_dbm ?? null,
    throttled_minutes: throttling == null ? null : Number(throttling.now.length > 0),
    display_off_minutes: display?.power == null ? null : Number(display.power === "off"),
    boot_id: heartbeat.boot_id,
    uptime_ms: heartbeat.uptime_ms,
    revision: heartbeat.content.applied_revision,
  };
}

/** The greater or lesser of the stored and the new value, ignoring null. SQLite and PostgreSQL have no common function for it. */
function moreExtreme(column: keyof HeartbeatMinuteRow, than: ">" | "<") {
  const [stored, added] = [sql.ref(`heartbeat_minutes.${column}`), sql.ref(`excluded.${column}`)];
  return sql<number>`case when ${stored} is null or ${added} ${sql.raw(than)} ${stored} then ${added} else ${stored} end`;
}

/** The sum of the stored and the new value, ignoring null. */
function sumOf(column: keyof HeartbeatMinuteRow) {
  const [stored, added] = [sql.ref(`heartbeat_minutes.${column}`), sql.ref(`excluded.${column}`)];
  return sql<number>`case when ${added} is null then ${stored} else coalesce(${stored}, 0) + ${added} end`;
}

/** The minutes of a player in [`from`, `to`), ms since the epoch. */
export function selectMinutes(db: TelemetryDb, playerId: string, from: number, to: number) {
  return db
    .selectFrom("heartbeat_minutes")
    .selectAll()
    .where("player_id", "=", playerId)
    .where("minute", ">=", Math.floor(from / minuteMs))
    .where("minute", "<", Math.ceil(to / minuteMs));
}

/** The number of minutes with a heartbeat on each UTC day, by days since the epoch. */
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

/** Deletes minutes before an instant (ms since the epoch), in batches, so that heartbeats are handled in between. */
export async function pruneMinutes(db: TelemetryDb, before: number, signal: AbortSignal): Promise<void> {
  const minute = Math.floor(before / minuteMs);
  for (;;) {
    const old = db.selectFrom("heartbeat_minutes").select(["player_id", "minute"]).where("minute", "<", minute).limit(maxPrunedRows);
    const { numDeletedRows } = await db
      .deleteFrom("heartbeat_minutes")
      .where((row) => row(row.refTuple("player_id", "minute"), "in", old.$asTuple("player_id", "minute")))
      .executeTakeFirst();
    if (numDeletedRows < BigInt(maxPrunedRows)) return;
    await setImmediate(undefined, { signal });
  }
}

/** A minute as the API shows it. */
export function showMinute(row: HeartbeatMinuteRow): HeartbeatMinute {
  const { minute, player_id: _, ...rest } = row;
  return { minute: iso(minute * minuteMs), minutes: 1, ...rest };
}
