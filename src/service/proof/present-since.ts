// Since when a player has had its present content, as the revisions in its heartbeats say.
import type { ExpressionBuilder } from "kysely";
import { hourMs, minuteMs } from "../../base/time.ts";
import type { TelemetryDb } from "../store/store.ts";
import type { TelemetryTables } from "../store/tables/telemetry.ts";
import type { Span } from "./recent-reports.ts";

const minutesOfHour = 60;
// Hours are computed from their minutes at most an hour after their end.
const hoursFromMinutes = 2;

/**
 * The instant from which on every heartbeat of a player until the end of `span` had this revision, ms since the epoch. The end of
 * `span` if none had.
 */
export async function presentSince(db: TelemetryDb, playerId: string, revision: string, { from, to }: Span): Promise<number> {
  const [firstHour, endHour] = [Math.floor(from / hourMs), Math.ceil(to / hourMs)];
  const hours = db
    .selectFrom("heartbeat_hours")
    .where("player_id", "=", playerId)
    .where("hour", ">=", firstHour)
    .where("hour", "<", endHour);
  const minutes = db
    .selectFrom("heartbeat_minutes")
    .where("player_id", "=", playerId)
    .where("minute", ">=", firstHour * minutesOfHour)
    .where("minute", "<", Math.ceil(to / minuteMs));
  // An hour has the revision of its last minute.
  const otherHour = await hours.where(isOther(revision)).select("hour").orderBy("hour", "desc").limit(1).executeTakeFirst();
  const recent = minutes.where("minute", ">=", (endHour - hoursFromMinutes - 1) * minutesOfHour);
  const otherMinute = await recent.where(isOther(revision)).select("minute").orderBy("minute", "desc").limit(1).executeTakeFirst();
  const after = Math.max(from, ((otherHour?.hour ?? -1) + 1) * hourMs, ((otherMinute?.minute ?? -1) + 1) * minuteMs);
  const own = await minutes
    .where("minute", ">=", Math.ceil(after / minuteMs))
    .where("revision", "=", revision)
    .select("minute")
    .orderBy("minute")
    .limit(1)
    .executeTakeFirst();
  // Minutes are kept for a shorter time. Of an hour only the end is known.
  const ownHour = await hours
    .where("hour", ">=", Math.ceil(after / hourMs))
    .where("revision", "=", revision)
    .select("hour")
    .orderBy("hour")
    .limit(1)
    .executeTakeFirst();
  return Math.min(
    to,
    own === undefined ? to : Math.max(from, own.minute * minuteMs),
    ownHour === undefined ? to : (ownHour.hour + 1) * hourMs,
  );
}

function isOther(revision: string) {
  return (row: ExpressionBuilder<TelemetryTables, "heartbeat_hours" | "heartbeat_minutes">) =>
    row.or([row("revision", "is", null), row("revision", "<>", revision)]);
}
