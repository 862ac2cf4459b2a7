// Calendars as they are stored, and the schedules that ask for them.
import { z } from "zod";
import { CalendarDate, type Calendar } from "../../protocol/scheduling/calendars.ts";
import type { Condition } from "../../protocol/scheduling/schedules.ts";
import { digestOf } from "../store/canonical-json.ts";
import type { Db } from "../store/store.ts";
import type { CalendarRow, ScheduleRow } from "../store/tables.ts";

/** A calendar's days, without what people call them. */
export interface CalendarDays {
  id: string;
  name: string;
  dates: readonly string[];
  /** Of the dates. */
  digest: string;
}

const Timing = z.object({ conditions: z.array(z.looseObject({ type: z.string(), calendar_id: z.string().optional() })).default([]) });

/** The dates as they were stored. */
function parseDates(json: string): CalendarDate[] {
  return CalendarDate.array().parse(JSON.parse(json));
}

/** The calendar as REST shows it. */
export function showCalendar(row: CalendarRow): Calendar {
  return {
    id: row.id,
    name: row.name,
    dates: parseDates(row.dates),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  };
}

/** The calendars that conditions name, each once. */
function calendarIdsOf(conditions: readonly Condition[]): string[] {
  return [...new Set(conditions.flatMap((condition) => (condition.type === "calendar" ? condition.calendar_id : [])))];
}

// A change of a team's schedule is looked at for each of ten thousand players: a row is read once for all of them.
const known = new WeakMap<ScheduleRow, readonly string[]>();

/** The calendars that a stored schedule names. */
export function calendarIdsIn(row: ScheduleRow): readonly string[] {
  if (!row.timing.includes('"cal_')) return [];
  let ids = known.get(row);
  if (ids === undefined) {
    const { conditions } = Timing.parse(JSON.parse(row.timing));
    ids = conditions.flatMap(({ type, calendar_id: id }) => (type === "calendar" && id !== undefined ? id : []));
    known.set(row, ids);
  }
  return ids;
}

/** All calendars of a team by id. */
export async function readCalendars(db: Db, teamId: string): Promise<ReadonlyMap<string, CalendarDays>> {
  const rows = await db.selectFrom("calendars").select(["id", "name", "dates"]).where("team_id", "=", teamId).execute();
  return daysOf(rows);
}

/** The calendars of a team that conditions name, by id. One that there is not is left out. */
export async function calendarsFor(db: Db, teamId: string, conditions: readonly Condition[]): Promise<ReadonlyMap<string, CalendarDays>> {
  const ids = calendarIdsOf(conditions);
  if (ids.length === 0) return new Map();
  const rows = db.selectFrom("calendars").select(["id", "name", "dates"]).where("team_id", "=", teamId).where("id", "in", ids);
  return daysOf(await rows.execute());
}

/** The schedules that ask for a calendar, those in the bin too: they may come back. */
export async function schedulesUsing(db: Db, teamId: string, calendarId: string): Promise<ScheduleRow[]> {
  // The text finds candidates quickly on both engines; the parsed conditions decide.
  const rows = await db
    .selectFrom("schedules")
    .selectAll()
    .where("team_id", "=", teamId)
    .where("timing", "like", `%${calendarId}%`)
    .execute();
  return rows.filter((row) => calendarIdsIn(row).includes(calendarId));
}

function daysOf(rows: readonly Pick<CalendarRow, "id" | "name" | "dates">[]): ReadonlyMap<string, CalendarDays> {
  return new Map(
    rows.map((row) => {
      const dates = parseDates(row.dates).map(({ date }) => date);
      return [row.id, { id: row.id, name: row.name, dates, digest: digestOf(dates) }];
    }),
  );
}
