// Computes the outlook of a schedule: its summary, its next window, how many screens it is for, and warnings.
import { dayMs, iso } from "../../../base/time.ts";
import type { ScheduleOutlook, ScheduleWarning, Schedule } from "../../../protocol/scheduling/schedules.ts";
import type { Interval } from "../../../schedule/calendar/intervals.ts";
import { windowAfter } from "../../../schedule/calendar/windows.ts";
import type { LastingIntervention } from "../../../schedule/interventions.ts";
import type { Clock } from "../../../base/clock.ts";
import type { DesiredStates } from "../../fleet/state/desired-states.ts";
import type { Presence } from "../../fleet/presence/presence.ts";
import type { Db } from "../../store/store.ts";
import type { PlayerRow } from "../../store/tables/fleet.ts";
import { confirmedInterventions } from "../forecast/confirmed-interventions.ts";
import { forecastFor } from "../forecast/forecast.ts";
import { calendarsFor, datesByCalendar } from "../calendars/holiday-calendars.ts";
import { describeSchedule } from "./summary.ts";
import { calendarWarnings, conditionWarnings, exdateWarnings, targetWarnings, windowWarnings } from "./warnings.ts";
import { targetedPlayers } from "../schedules.ts";

export interface OutlookDependencies {
  clock: Clock;
  desired: DesiredStates;
  presence: Presence;
}

// Forecast only few screens and windows: a write must not wait for a fleet.
const maxForecastScreens = 2;
const maxForecastWindows = 3;
// Warnings about a part without effect; the schedule still plays.
const harmless: readonly ScheduleWarning["code"][] = ["exdate-unused", "calendar-ended", "no-screens"];

/** The outlook of a schedule. `db` may be a transaction that is still open. */
export async function outlookOf(services: OutlookDependencies, db: Db, teamId: string, schedule: Schedule): Promise<ScheduleOutlook> {
  const now = Math.trunc(services.clock.now());
  const players = await targetedPlayers(db, teamId, [schedule.target]);
  const calendars = await calendarsFor(db, teamId, schedule.conditions);
  const summary = describeSchedule(schedule, calendars);
  if (!schedule.enabled) {
    const warnings = [{ code: "disabled" as const, message: "it is switched off: it plays nowhere", field: "/enabled" }];
    return { ...schedule, summary: `Off: ${summary}`, next_at: null, screens: players.length, warnings };
  }
  const timeZone = timeZoneOf(services, players[0]);
  const dates = datesByCalendar(calendars);
  const next = windowAfter(schedule, timeZone, now, dates);
  const warnings: ScheduleWarning[] = [
    ...(next === null ? windowWarnings(schedule, timeZone, now, calendars) : []),
    ...calendarWarnings(schedule, now, calendars),
    ...conditionWarnings(schedule.conditions),
    ...exdateWarnings(schedule),
    ...(await targetWarnings(db, teamId, schedule.target, players)),
  ];
  if (next !== null && warnings.every(({ code }) => harmless.includes(code))) {
    warnings.push(...(await outrankedWarnings(services, db, schedule, players.slice(0, maxForecastScreens), next, dates)));
  }
  const next_at = next === null ? null : iso(next.from);
  return { ...schedule, summary, next_at, screens: players.length, warnings };
}

/** The time zone of a player: its own, else that of its device. UTC without a player. */
export function timeZoneOf({ presence }: Pick<OutlookDependencies, "presence">, player: PlayerRow | undefined): string {
  if (player === undefined) return "UTC";
  const { timezone } = JSON.parse(player.reported) as { timezone: string };
  return player.timezone ?? presence.latest(player.id)?.heartbeat.timezone ?? timezone;
}

/** The interventions in force on a player. */
export async function interventionsOf(
  { presence }: Pick<OutlookDependencies, "presence">,
  db: Db,
  player: PlayerRow,
): Promise<LastingIntervention[]> {
  const variables = JSON.parse(player.variables) as Record<string, string | number | boolean>;
  return confirmedInterventions(db, player.id, variables, presence.latest(player.id));
}

/** Warns if the schedule does not win on any of some screens in any of its next windows. */
async function outrankedWarnings(
  services: OutlookDependencies,
  db: Db,
  schedule: Schedule,
  players: readonly PlayerRow[],
  next: Interval,
  dates: ReadonlyMap<string, readonly string[]>,
): Promise<ScheduleWarning[]> {
  // The values of variables and the tags at that time are unknown.
  if (players.length === 0 || schedule.conditions.some(({ type }) => type === "variable" || type === "tag")) return [];
  const winners = new Set<string>();
  for (const player of players) {
    const desired = await services.desired.readInTransaction(db, player);
    const timeZone = timeZoneOf(services, player);
    let window: Interval | null = next;
    for (let count = 0; count < maxForecastWindows && window !== null; count += 1) {
      const from = Math.max(window.from, services.clock.now());
      const until = Math.min(window.until, from + dayMs);
      for (const { by } of await forecastFor(desired, [], timeZone, from, until)) {
        if (by === schedule.id) return [];
        winners.add(by);
      }
      window = Number.isFinite(window.until) ? windowAfter(schedule, timeZone, window.until, dates) : null;
    }
  }
  const names = [...winners].slice(0, 3).join(", ");
  const message = `in its next windows other schedules play instead, for example on “${players[0]!.name}”: ${names}. Give it a higher priority`;
  return [{ code: "outranked", message, field: "/priority" }];
}
