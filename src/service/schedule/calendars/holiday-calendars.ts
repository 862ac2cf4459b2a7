// Stored calendars, and the schedules and playlists that refer to them.
import { z } from "zod";
import { iso } from "../../../base/time.ts";
import { calendarIdsOfItems } from "../../../protocol/content/items.ts";
import { CalendarDate, type Calendar } from "../../../protocol/scheduling/calendars.ts";
import { calendarIdsOf, type Condition } from "../../../protocol/scheduling/conditions.ts";
import { parseItems } from "../../content/content-columns.ts";
import { digestOf } from "../../store/canonical-json.ts";
import { inChunks } from "../../store/chunks.ts";
import type { Db } from "../../store/store.ts";
import type { CalendarRow, PlaylistRow, ScheduleRow } from "../../store/tables/content.ts";

/** A calendar without the names of its days. */
export interface CalendarDays {
  id: string;
  name: string;
  dates: readonly string[];
  /** A hash of the dates. */
  digest: string;
}

const Timing = z.object({ conditions: z.array(z.looseObject({ type: z.string(), calendar_id: z.string().optional() })).default([]) });

function parseDates(json: string): CalendarDate[] {
  return CalendarDate.array().parse(JSON.parse(json));
}

/** The calendar as the API returns it. */
export function showCalendar(row: CalendarRow): Calendar {
  return {
    id: row.id,
    name: row.name,
    dates: parseDates(row.dates),
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  };
}

// A change to a team's schedule is checked for each of ten thousand players: parse a row once for all of them.
const idsByRow = new WeakMap<ScheduleRow, readonly string[]>();

/** The calendars that a stored schedule refers to. */
export function calendarIdsIn(row: ScheduleRow): readonly string[] {
  if (!row.timing.includes('"cal_')) return [];
  let ids = idsByRow.get(row);
  if (ids === undefined) {
    const { conditions } = Timing.parse(JSON.parse(row.timing));
    ids = conditions.flatMap(({ type, calendar_id: id }) => (type === "calendar" && id !== undefined ? id : []));
    idsByRow.set(row, ids);
  }
  return ids;
}

/** All calendars of a team, by id. */
export async function readCalendars(db: Db, teamId: string): Promise<ReadonlyMap<string, CalendarDays>> {
  const rows = await db.selectFrom("calendars").select(["id", "name", "dates"]).where("team_id", "=", teamId).execute();
  return daysOf(rows);
}

/** The calendars of a team that conditions refer to, by id. Calendars that do not exist are left out. */
export function calendarsFor(db: Db, teamId: string, conditions: readonly Condition[]): Promise<ReadonlyMap<string, CalendarDays>> {
  return calendarsById(db, teamId, calendarIdsOf(conditions));
}

/** These calendars of a team, by id. Those that do not exist are left out. */
export async function calendarsById(db: Db, teamId: string, ids: readonly string[]): Promise<ReadonlyMap<string, CalendarDays>> {
  const rows: Pick<CalendarRow, "id" | "name" | "dates">[] = [];
  for (const chunk of inChunks(ids)) {
    const found = db.selectFrom("calendars").select(["id", "name", "dates"]).where("team_id", "=", teamId).where("id", "in", chunk);
    rows.push(...(await found.execute()));
  }
  return daysOf(rows);
}

/** The errors of conditions below `pointer` that name a calendar which is not one of `calendars`. */
export function missingCalendars(
  conditions: readonly Condition[],
  calendars: ReadonlyMap<string, unknown>,
  pointer: string,
): { pointer: string; detail: string }[] {
  return conditions.flatMap((condition, index) =>
    condition.type !== "calendar" || calendars.has(condition.calendar_id)
      ? []
      : [{ pointer: `${pointer}/conditions/${index}/calendar_id`, detail: "there is no such calendar: GET /calendars lists the ids" }],
  );
}

/** The schedules that refer to a calendar, also those in the bin, since they may be restored. */
export async function schedulesUsing(db: Db, teamId: string, calendarId: string): Promise<ScheduleRow[]> {
  // A text search finds candidates fast on both databases; the parsed conditions decide.
  const rows = await db
    .selectFrom("schedules")
    .selectAll()
    .where("team_id", "=", teamId)
    .where("timing", "like", `%${calendarId}%`)
    .execute();
  return rows.filter((row) => calendarIdsIn(row).includes(calendarId));
}

/** The playlists with items that refer to a calendar, also those in the bin, since they may be restored. */
export async function playlistsUsing(db: Db, teamId: string, calendarId: string): Promise<PlaylistRow[]> {
  const rows = await db
    .selectFrom("playlists")
    .selectAll()
    .where("team_id", "=", teamId)
    .where("items", "like", `%${calendarId}%`)
    .execute();
  return rows.filter((row) => calendarIdsOfItems(parseItems(row.items)).includes(calendarId));
}

/** The dates of calendars by id, as windows are computed with. */
export function datesByCalendar(calendars: ReadonlyMap<string, CalendarDays>): ReadonlyMap<string, readonly string[]> {
  return new Map([...calendars.values()].map(({ id, dates }) => [id, dates]));
}

function daysOf(rows: readonly Pick<CalendarRow, "id" | "name" | "dates">[]): ReadonlyMap<string, CalendarDays> {
  return new Map(
    rows.map((row) => {
      const dates = parseDates(row.dates).map(({ date }) => date);
      return [row.id, { id: row.id, name: row.name, dates, digest: digestOf(dates) }];
    }),
  );
}
