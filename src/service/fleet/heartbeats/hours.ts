// The hours of heartbeats, each computed from its minutes before these are deleted. They are kept for longer than minutes.
import { setImmediate } from "node:timers/promises";
import { sql } from "kysely";
import { hourMs, iso } from "../../../base/time.ts";
import type { HeartbeatMinute } from "../../../protocol/operator/heartbeat-history.ts";
import { preparedQuery } from "../../store/prepared-query.ts";
import type { HeartbeatHourRow } from "../../store/tables/telemetry.ts";
import type { TelemetryDb } from "../../store/store.ts";

const minutesOfHour = 60;
// Two days of a player take a few milliseconds, during which nothing else runs.
const hoursPerStep = 48;
const maxPrunedRows = 5_000;

/** The columns of an hour that are computed from all its minutes; the others are those of its last minute. */
const computed = {
  beats: "sum",
  rendering: "sum",
  cpu_load_max: "max",
  memory_bytes_max: "max",
  page_memory_bytes_max: "max",
  temperature_c_max: "max",
  disk_free_bytes_min: "min",
  clock_error_ms_max: "max",
  drift_ms_max: "max",
  frames_presented: "sum",
  frames_dropped: "sum",
  frames_late: "sum",
  signal_dbm_min: "min",
  throttled_minutes: "sum",
  display_off_minutes: "sum",
} as const satisfies Partial<Record<keyof HeartbeatHourRow, "sum" | "max" | "min">>;
const latest = ["boot_id", "uptime_ms", "revision"] as const satisfies readonly (keyof HeartbeatHourRow)[];
const computedNames = Object.keys(computed) as (keyof typeof computed)[];

/** The player after another one in the order of ids. A query of distinct ids would read every minute. */
const nextPlayer = preparedQuery((db: TelemetryDb, { after }: { after: string }) =>
  db.selectFrom("heartbeat_minutes").select("player_id").where("player_id", ">", after).orderBy("player_id").limit(1),
);

const lastHour = preparedQuery((db: TelemetryDb, { player_id }: { player_id: string }) =>
  db.selectFrom("heartbeat_hours").select("hour").where("player_id", "=", player_id).orderBy("hour", "desc").limit(1),
);

const nextMinute = preparedQuery((db: TelemetryDb, { player_id, from, to }: { player_id: string; from: number; to: number }) =>
  db
    .selectFrom("heartbeat_minutes")
    .select("minute")
    .where("player_id", "=", player_id)
    .where("minute", ">=", from)
    .where("minute", "<", to)
    .orderBy("minute")
    .limit(1),
);

const rollUp = preparedQuery((db: TelemetryDb, { player_id, from, to }: { player_id: string; from: number; to: number }) => {
  const hours = db
    .selectFrom("heartbeat_minutes")
    .select((row) => [
      sql<number>`minute / ${sql.lit(minutesOfHour)}`.as("hour"),
      row.fn.countAll<number>().as("minutes"),
      row.fn.max("minute").as("last"),
      ...computedNames.map((name) => sql<number>`${sql.raw(computed[name])}(${sql.ref(name)})`.as(name)),
    ])
    .where("player_id", "=", player_id)
    .where("minute", ">=", from)
    .where("minute", "<", to)
    .groupBy(sql`minute / ${sql.lit(minutesOfHour)}`);
  const rows = db
    .selectFrom(hours.as("hours"))
    .innerJoin("heartbeat_minutes as newest", (join) => join.onRef("newest.minute", "=", "hours.last"))
    .where("newest.player_id", "=", player_id)
    .select(["newest.player_id", "hours.hour", "hours.minutes"])
    .select(computedNames.map((name) => `hours.${name}` as const))
    .select(latest.map((name) => `newest.${name}` as const));
  return db
    .insertInto("heartbeat_hours")
    .columns(["player_id", "hour", "minutes", ...computedNames, ...latest])
    .expression(rows)
    .onConflict((conflict) =>
      conflict.columns(["player_id", "hour"]).doUpdateSet((row) => {
        const names = ["minutes", ...computedNames, ...latest] as const;
        return Object.fromEntries(names.map((name) => [name, row.ref(`excluded.${name}`)]));
      }),
    );
});

/**
 * Computes the hours that are over at `now` (ms since the epoch) and are missing, and again the last two of each player, for minutes
 * that were stored late. Call it before minutes are deleted; a repeated call changes nothing. Heartbeats are handled in between.
 * @param minutesBefore minutes before this instant may have been deleted: hours that were computed from them stay as they are.
 */
export async function rollUpHours(db: TelemetryDb, now: number, minutesBefore: number, signal: AbortSignal): Promise<void> {
  const to = Math.floor(now / hourMs) * minutesOfHour;
  const firstIntact = Math.ceil(minutesBefore / hourMs);
  for (let after = ""; ;) {
    const [player] = await nextPlayer(db, { after });
    if (player === undefined) return;
    const { player_id } = player;
    const [last] = await lastHour(db, { player_id });
    let from = last === undefined ? 0 : (last.hour - 1 >= firstIntact ? last.hour - 1 : last.hour + 1) * minutesOfHour;
    for (;;) {
      const [next] = await nextMinute(db, { player_id, from, to });
      if (next === undefined) break;
      const begin = Math.floor(next.minute / minutesOfHour) * minutesOfHour;
      from = Math.min(to, begin + hoursPerStep * minutesOfHour);
      await rollUp(db, { player_id, from: begin, to: from });
      await setImmediate(undefined, { signal });
    }
    signal.throwIfAborted();
    after = player_id;
  }
}

/** The hours of a player in [`from`, `to`), ms since the epoch. */
export function selectHours(db: TelemetryDb, playerId: string, from: number, to: number) {
  return db
    .selectFrom("heartbeat_hours")
    .selectAll()
    .where("player_id", "=", playerId)
    .where("hour", ">=", Math.floor(from / hourMs))
    .where("hour", "<", Math.ceil(to / hourMs));
}

/** Deletes hours before an instant (ms since the epoch), in batches, so that heartbeats are handled in between. */
export async function pruneHours(db: TelemetryDb, before: number, signal: AbortSignal): Promise<void> {
  const hour = Math.floor(before / hourMs);
  for (;;) {
    const old = db.selectFrom("heartbeat_hours").select(["player_id", "hour"]).where("hour", "<", hour).limit(maxPrunedRows);
    const { numDeletedRows } = await db
      .deleteFrom("heartbeat_hours")
      .where((row) => row(row.refTuple("player_id", "hour"), "in", old.$asTuple("player_id", "hour")))
      .executeTakeFirst();
    if (numDeletedRows < BigInt(maxPrunedRows)) return;
    await setImmediate(undefined, { signal });
  }
}

/** An hour as the API shows it. */
export function showHour(row: HeartbeatHourRow): HeartbeatMinute {
  const { hour, player_id: _, ...rest } = row;
  return { minute: iso(hour * hourMs), ...rest };
}
