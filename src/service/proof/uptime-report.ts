// Counts for how long players were reachable, by day, player and tag, from the hours of their heartbeats.
import { setImmediate } from "node:timers/promises";
import { hourMs, minuteMs } from "../../base/time.ts";
import type { UptimeReportQuery, UptimeReportRow } from "../../protocol/operator/reports.ts";
import { inChunks } from "../store/chunks.ts";
import type { Db, TelemetryDb } from "../store/store.ts";
import type { Span } from "./recent-reports.ts";
import { daysOfReport } from "./report-days.ts";
import { inOrder, keysOfPlayer, ReportGroups } from "./report-groups.ts";
import { reportedPlayers } from "./reported-players.ts";

const minutesOfHour = 60;
// An hour is computed at most an hour after its end; until then its minutes are counted.
const hoursFromMinutes = 2;

type Query = Pick<UptimeReportQuery, "player_id" | "tag" | "timezone" | "group_by" | "sort">;
interface Figures extends Record<string, number> {
  players: number;
  minutes_up: number;
  minutes_total: number;
  display_off_minutes: number;
}

/** The rows of an uptime report, sorted as asked. An hour counts for the day in which it begins. */
export async function countUptime(
  { db, telemetry }: { db: Db; telemetry: TelemetryDb },
  teamId: string,
  query: Query,
  span: Span,
  now: number,
  signal: AbortSignal,
): Promise<UptimeReportRow[]> {
  const players = await reportedPlayers(db, teamId, query);
  const names = new Map(players.map(({ id, name }) => [id, name]));
  const groups = new ReportGroups<Figures>();
  for (const day of daysOfReport(span, query.timezone, query.group_by.includes("day"))) {
    const hours = { from: Math.ceil(day.from / hourMs), to: Math.ceil(Math.min(day.to, now) / hourMs) };
    for (const part of inChunks(players)) {
      const ids = part.map(({ id }) => id);
      const heard = await minutesHeard(telemetry, ids, hours, Math.floor(now / hourMs) - hoursFromMinutes);
      for (const player of part) {
        const first = Math.max(hours.from * minutesOfHour, Math.floor(player.createdAt / minuteMs));
        const total = Math.max(0, Math.min(hours.to * minutesOfHour, Math.ceil(now / minuteMs)) - first);
        const { up, off } = heard.get(player.id) ?? { up: 0, off: 0 };
        // It is not counted for days before it was paired.
        if (total === 0 && day.name !== null) continue;
        const figures = { players: 1, minutes_up: Math.min(up, total), minutes_total: total, display_off_minutes: Math.min(off, total) };
        const keys = day.name === null ? {} : { day: day.name };
        for (const own of keysOfPlayer(query.group_by, player)) groups.add({ ...keys, ...own }, figures);
      }
      await setImmediate(undefined, { signal });
    }
  }
  const rows = groups.rows().map(({ keys, figures }): UptimeReportRow => {
    const { minutes_up: up, minutes_total: total } = figures;
    const name = keys["player_id"] == null ? {} : { player_name: names.get(keys["player_id"])! };
    return { ...keys, ...name, ...figures, uptime_percent: total === 0 ? null : Math.floor((10_000 * up) / total) / 100 };
  });
  return query.sort === "key"
    ? inOrder(rows, query.group_by)
    : rows.toSorted((a, b) => (a.uptime_percent ?? 101) - (b.uptime_percent ?? 101));
}

/** The minutes with a heartbeat, and those with the display off, in [`from`, `to`), in hours since the epoch. */
async function minutesHeard(db: TelemetryDb, ids: readonly string[], { from, to }: Span, firstFromMinutes: number) {
  const heard = new Map<string, { up: number; off: number }>();
  const add = (id: string, up: number, off: number | null): void => {
    const sum = heard.get(id) ?? { up: 0, off: 0 };
    heard.set(id, { up: sum.up + Number(up), off: sum.off + Number(off ?? 0) });
  };
  const hours = db
    .selectFrom("heartbeat_hours")
    .select((row) => ["player_id", row.fn.sum<number>("minutes").as("up"), row.fn.sum<number>("display_off_minutes").as("off")])
    .where("player_id", "in", ids)
    .where("hour", ">=", from)
    .where("hour", "<", Math.min(to, firstFromMinutes));
  for (const { player_id, up, off } of await hours.groupBy("player_id").execute()) add(player_id, up, off);
  if (to <= firstFromMinutes) return heard;
  const minutes = db
    .selectFrom("heartbeat_minutes")
    .select((row) => ["player_id", row.fn.countAll<number>().as("up"), row.fn.sum<number>("display_off_minutes").as("off")])
    .where("player_id", "in", ids)
    .where("minute", ">=", Math.max(from, firstFromMinutes) * minutesOfHour)
    .where("minute", "<", to * minutesOfHour);
  for (const { player_id, up, off } of await minutes.groupBy("player_id").execute()) add(player_id, up, off);
  return heard;
}
