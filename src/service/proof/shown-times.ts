// For how long each layout was on a player's screen, hour by hour, from its play events.
import { sql } from "kysely";
import { dayMs, hourMs } from "../../base/time.ts";
import type { PlayEventsDb } from "./play-events.ts";
import type { Span } from "./recent-reports.ts";

// A play that began earlier is not looked for: nearly all items are shorter, and each day would read a month of plays.
const longestPlayMs = dayMs;

/** Time on screen by its cause. Times with an equal key are compared with each other. */
type TimeByKey = Map<string, number>;

/** The key of a layout and the schedule that caused it. Content of an override is never planned, and has a key of its own. */
export function timeKey(layoutId: string, scheduleId: string | null, isOverride: boolean): string {
  return JSON.stringify([layoutId, scheduleId, isOverride]);
}

/**
 * The time on screen in each hour of `day`, counted from its beginning, by {@link timeKey}. A layout with several zones was shown for as
 * long as the zone that was shown for longest.
 */
export async function shownByHour(db: PlayEventsDb, playerId: string, day: Span): Promise<TimeByKey[]> {
  const zones = Array.from({ length: Math.ceil((day.to - day.from) / hourMs) }, () => new Map<string, number>());
  const add = (hour: number, { layout_id, schedule_id, is_override, zone_id }: Origin, ms: number): void => {
    const key = JSON.stringify([timeKey(layout_id, schedule_id, Number(is_override) === 1), zone_id]);
    zones[hour]!.set(key, (zones[hour]!.get(key) ?? 0) + ms);
  };
  for (const row of await playsWithinHours(db, playerId, day)) add(Number(row.hour), row, Number(row.ms));
  for (const row of await playsOverHours(db, playerId, day)) {
    const [from, to] = [Math.max(day.from, Number(row.started_at)), Math.min(day.to, Number(row.started_at) + Number(row.duration_ms))];
    for (let at = from; at < to;) {
      const hour = Math.floor((at - day.from) / hourMs);
      const end = Math.min(to, day.from + (hour + 1) * hourMs);
      add(hour, row, end - at);
      at = end;
    }
  }
  return zones.map(longestZones);
}

interface Origin {
  layout_id: string;
  schedule_id: string | null;
  is_override: number;
  zone_id: string;
}

const isOverride = sql<number>`case when override_id is not null or layer = 'override' then 1 else 0 end`;

/** The hour of a day in which an instant lies. Whole numbers are divided without a rest. */
const hourIn = (day: Span, instant: string) => sql<number>`(${sql.raw(instant)} - ${sql.lit(day.from)}) / ${sql.lit(hourMs)}`;
const lastInstant = "started_at + duration_ms - 1";

/** Of the plays that lie in one hour, which nearly all do, the sums. */
function playsWithinHours(db: PlayEventsDb, playerId: string, day: Span) {
  return db
    .selectFrom("play_events")
    .select(["layout_id", "schedule_id", "zone_id", isOverride.as("is_override"), hourIn(day, "started_at").as("hour")])
    .select(sql<number>`sum(duration_ms)`.as("ms"))
    .where("player_id", "=", playerId)
    .where("started_at", ">=", day.from)
    .where("started_at", "<", day.to)
    .where("duration_ms", ">", 0)
    .where(sql<boolean>`${isWithinHour(day)}`)
    .groupBy(["layout_id", "schedule_id", "zone_id", isOverride, hourIn(day, "started_at")])
    .execute();
}

/** The plays that reach into another hour, or beyond the day. */
function playsOverHours(db: PlayEventsDb, playerId: string, day: Span) {
  return db
    .selectFrom("play_events")
    .select(["layout_id", "schedule_id", "zone_id", "started_at", "duration_ms", isOverride.as("is_override")])
    .where("player_id", "=", playerId)
    .where("started_at", ">", day.from - longestPlayMs)
    .where("started_at", "<", day.to)
    .where("duration_ms", ">", 0)
    .where(sql<boolean>`started_at + duration_ms > ${day.from}`)
    .where(sql<boolean>`(started_at < ${day.from} or not (${isWithinHour(day)}))`)
    .execute();
}

function isWithinHour(day: Span) {
  return sql<boolean>`started_at + duration_ms <= ${day.to} and ${hourIn(day, "started_at")} = ${hourIn(day, lastInstant)}`;
}

function longestZones(zones: ReadonlyMap<string, number>): TimeByKey {
  const longest: TimeByKey = new Map();
  for (const [of, ms] of zones) {
    const [key] = JSON.parse(of) as [string, string];
    longest.set(key, Math.max(longest.get(key) ?? 0, ms));
  }
  return longest;
}
