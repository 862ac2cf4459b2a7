// Stores shows: their status, and the playlist, layout and schedule that clearing them removes.
import { contentEvent } from "../content/content-event.ts";
import { dayMs } from "../../base/time.ts";
import type { Schedule } from "../../protocol/scheduling/schedules.ts";
import { endMomentOf } from "../../schedule/calendar/moments.ts";
import { windowAfter } from "../../schedule/calendar/windows.ts";
import type { NewShow, ShowEntry } from "../../protocol/operator/shows.ts";
import { discard } from "../cleanup/bin.ts";
import { layoutsShowing, playersShowing } from "../fleet/state/players-showing.ts";
import { parseZones } from "../content/content-columns.ts";
import type { NewEvent } from "../events/event-journal.ts";
import type { Clock } from "../../base/clock.ts";
import type { Presence } from "../fleet/presence/presence.ts";
import type { Change } from "../operations/unit-of-work.ts";

import { findTeamRow, selectTeamRows } from "../store/tables/team-rows.ts";
import { timeZoneOf } from "../schedule/outlook/outlook.ts";
import { deleteExpiredOverrides } from "../schedule/overrides.ts";
import { targetedPlayers, showSchedule, targetOf } from "../schedule/schedules.ts";
import type { Db } from "../store/store.ts";
import { maxBehindUtcMs } from "./new-show.ts";
import type { ScheduleRow, ShowRow } from "../store/tables/content.ts";
import type { PlayerRow } from "../store/tables/fleet.ts";

/** The requested content, stored as JSON. */
export type ShowContent = Pick<NewShow, "asset_id" | "url" | "text" | "layout_id">;

// Finished shows stay in the lists for this time.
const listedAfterEndMs = dayMs;

/** Shows whose time is over or whose schedule was deleted, or the others; null: both. A schedule that is restored is shown again. */
export function selectShows(db: Db, teamId: string, isEnded: boolean | null, now: number) {
  const shows = selectTeamRows(db, "shows", teamId);
  if (isEnded === null) return shows;
  return shows.where((row) => {
    const schedules = row.selectFrom("schedules").select("schedules.id").whereRef("schedules.id", "=", "shows.schedule_id");
    const isLive = row.exists(schedules.where("schedules.deleted_at", "is", null));
    return isEnded
      ? row.or([row.not(isLive), row("ends_at", "<=", now)])
      : row.and([isLive, row.or([row("ends_at", "is", null), row("ends_at", ">", now)])]);
  });
}

/** The current status of a show. */
export async function showStatus(
  { clock, presence }: { clock: Clock; presence: Presence },
  row: ShowRow,
  schedule: Schedule | null,
  player: PlayerRow | undefined,
): Promise<ShowEntry["status"]> {
  const now = Math.trunc(clock.now());
  const isOver = row.ends_at !== null && row.ends_at <= now;
  if (schedule === null || schedule.deleted_at !== null) return isOver ? "over" : "cleared";
  const next = windowAfter(schedule, timeZoneOf({ presence }, player), now, new Map());
  if (next === null) return "over";
  return next.from <= now ? "due" : "planned";
}

/** The schedule of a show and its players; null if the schedule was deleted for good. */
export async function findShowSchedule(db: Db, row: ShowRow): Promise<{ row: ScheduleRow; shown: Schedule; players: PlayerRow[] } | null> {
  const schedule = await findTeamRow(db, "schedules", row.team_id, row.schedule_id);
  if (schedule === undefined) return null;
  return { row: schedule, shown: showSchedule(schedule), players: await targetedPlayers(db, row.team_id, [targetOf(schedule)]) };
}

/**
 * Removes the resources of a show: its schedule, and its own layout and playlist unless something else uses them.
 * @param permanent deletes them for good; else they go to the bin, where restoring the schedule restores all three.
 */
export async function clearShow(db: Db, row: ShowRow, now: number, permanent: boolean): Promise<Change<undefined>> {
  const { team_id: teamId } = row;
  const events: NewEvent[] = [];
  const affected: PlayerRow[] = [];
  const schedule = await findShowSchedule(db, row);
  if (schedule !== null && (permanent || schedule.row.deleted_at === null)) {
    await discard(db, "schedules", row.schedule_id, now, permanent);
    affected.push(...schedule.players);
    const players = schedule.players.map(({ id }) => id);
    events.push({ ...contentEvent("schedule.deleted", schedule.row), players });
  }
  await deleteExpiredOverrides(db, teamId, { layout_id: row.layout_id }, now);
  const layout = ownsLayout(row) ? await findTeamRow(db, "layouts", teamId, row.layout_id) : undefined;
  const isShown = (await playersShowing(db, teamId, [row.layout_id])).length > 0;
  if (layout !== undefined && !isShown && !(await isScheduled(db, row)) && (permanent || layout.deleted_at === null)) {
    await discard(db, "layouts", layout.id, now, permanent);
    events.push({ ...contentEvent("layout.deleted", layout), players: [] });
  }
  const playlist = ownsLayout(row) ? await findTeamRow(db, "playlists", teamId, row.playlist_id) : undefined;
  const layouts = await layoutsShowing(db, teamId, row.playlist_id);
  if (playlist !== undefined && layouts.length === 0 && (permanent || playlist.deleted_at === null)) {
    await discard(db, "playlists", playlist.id, now, permanent);
    events.push({ ...contentEvent("playlist.deleted", playlist), players: [] });
  }
  if (permanent) await db.deleteFrom("shows").where("id", "=", row.id).execute();
  else await db.updateTable("shows").set({ cleared_at: now }).where("id", "=", row.id).execute();
  return { result: undefined, affected, events };
}

/** True if the show created its layout and playlist; otherwise it was given a layout. */
function ownsLayout({ given }: ShowRow): boolean {
  return (JSON.parse(given) as ShowContent).layout_id === undefined;
}

/** Shows that ended a day ago and whose resources are not in the bin yet, at most 100. */
export function findFinishedShows(db: Db, now: number): Promise<ShowRow[]> {
  const rows = db.selectFrom("shows").selectAll().where("cleared_at", "is", null);
  return rows
    .where("ends_at", "<", now - listedAfterEndMs)
    .orderBy("ends_at")
    .limit(100)
    .execute();
}

/** Deletes shows without a schedule whose play events have expired too. */
export async function deleteOldShows(db: Db, before: number): Promise<void> {
  // `cleared_at` is null if someone deleted the schedule for good.
  const old = db.deleteFrom("shows").where((row) => row(row.fn.coalesce("cleared_at", "created_at"), "<", before));
  await old.where("schedule_id", "not in", db.selectFrom("schedules").select("id")).execute();
}

/** Deletes the shows of a team that is deleted: nobody can read their proof any more. */
export async function deleteTeamShows(db: Db, teamId: string): Promise<void> {
  await db.deleteFrom("shows").where("team_id", "=", teamId).execute();
}

/** True if someone has changed the schedule so that it lasts longer than the show. */
export function isProlonged(schedule: Schedule, now: number): boolean {
  if (schedule.rrule !== null || schedule.ends_at === null) return true;
  const end = endMomentOf(schedule.ends_at);
  return end !== null && end.at + (end.isUtc ? 0 : maxBehindUtcMs) > now;
}

/** The ids of a layout's zones, which heartbeats name as `now_playing`. */
export async function zoneIdsOf(db: Db, layoutId: string): Promise<string[]> {
  const layout = await db.selectFrom("layouts").select("zones").where("id", "=", layoutId).executeTakeFirst();
  return layout === undefined ? [] : parseZones(layout.zones).map((zone) => zone.id);
}

/** True if another schedule shows the layout of the show. */
async function isScheduled(db: Db, { team_id, layout_id }: ShowRow): Promise<boolean> {
  const rows = db.selectFrom("schedules").select("id").where("team_id", "=", team_id).where("layout_id", "=", layout_id);
  return (await rows.where("deleted_at", "is", null).limit(1).executeTakeFirst()) !== undefined;
}
