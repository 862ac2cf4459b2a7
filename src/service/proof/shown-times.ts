// For how long each layout was on a player's screen, from its play events.
import { sql } from "kysely";
import type { PlayEventsDb } from "./play-events.ts";
import type { Span } from "./recent-reports.ts";

// A play that began earlier is not looked for: nearly all items are shorter, and each day would read a month of plays.
const longestPlayMs = 86_400_000;

/**
 * The time on screen within `span` by JSON of layout and schedule. A layout with several zones was shown for as long as the zone that
 * was shown for longest.
 */
export async function shownTimes(db: PlayEventsDb, playerId: string, { from, to }: Span): Promise<Map<string, number>> {
  const start = sql<number>`case when started_at < ${from} then ${from} else started_at end`;
  const end = sql<number>`case when started_at + duration_ms > ${to} then ${to} else started_at + duration_ms end`;
  const rows = await db
    .selectFrom("play_events")
    .select(["layout_id", "schedule_id", sql<number>`sum(${end} - ${start})`.as("ms")])
    .where("player_id", "=", playerId)
    .where("started_at", ">", from - longestPlayMs)
    .where("started_at", "<", to)
    .where("duration_ms", ">", 0)
    .where(sql<boolean>`started_at + duration_ms > ${from}`)
    .groupBy(["layout_id", "schedule_id", "zone_id"])
    .execute();
  const shown = new Map<string, number>();
  for (const { layout_id, schedule_id, ms } of rows) {
    const key = JSON.stringify([layout_id, schedule_id]);
    shown.set(key, Math.max(shown.get(key) ?? 0, Number(ms)));
  }
  return shown;
}
