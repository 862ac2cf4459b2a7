// Warns about schedules that are valid but never play, or not as intended.
import { dayMs, hourMs, iso } from "../../../base/time.ts";
import type { Condition } from "../../../protocol/scheduling/conditions.ts";
import { parseMoment } from "../../../protocol/scheduling/moments.ts";
import type { Schedule, ScheduleTarget, ScheduleWarning } from "../../../protocol/scheduling/schedules.ts";
import { holdsFor } from "../../../schedule/agenda/player-conditions.ts";
import { midnightOf } from "../../../schedule/calendar/moments.ts";
import { dayOf } from "../../../schedule/calendar/day-numbers.ts";
import { daysBetween, scheduleRecurrence } from "../../../schedule/calendar/recurrence.ts";
import { parseRule } from "../../../schedule/calendar/rrule.ts";
import { floatingClock } from "../../../schedule/calendar/time-zone.ts";
import { windowAfter } from "../../../schedule/calendar/windows.ts";
import { noPlayerHasTagMessage } from "../../fleet/players/targets.ts";
import type { Db } from "../../store/store.ts";
import type { PlayerRow } from "../../store/tables/fleet.ts";
import { datesByCalendar, type CalendarDays } from "../calendars/holiday-calendars.ts";
import { flattenTarget } from "../schedules.ts";

type Calendars = ReadonlyMap<string, CalendarDays>;

// No time zone is further behind UTC.
const maxBehindMs = 12 * hourMs;

/** Why a schedule has no window after `now`. */
export function windowWarnings(schedule: Schedule, timeZone: string, now: number, calendars: Calendars): ScheduleWarning[] {
  const dates = datesByCalendar(calendars);
  const unconditional = { ...schedule, conditions: [] };
  // Time zones are less than a day apart.
  const begins = parseMoment(schedule.starts_at)!.at - dayMs;
  if (windowAfter(unconditional, timeZone, begins, dates) === null) {
    const message = "it lies completely in the hour that a clock change skips: it never begins";
    return [{ code: "clock-gap", message, field: "/starts_at" }];
  }
  if (windowAfter(unconditional, timeZone, now, dates) === null) {
    const message = "all of its windows are over: it does not play again";
    return [{ code: "past", message, field: schedule.rrule === null ? "/ends_at" : "/rrule" }];
  }
  const ended = onlyOnEndedCalendars(schedule.conditions, now, calendars);
  if (ended.length > 0) return ended;
  if (windowAfter(schedule, timeZone, begins, dates) !== null) {
    const message = "all windows that its conditions allow are over: it does not play again";
    return [{ code: "past", message, field: "/conditions" }];
  }
  const message = "its conditions of dates and times exclude all of its windows: it never plays";
  return [{ code: "conditions-exclude", message, field: "/conditions" }];
}

/** Calendars that limit the schedule to their dates and have no coming date. */
function onlyOnEndedCalendars(conditions: readonly Condition[], now: number, calendars: Calendars): ScheduleWarning[] {
  return endedCalendars(conditions, true, now, calendars).map(({ name, last, field }) =>
    last === undefined
      ? { code: "conditions-exclude", message: `its calendar “${name}” lists no date: it never plays. Add dates to the calendar`, field }
      : { code: "past", message: `its calendar “${name}” ends with ${last}: it does not play again. Add the coming dates`, field },
  );
}

/** Calendars whose dates the schedule excludes and that have no coming date: somebody may have forgotten the next year. */
export function calendarWarnings({ conditions }: Schedule, now: number, calendars: Calendars): ScheduleWarning[] {
  return endedCalendars(conditions, false, now, calendars).map(({ name, last, field }) => {
    const ends = last === undefined ? "lists no date" : `ends with ${last}`;
    return { code: "calendar-ended", message: `its calendar “${name}” ${ends}: it excludes nothing. Add the coming dates`, field };
  });
}

function endedCalendars(conditions: readonly Condition[], isListed: boolean, now: number, calendars: Calendars) {
  const today = iso(now - maxBehindMs).slice(0, 10);
  return conditions.flatMap((condition, index) => {
    if (condition.type !== "calendar" || condition.is_listed !== isListed) return [];
    const { name, dates } = calendars.get(condition.calendar_id) ?? { name: "", dates: [] };
    const last = dates.at(-1);
    return last === undefined || last < today ? [{ name, last, field: `/conditions/${index}/calendar_id` }] : [];
  });
}

/** Conditions of tags and variables that can never hold together. */
export function conditionWarnings(conditions: readonly Condition[]): ScheduleWarning[] {
  return conditions.flatMap((condition, index): ScheduleWarning[] => {
    const other = conditions.slice(0, index).findIndex((before) => excludeEachOther(before, condition));
    if (other === -1) return [];
    const message = `cannot hold together with /conditions/${other}: it never plays`;
    return [{ code: "conditions-exclude", message, field: `/conditions/${index}` }];
  });
}

function excludeEachOther(a: Condition, b: Condition): boolean {
  if (a.type === "tag" && b.type === "tag") return a.tag === b.tag && a.is_present !== b.is_present;
  if (a.type !== "variable" || b.type !== "variable" || a.name !== b.name) return false;
  if (a.op === "equals") return !holdsFor(b, a.value);
  if (b.op === "equals") return !holdsFor(a, b.value);
  const [lower, upper] = a.op === "at_least" ? [a, b] : [b, a];
  return lower.op === "at_least" && upper.op === "at_most" && lower.value > upper.value;
}

/** Exdates on which no window begins. */
export function exdateWarnings({ starts_at, rrule, exdates, timezone }: Schedule): ScheduleWarning[] {
  const start = parseMoment(starts_at)!;
  // The day of an instant depends on the player's time zone.
  if (rrule !== null && start.isUtc && timezone !== "UTC") return [];
  const recurrence = rrule === null ? null : scheduleRecurrence(parseRule(rrule), start.at, [], floatingClock);
  return exdates.flatMap((date, index): ScheduleWarning[] => {
    const day = dayOf(midnightOf(date));
    if (recurrence !== null && daysBetween(recurrence, day, day).length > 0) return [];
    const message = rrule === null ? "has no effect without rrule" : `no window begins on ${date}: it has no effect`;
    return [{ code: "exdate-unused", message, field: `/exdates/${index}` }];
  });
}

/** Parts of a target that match no player. */
export async function targetWarnings(
  db: Db,
  teamId: string,
  target: ScheduleTarget,
  players: readonly PlayerRow[],
): Promise<ScheduleWarning[]> {
  const tags = new Set(players.flatMap((player) => JSON.parse(player.tags) as string[]));
  const warnings: ScheduleWarning[] = [];
  for (const [index, one] of flattenTarget(target).entries()) {
    if (one.type !== "tag" || tags.has(one.tag)) continue;
    const field = target.type === "any" ? `/target/of/${index}` : "/target";
    warnings.push({ code: "no-screens", message: await noPlayerHasTagMessage(db, teamId, one.tag), field });
  }
  if (warnings.length > 0 || players.length > 0) return warnings;
  return [{ code: "no-screens", message: "its target matches no screen", field: "/target" }];
}
