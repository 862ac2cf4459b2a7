// The uses of a calendar, and the effect of its change on screens.
import { z } from "zod";
import { id } from "../../../protocol/common.ts";
import { calendarIdsOfItems } from "../../../protocol/content/items.ts";
import { CalendarEffectRequest, CalendarUses, maxUsers } from "../../../protocol/scheduling/calendars.ts";
import { ScheduleEffect } from "../../../protocol/scheduling/timeline.ts";
import { parseItems } from "../../content/content-columns.ts";
import { playersUsing } from "../../fleet/players/control-calendars.ts";
import { found } from "../../http/problem.ts";
import { requireScope } from "../../people/operator.ts";
import { concernedPlayers } from "../../publishing/concerned-players.ts";
import { effectOfTrial } from "../effect/effect.ts";
import { earliestNow } from "../effect/span.ts";
import { datesIn } from "../calendars/given-dates.ts";
import { playlistsUsing, schedulesUsing } from "../calendars/holiday-calendars.ts";
import type { OutlookDependencies } from "../outlook/outlook.ts";
import type { Store } from "../../store/store.ts";
import { findTeamRow, updateTeamRow } from "../../store/tables/team-rows.ts";
import { operationsWith, type Operation } from "../../operations/operation.ts";

interface CalendarUsesDependencies extends OutlookDependencies {
  store: Store;
}

const params = z.strictObject({ id: id("cal") });

const operation = operationsWith<CalendarUsesDependencies>();

export const calendarUsesOperations: readonly Operation<CalendarUsesDependencies>[] = [
  operation({
    name: "getCalendarUses",
    tag: "calendars",
    method: "GET",
    path: "/calendars/{id}/uses",
    summary: "Read where a calendar is used",
    description: "The schedules, items of playlists and settings of players that name the calendar, also those in the bin.",
    agent: "Use it before changing or deleting a calendar.",
    caller: "operator",
    scope: "schedules:read",
    drafts: true,
    params,
    status: 200,
    output: CalendarUses,
    errors: ["not-found"],
    async run({ store: { db } }, { teamId }, { params: { id: calendarId } }) {
      found(await findTeamRow(db, "calendars", teamId, calendarId), "calendar");
      const players = await playersUsing(db, teamId, calendarId);
      return {
        schedules: byName(await schedulesUsing(db, teamId, calendarId)).map((row) => ({ ...named(row), in_bin: row.deleted_at !== null })),
        playlists: byName(await playlistsUsing(db, teamId, calendarId)).map((row) => ({
          ...named(row),
          in_bin: row.deleted_at !== null,
          item_count: parseItems(row.items).filter((item) => calendarIdsOfItems([item]).includes(calendarId)).length,
        })),
        player_count: players.length,
        players: byName(players)
          .slice(0, maxUsers)
          .map((row) => ({ ...named(row), in_bin: row.removed_at !== null })),
      };
    },
  }),
  operation({
    name: "getCalendarEffect",
    tag: "calendars",
    method: "POST",
    path: "/calendars/{id}/effect",
    summary: "Tell what a change of a calendar would do",
    description:
      "Changes the calendar in a trial that changes nothing, and compares what the screens would play before and after it: how many show something else, when first, and which become empty when. Display hours and recurring commands do not count.",
    agent: "Use it before update_calendar on screens that people look at.",
    caller: "operator",
    scope: "schedules:read",
    drafts: true,
    unaudited: true,
    params,
    body: CalendarEffectRequest,
    example: { change: { dates: [{ date: "2026-12-25", name: "Christmas Day" }] } },
    status: 200,
    output: ScheduleEffect,
    errors: ["not-found", "invalid"],
    async run(dependencies, { teamId, operator }, { params: { id: calendarId }, body }, unitOfWork) {
      // It names screens.
      requireScope(operator, "players:read");
      const span = earliestNow(dependencies.clock, body);
      const { dates } = await datesIn(body.change, Math.trunc(dependencies.clock.now()));
      return unitOfWork.write(async (db) => {
        const row = found(await findTeamRow(db, "calendars", teamId, calendarId), "calendar");
        const players = await concernedPlayers(db, teamId, [{ kind: "calendar", id: row.id }]);
        const result = await effectOfTrial(dependencies, db, players, span, async () => {
          if (dates === undefined) return;
          await updateTeamRow(db, "calendars", row.id, { dates: JSON.stringify(dates) });
        });
        return { result };
      });
    },
  }),
];

function named({ id: rowId, name }: { id: string; name: string }): { id: string; name: string } {
  return { id: rowId, name };
}

function byName<T extends { name: string }>(rows: readonly T[]): T[] {
  return rows.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
