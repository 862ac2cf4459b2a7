// Operations for calendars: named lists of dates that conditions of schedules and items refer to.
import { z } from "zod";
import { contentEvent } from "../../content/content-event.ts";
import type { Clock } from "../../../base/clock.ts";
import { id } from "../../../protocol/common.ts";
import { page } from "../../../protocol/operator/resources.ts";
import { Calendar, CalendarChange, CalendarsQuery, CalendarWithWarnings, NewCalendar } from "../../../protocol/scheduling/calendars.ts";
import { playersUsing } from "../../fleet/players/control-calendars.ts";
import { pageByName } from "../../http/paging.ts";
import { found, ProblemError } from "../../http/problem.ts";
import { concernedPlayers } from "../../publishing/concerned-players.ts";
import { datesIn } from "../calendars/given-dates.ts";
import { playlistsUsing, schedulesUsing, showCalendar } from "../calendars/holiday-calendars.ts";
import type { MakeId } from "../../store/ids.ts";
import type { Db, Store } from "../../store/store.ts";
import type { CalendarRow } from "../../store/tables/content.ts";
import type { PlayerRow } from "../../store/tables/fleet.ts";
import { deleteTeamRow, findTeamRow, insertTeamRow, selectTeamRows, updateTeamRow } from "../../store/tables/team-rows.ts";
import { listNames } from "../../content/operations/playlists.ts";
import type { OperatorContext } from "../../operations/context.ts";
import { NoContent, operationsWith, type Operation } from "../../operations/operation.ts";

interface CalendarDependencies {
  clock: Clock;
  makeId: MakeId;
  store: Store;
}

const params = z.strictObject({ id: id("cal") });
const example = {
  name: "Public holidays",
  dates: [
    { date: "2026-12-25", name: "Christmas Day" },
    { date: "2026-12-26", name: "Boxing Day" },
    { date: "2027-01-01", name: "New Year's Day" },
  ],
};
const imports =
  "Alternatively, `ical` accepts an iCalendar file (RFC 5545): whole days and times, multi-day events, RRULE, RDATE and EXDATE. Times in UTC become days in the file's `X-WR-TIMEZONE`, or in UTC without it. `warnings` lists what was skipped.";

const operation = operationsWith<CalendarDependencies>();

export const calendarOperations: readonly Operation<CalendarDependencies>[] = [
  operation({
    name: "createCalendar",
    tag: "calendars",
    method: "POST",
    path: "/calendars",
    summary: "Create a calendar",
    description: `At most 2,000 dates. A schedule, or an item of a playlist, refers to it with a condition \`{"type": "calendar", "calendar_id": "cal_…", "is_listed": false}\`: except on its dates, or with \`true\` only on them. ${imports}`,
    agent:
      "Use it for dates that several schedules share: public holidays, closing days, match days. For single days of one schedule use its exdates.",
    caller: "operator",
    scope: "schedules:write",
    drafts: true,
    body: NewCalendar,
    example,
    status: 201,
    output: CalendarWithWarnings,
    errors: ["invalid"],
    version,
    async run({ clock, makeId }, { teamId }, { body }, unitOfWork) {
      const now = Math.trunc(clock.now());
      const { dates = [], warnings } = await datesIn(body, now);
      return unitOfWork.write(async (db) => {
        const fields = { id: makeId("cal"), team_id: teamId, name: body.name, dates: JSON.stringify(dates) };
        const row: CalendarRow = { ...fields, created_at: now, updated_at: now };
        await insertTeamRow(db, "calendars", row);
        return { result: { ...showCalendar(row), warnings }, events: [contentEvent("calendar.created", row)] };
      });
    },
  }),
  operation({
    name: "listCalendars",
    tag: "calendars",
    method: "GET",
    path: "/calendars",
    summary: "List calendars",
    description: "Newest first.",
    caller: "operator",
    scope: "schedules:read",
    drafts: true,
    query: CalendarsQuery,
    status: 200,
    output: page(Calendar),
    errors: ["invalid"],
    run: ({ store }, { teamId }, { query }) => pageByName(selectTeamRows(store.db, "calendars", teamId), query, showCalendar),
  }),
  operation({
    name: "getCalendar",
    tag: "calendars",
    method: "GET",
    path: "/calendars/{id}",
    summary: "Read a calendar",
    description: "Use its ETag as `If-Match` of a change.",
    caller: "operator",
    scope: "schedules:read",
    drafts: true,
    params,
    status: 200,
    output: Calendar,
    errors: ["not-found"],
    version: (calendar) => calendar,
    run: (dependencies, context, input) => read(dependencies, context, input.params),
  }),
  operation({
    name: "updateCalendar",
    tag: "calendars",
    method: "PATCH",
    path: "/calendars/{id}",
    summary: "Change a calendar",
    description: `Omitted fields stay unchanged; \`dates\` or \`ical\` replaces all dates. The change applies at once to all players whose schedules, items, display hours or recurring commands refer to it. ${imports}`,
    agent: "Use it to add the coming year: read it first, then send all dates, also the unchanged ones, with if_match.",
    caller: "operator",
    scope: "schedules:write",
    drafts: true,
    params,
    body: CalendarChange,
    example: { dates: example.dates },
    status: 200,
    output: CalendarWithWarnings,
    errors: ["not-found", "invalid", "precondition-failed"],
    version,
    current: read,
    async run({ clock }, { teamId }, { params: { id: calendarId }, body }, unitOfWork) {
      const now = Math.trunc(clock.now());
      const { dates, warnings } = await datesIn(body, now);
      return unitOfWork.write(async (db) => {
        const row = found(await find(db, teamId, calendarId), "calendar");
        const next = { ...row, name: body.name ?? row.name, dates: dates === undefined ? row.dates : JSON.stringify(dates) };
        if (next.name === row.name && next.dates === row.dates) return { result: { ...showCalendar(row), warnings } };
        const written: CalendarRow = { ...next, updated_at: now };
        await updateTeamRow(db, "calendars", row.id, written);
        const affected = await concernedPlayers(db, teamId, [{ kind: "calendar", id: row.id }]);
        return { result: { ...showCalendar(written), warnings }, affected, events: [contentEvent("calendar.updated", written)] };
      });
    },
  }),
  operation({
    name: "deleteCalendar",
    tag: "calendars",
    method: "DELETE",
    path: "/calendars/{id}",
    summary: "Delete a calendar",
    description:
      "Deletes it for good. Rejected while a schedule, an item of a playlist or a player's settings refer to it, also in the bin, since they may be restored.",
    agent: "Use it for calendars that no schedule, no item and no player's settings refer to.",
    caller: "operator",
    scope: "schedules:write",
    drafts: true,
    params,
    status: 204,
    output: NoContent,
    errors: ["not-found", "in-use", "precondition-failed"],
    current: read,
    async run(_dependencies, { teamId }, { params: { id: calendarId } }, unitOfWork) {
      await unitOfWork.write(async (db) => {
        const row = found(await find(db, teamId, calendarId), "calendar");
        checkUnused("Schedules", await schedulesUsing(db, teamId, row.id));
        checkUnused("Items of playlists", await playlistsUsing(db, teamId, row.id));
        checkUnusedByPlayers(await playersUsing(db, teamId, row.id));
        await deleteTeamRow(db, "calendars", row.id);
        return { result: undefined, events: [contentEvent("calendar.deleted", row)] };
      });
    },
  }),
];

/** @throws ProblemError 409 naming the schedules or playlists with conditions that use the calendar. */
function checkUnused(what: string, users: readonly { id: string; name: string; deleted_at: number | null }[]): void {
  const live = users.filter(({ deleted_at }) => deleted_at === null);
  if (live.length > 0) {
    throw new ProblemError("in-use", `${what} use this calendar: ${listNames(live)}. Remove the condition from them first, or delete them`);
  }
  if (users.length > 0) {
    const detail = `${what} in the bin use this calendar: ${listNames(users)}. Delete them for good first (?permanent=true)`;
    throw new ProblemError("in-use", detail);
  }
}

/** @throws ProblemError 409 naming the players whose display hours or recurring commands use the calendar. */
function checkUnusedByPlayers(players: readonly PlayerRow[]): void {
  const live = players.filter(({ removed_at }) => removed_at === null);
  if (live.length > 0) {
    const detail = `Display hours or recurring commands of screens use this calendar: ${listNames(live)}. Remove it from their settings first`;
    throw new ProblemError("in-use", detail);
  }
  if (players.length > 0) {
    const detail = `Settings of screens in the bin use this calendar: ${listNames(players)}. Delete them for good first (?permanent=true)`;
    throw new ProblemError("in-use", detail);
  }
}

/** The part that the ETag covers: not the warnings of an import. */
function version({ warnings: _warnings, ...calendar }: CalendarWithWarnings): Calendar {
  return calendar;
}

async function read({ store }: CalendarDependencies, { teamId }: OperatorContext, { id: calendarId }: { id: string }): Promise<Calendar> {
  return showCalendar(found(await find(store.db, teamId, calendarId), "calendar"));
}

function find(db: Db, teamId: string, calendarId: string) {
  return findTeamRow(db, "calendars", teamId, calendarId);
}
