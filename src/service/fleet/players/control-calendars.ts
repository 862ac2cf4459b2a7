// The holiday calendars that a player's display hours and recurring commands refer to.
import type { DisplayHours } from "../../../protocol/device/display-hours.ts";
import type { RecurringCommand } from "../../../protocol/device/recurring-commands.ts";
import { invalidField } from "../../http/problem.ts";
import type { Db } from "../../store/store.ts";
import type { PlayerRow } from "../../store/tables/fleet.ts";

type Control = Pick<PlayerRow, "display_hours" | "recurring_commands">;

/** The ids of the calendars that a player's settings refer to. May repeat an id. */
export function controlCalendarIds({ display_hours, recurring_commands }: Control): string[] {
  const hours = display_hours === null ? null : (JSON.parse(display_hours) as DisplayHours);
  const recurring = recurring_commands === "[]" ? [] : (JSON.parse(recurring_commands) as RecurringCommand[]);
  return [...(hours?.exceptions ?? []), ...recurring.flatMap(({ calendar }) => calendar ?? [])].map(({ calendar_id }) => calendar_id);
}

/** The players whose settings refer to a calendar, also those in the bin, since they may be restored. */
export async function playersUsing(db: Db, teamId: string, calendarId: string): Promise<PlayerRow[]> {
  // A text search finds candidates fast on both databases; the parsed settings decide.
  const rows = await db
    .selectFrom("players")
    .selectAll()
    .where("team_id", "=", teamId)
    .where((where) => where.or([where("display_hours", "like", `%${calendarId}%`), where("recurring_commands", "like", `%${calendarId}%`)]))
    .execute();
  return rows.filter((row) => controlCalendarIds(row).includes(calendarId));
}

/** @throws ProblemError 422 if a setting refers to a calendar that the team does not have. */
export async function checkControlCalendars(
  db: Db,
  teamId: string,
  change: { display_hours?: DisplayHours | null | undefined; recurring_commands?: readonly RecurringCommand[] | undefined },
  pointer = "",
): Promise<void> {
  const named = [
    ...(change.display_hours?.exceptions ?? []).map(({ calendar_id }, index) => ({
      calendar_id,
      at: `${pointer}/display_hours/exceptions/${index}/calendar_id`,
    })),
    ...(change.recurring_commands ?? []).flatMap(({ calendar }, index) =>
      calendar === undefined
        ? []
        : [{ calendar_id: calendar.calendar_id, at: `${pointer}/recurring_commands/${index}/calendar/calendar_id` }],
    ),
  ];
  if (named.length === 0) return;
  const ids = named.map(({ calendar_id }) => calendar_id);
  const rows = await db.selectFrom("calendars").select("id").where("team_id", "=", teamId).where("id", "in", ids).execute();
  const known = new Set(rows.map(({ id }) => id));
  const missing = named.find(({ calendar_id }) => !known.has(calendar_id));
  if (missing !== undefined) throw invalidField(missing.at, "there is no such calendar");
}
