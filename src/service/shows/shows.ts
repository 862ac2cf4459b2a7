// Shows as they are stored: their window, the players they are for, what they made, and how that is cleared away.
import { isDate, parseMoment } from "../../protocol/scheduling/moments.ts";
import type { OneTarget, Schedule, ScheduleTarget } from "../../protocol/scheduling/schedules.ts";
import { endMomentOf } from "../../schedule/calendar/moments.ts";
import { windowAfter } from "../../schedule/calendar/windows.ts";
import { validateSchedule } from "../../schedule/validate-schedule.ts";
import type { NewShow, ShowEntry } from "../../protocol/operator/shows.ts";
import { discard } from "../cleanup/bin.ts";
import { layoutsShowing, playersShowing } from "../fleet/state/players-showing.ts";
import { parseZones } from "../content/content-columns.ts";
import type { NewEvent } from "../events/event-journal.ts";
import { findPlayerByIdOrName } from "../fleet/named-players.ts";
import type { Change, Parts } from "../operations/operation.ts";
import { invalidField, invalidFields } from "../http/problem.ts";
import { findTeamRow } from "../store/team-rows.ts";
import { timeZoneOf } from "../schedule/schedule-outlook.ts";
import { deleteExpiredOverrides } from "../schedule/overrides.ts";
import { targetedPlayers, showSchedule, targetOf } from "../schedule/schedules.ts";
import type { Db } from "../store/store.ts";
import type { PlayerRow, ScheduleRow, ShowRow } from "../store/tables.ts";

/** A show's window, as its schedule has it. */
export interface ShowWindow {
  starts_at: string;
  ends_at: string | null;
  timezone: string | null;
  /** By when it is over in every zone, epoch ms; null: open-ended. */
  overAt: number | null;
}

/** What was asked for, as it is kept. */
export type ShowContent = Pick<NewShow, "asset_id" | "url" | "text">;

// No zone is further behind UTC.
const furthestBehindMs = 12 * 3_600_000;
// What is over stays in the lists this long, for who looks what became of it.
const keptAfterEndMs = 86_400_000;

/** When a show is to be. @throws Refusal 422 naming what does not fit together. */
export function showWindow({ from, until, lasts_ms: lastsMs, timezone }: NewShow, now: number): ShowWindow {
  const starts_at = from ?? instant(now);
  const ends_at = lastsMs === undefined ? (until ?? null) : added(starts_at, lastsMs);
  const moment = parseMoment(starts_at);
  const end = ends_at === null ? null : endMomentOf(ends_at);
  if (from === undefined && end !== null && !end.isUtc) {
    throw invalidField(
      "/from",
      "is wanted beside an until in wall time; or give until as an instant such as 2026-11-21T16:00:00Z, or lasts_ms",
    );
  }
  const faults = validateSchedule({ starts_at, ends_at, rrule: null, exdates: [], conditions: [] });
  const words = (text: string) => text.replaceAll("starts_at", "from").replaceAll("ends_at", "until");
  if (faults.length > 0 || moment === null) {
    throw invalidFields(faults.map(({ pointer, detail }) => ({ pointer: words(pointer), detail: words(detail) })));
  }
  const overAt = end === null ? null : end.isUtc ? end.at : end.at + furthestBehindMs;
  if (overAt !== null && overAt <= now) throw invalidField("/until", "has passed already: take a later one");
  return { starts_at, ends_at, timezone: timezone ?? null, overAt };
}

/** The players and tags that a show is for. @throws Refusal 422 naming players that are not there. */
export async function resolveTarget(db: Db, teamId: string, { players = [], tags = [], everywhere }: NewShow): Promise<ScheduleTarget> {
  if (everywhere) return { type: "team" };
  const ids: string[] = [];
  for (const [index, wanted] of players.entries()) ids.push((await findPlayerByIdOrName(db, teamId, wanted, `/players/${index}`)).id);
  const all: OneTarget[] = [
    ...[...new Set(ids)].map((player_id) => ({ type: "player" as const, player_id })),
    ...[...new Set(tags)].map((tag) => ({ type: "tag" as const, tag })),
  ];
  const [first, ...others] = all;
  if (first === undefined) throw invalidField("/players", "give players, tags or both, or everywhere: true alone");
  return others.length === 0 ? first : { type: "any", of: all };
}

/** How large a layout has to be to fill the screens: the size that most of them have, as their pictures stand. */
export function layoutSizeFor(
  parts: Pick<Parts, "presence">,
  players: readonly PlayerRow[],
): { width: number; height: number; others: number } {
  const counts = new Map<string, number>();
  for (const player of players) {
    const size = sizeOf(parts, player);
    if (size !== null) counts.set(size, (counts.get(size) ?? 0) + 1);
  }
  const [most = "1920x1080"] = [...counts].toSorted(([, a], [, b]) => b - a).map(([size]) => size);
  const [width, height] = most.split("x").map(Number) as [number, number];
  const isLike = (size: string) => {
    const [w, h] = size.split("x").map(Number) as [number, number];
    return Math.abs(w / h - width / height) < 0.02;
  };
  const others = [...counts].reduce((sum, [size, count]) => sum + (isLike(size) ? 0 : count), 0);
  return { width, height, others };
}

/** Where a show stands by now. */
export async function showStatus(
  { clock, presence }: Pick<Parts, "clock" | "presence">,
  row: ShowRow,
  schedule: Schedule | null,
  player: PlayerRow | undefined,
): Promise<ShowEntry["status"]> {
  const now = clock.now();
  const isOver = row.ends_at !== null && row.ends_at <= now;
  if (schedule === null || schedule.deleted_at !== null) return isOver ? "over" : "cleared";
  const next = windowAfter(schedule, timeZoneOf({ presence }, player), now, new Map());
  if (next === null) return "over";
  return next.from <= now ? "due" : "planned";
}

/** The schedule that a show made; null: it is gone for good. */
export async function findShowSchedule(db: Db, row: ShowRow): Promise<{ row: ScheduleRow; shown: Schedule; players: PlayerRow[] } | null> {
  const schedule = await findTeamRow(db, "schedules", row.team_id, row.schedule_id);
  if (schedule === undefined) return null;
  return { row: schedule, shown: showSchedule(schedule), players: await targetedPlayers(db, row.team_id, [targetOf(schedule)]) };
}

/**
 * Takes back what a show made: its schedule, and its layout and playlist unless something else shows them by now.
 * @param permanent for good; else into the bin, out of which restoring the schedule brings all three.
 */
export async function clearShow(db: Db, row: ShowRow, now: number, permanent: boolean): Promise<Change<undefined>> {
  const { team_id: teamId } = row;
  const events: NewEvent[] = [];
  const affected: PlayerRow[] = [];
  const schedule = await findShowSchedule(db, row);
  if (schedule !== null && (permanent || schedule.row.deleted_at === null)) {
    const { name, layout_id } = schedule.row;
    await discard(db, "schedules", row.schedule_id, now, permanent);
    affected.push(...schedule.players);
    const players = schedule.players.map(({ id }) => id);
    events.push({ teamId, type: "schedule.deleted", data: { schedule_id: row.schedule_id, name, layout_id }, players });
  }
  await deleteExpiredOverrides(db, teamId, { layout_id: row.layout_id }, now);
  const layout = await findTeamRow(db, "layouts", teamId, row.layout_id);
  const isShown = (await playersShowing(db, teamId, [row.layout_id])).length > 0;
  if (layout !== undefined && !isShown && !(await isScheduled(db, row)) && (permanent || layout.deleted_at === null)) {
    await discard(db, "layouts", layout.id, now, permanent);
    events.push({ teamId, type: "layout.deleted", data: { layout_id: layout.id, name: layout.name }, players: [] });
  }
  const playlist = await findTeamRow(db, "playlists", teamId, row.playlist_id);
  const layouts = await layoutsShowing(db, teamId, row.playlist_id);
  if (playlist !== undefined && layouts.length === 0 && (permanent || playlist.deleted_at === null)) {
    await discard(db, "playlists", playlist.id, now, permanent);
    events.push({ teamId, type: "playlist.deleted", data: { playlist_id: playlist.id, name: playlist.name }, players: [] });
  }
  if (permanent) await db.deleteFrom("shows").where("id", "=", row.id).execute();
  else await db.updateTable("shows").set({ cleared_at: now }).where("id", "=", row.id).execute();
  return { result: undefined, affected, events };
}

/** Shows that have been over for a day and whose things are not in the bin yet. */
export function findFinishedShows(db: Db, now: number): Promise<ShowRow[]> {
  const rows = db.selectFrom("shows").selectAll().where("cleared_at", "is", null);
  return rows
    .where("ends_at", "<", now - keptAfterEndMs)
    .orderBy("ends_at")
    .limit(100)
    .execute();
}

/** Forgets shows whose schedule is gone for good and whose plays are too old to be kept. */
export async function deleteOldShows(db: Db, before: number): Promise<void> {
  // One whose schedule a person deleted for good was never cleared.
  const old = db.deleteFrom("shows").where((row) => row(row.fn.coalesce("cleared_at", "created_at"), "<", before));
  await old.where("schedule_id", "not in", db.selectFrom("schedules").select("id")).execute();
}

/** Whether a person has since changed the schedule so that it plays on: what it shows is theirs then. */
export function isProlonged(schedule: Schedule, now: number): boolean {
  if (schedule.rrule !== null || schedule.ends_at === null) return true;
  const end = endMomentOf(schedule.ends_at);
  return end !== null && end.at + (end.isUtc ? 0 : furthestBehindMs) > now;
}

/** The ids of a layout's zones, by which heartbeats tell what plays. */
export async function zoneIdsOf(db: Db, layoutId: string): Promise<string[]> {
  const layout = await db.selectFrom("layouts").select("zones").where("id", "=", layoutId).executeTakeFirst();
  return layout === undefined ? [] : parseZones(layout.zones).map((zone) => zone.id);
}

/** Whether another schedule shows its layout. */
async function isScheduled(db: Db, { team_id, layout_id }: ShowRow): Promise<boolean> {
  const rows = db.selectFrom("schedules").select("id").where("team_id", "=", team_id).where("layout_id", "=", layout_id);
  return (await rows.where("deleted_at", "is", null).limit(1).executeTakeFirst()) !== undefined;
}

function sizeOf({ presence }: Pick<Parts, "presence">, player: PlayerRow): string | null {
  const reported = JSON.parse(player.reported) as { resolution?: { width: number; height: number } | null };
  const size = presence.latest(player.id)?.heartbeat.resolution ?? reported.resolution;
  if (size === undefined || size === null || size.width < 1 || size.height < 1) return null;
  const isTurned = player.orientation.startsWith("portrait");
  return isTurned ? `${size.height}x${size.width}` : `${size.width}x${size.height}`;
}

function instant(at: number): string {
  return new Date(Math.trunc(at / 1_000) * 1_000).toISOString();
}

/** A moment that much later, of the same kind; of a date, a wall time. */
function added(text: string, spanMs: number): string {
  const moment = parseMoment(isDate(text) ? `${text}T00:00` : text);
  if (moment === null) return text;
  const later = new Date(moment.at + spanMs).toISOString();
  return moment.isUtc ? later : later.slice(0, 19);
}
