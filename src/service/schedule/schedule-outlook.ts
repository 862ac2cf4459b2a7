// What comes of a schedule: its next window, its screens, and what about it was hardly meant.
import { dayOf, daysBetween } from "../../schedule/calendar/recurrence.ts";
import { parseRule } from "../../schedule/calendar/rrule.ts";
import {
  momentOf,
  recurrenceOf,
  type Condition,
  type Schedule,
  type ScheduleOutlook,
  type ScheduleTarget,
  type ScheduleWarning,
} from "../../protocol/scheduling/schedules.ts";
import type { Calendar, LiveWindow, WindowTiming } from "./calendar.ts";
import { confirmedInterventions } from "./confirmed-interventions.ts";
import { calendarsFor, type CalendarDays } from "./holiday-calendars.ts";
import type { Clock } from "../../base/clock.ts";
import type { DesiredStates } from "../fleet/desired-states.ts";
import type { Presence } from "../fleet/presence.ts";
import type { Foretell } from "./forecast.ts";
import { targetedPlayers, flattenTarget } from "./schedules.ts";
import { describeSchedule } from "./schedule-summary.ts";
import type { Db } from "../store/store.ts";
import type { PlayerRow } from "../store/tables.ts";
import { noPlayerHasTagMessage } from "../fleet/targets.ts";

export interface OutlookDependencies {
  calendar: Calendar;
  clock: Clock;
  desired: DesiredStates;
  foretell: Foretell;
  presence: Presence;
}

const dayMs = 86_400_000;
// Whether a schedule is outranked is looked up on a few screens, in a few windows: a write is not to wait for a fleet.
const maxScreens = 2;
const maxWindows = 3;
// No zone is further behind UTC.
const furthestBehindMs = 12 * 3_600_000;
// These say that part of a schedule has no effect; it plays all the same.
const harmless: readonly ScheduleWarning["code"][] = ["exdate-unused", "calendar-ended", "no-screens"];

type Calendars = ReadonlyMap<string, CalendarDays>;

/** A schedule as an answer shows it. `db` may be a transaction that is still open. */
export async function outlookOf(parts: OutlookDependencies, db: Db, teamId: string, schedule: Schedule): Promise<ScheduleOutlook> {
  const { calendar, clock } = parts;
  const now = clock.now();
  const players = await targetedPlayers(db, teamId, [schedule.target]);
  const zone = timeZoneOf(parts, players[0]);
  const calendars = await calendarsFor(db, teamId, schedule.conditions);
  const summary = describeSchedule(schedule, calendars);
  if (!schedule.enabled) {
    const warnings = [{ code: "disabled" as const, message: "it is switched off: it plays nowhere", field: "/enabled" }];
    return { ...schedule, summary: `Off: ${summary}`, next_at: null, screens: players.length, warnings };
  }
  const next = await calendar.windowAfter(schedule, zone, now, datesByCalendar(calendars));
  const warnings: ScheduleWarning[] = [
    ...(await ofTimes(parts, schedule, zone, now, next, calendars)),
    ...endedCalendars(schedule, now, calendars),
    ...excluding(schedule.conditions),
    ...unusedExdates(schedule),
    ...(await withoutScreens(db, teamId, schedule.target, players)),
  ];
  if (next !== null && warnings.every(({ code }) => harmless.includes(code))) {
    warnings.push(...(await outranked(parts, db, schedule, players.slice(0, maxScreens), next, datesByCalendar(calendars))));
  }
  const next_at = next === null ? null : new Date(next.from).toISOString();
  return { ...schedule, summary, next_at, screens: players.length, warnings };
}

/** The zone by whose clock a player without one of its own plays. */
export function timeZoneOf({ presence }: Pick<OutlookDependencies, "presence">, player: PlayerRow | undefined): string {
  if (player === undefined) return "UTC";
  const { timezone } = JSON.parse(player.reported) as { timezone: string };
  return player.timezone ?? presence.latest(player.id)?.heartbeat.timezone ?? timezone;
}

/** Which parts of a target mean no player. */
async function withoutScreens(db: Db, teamId: string, target: ScheduleTarget, players: readonly PlayerRow[]): Promise<ScheduleWarning[]> {
  const known = new Set(players.flatMap(({ tags }) => JSON.parse(tags) as string[]));
  const warnings: ScheduleWarning[] = [];
  for (const [index, one] of flattenTarget(target).entries()) {
    if (one.type !== "tag" || known.has(one.tag)) continue;
    const field = target.type === "any" ? `/target/of/${index}` : "/target";
    warnings.push({ code: "no-screens", message: await noPlayerHasTagMessage(db, teamId, one.tag), field });
  }
  if (warnings.length > 0 || players.length > 0) return warnings;
  return [{ code: "no-screens", message: "no player is meant by its target", field: "/target" }];
}

/** Why no window is left. */
async function ofTimes(
  { calendar }: OutlookDependencies,
  schedule: Schedule,
  zone: string,
  now: number,
  next: LiveWindow | null,
  calendars: Calendars,
): Promise<ScheduleWarning[]> {
  if (next !== null) return [];
  const dates = datesByCalendar(calendars);
  const plain: WindowTiming = { ...schedule, conditions: [] };
  // A day is more than zones are apart.
  const begins = momentOf(schedule.starts_at)!.at - dayMs;
  const last = schedule.rrule === null ? "/ends_at" : "/rrule";
  if ((await calendar.windowAfter(plain, zone, begins, dates)) === null) {
    const message = "all of it lies in the hour that a clock change leaves out: it never begins";
    return [{ code: "clock-gap", message, field: "/starts_at" }];
  }
  if ((await calendar.windowAfter(plain, zone, now, dates)) === null) {
    return [{ code: "past", message: "all of its windows are over: it does not play again", field: last }];
  }
  const unlisted = withoutDates(schedule.conditions, now, calendars);
  if (unlisted.length > 0) return unlisted;
  const message = "its conditions of dates and times leave nothing of its windows: it never plays";
  const wasOnce = (await calendar.windowAfter(schedule, zone, begins, dates)) !== null;
  if (wasOnce)
    return [{ code: "past", message: "what its conditions leave of its windows is over: it does not play again", field: "/conditions" }];
  return [{ code: "conditions-exclude", message, field: "/conditions" }];
}

/** Calendars on whose dates alone it plays, and that have none left. */
function withoutDates(conditions: readonly Condition[], now: number, calendars: Calendars): ScheduleWarning[] {
  return endedOf(conditions, true, now, calendars).map(({ name, last, field }) =>
    last === undefined
      ? { code: "conditions-exclude", message: `its calendar “${name}” lists no date: it never plays. Add dates to the calendar`, field }
      : { code: "past", message: `its calendar “${name}” ends with ${last}: it does not play again. Add the coming dates`, field },
  );
}

/** Calendars except on whose dates it plays, and that have none left: mostly somebody forgot the next year. */
function endedCalendars({ conditions }: Schedule, now: number, calendars: Calendars): ScheduleWarning[] {
  return endedOf(conditions, false, now, calendars).map(({ name, last, field }) => {
    const ends = last === undefined ? "lists no date" : `ends with ${last}`;
    return { code: "calendar-ended", message: `its calendar “${name}” ${ends}: it keeps nothing off. Add the coming dates`, field };
  });
}

function endedOf(conditions: readonly Condition[], isListed: boolean, now: number, calendars: Calendars) {
  const today = new Date(now - furthestBehindMs).toISOString().slice(0, 10);
  return conditions.flatMap((condition, index) => {
    if (condition.type !== "calendar" || condition.is_listed !== isListed) return [];
    const { name, dates } = calendars.get(condition.calendar_id) ?? { name: "", dates: [] };
    const last = dates.at(-1);
    return last === undefined || last < today ? [{ name, last, field: `/conditions/${index}/calendar_id` }] : [];
  });
}

/** The dates of calendars, as windows are asked with. */
export function datesByCalendar(calendars: Calendars): ReadonlyMap<string, readonly string[]> {
  return new Map([...calendars.values()].map(({ id, dates }) => [id, dates]));
}

/** Conditions of tags and variables that never hold together. */
function excluding(conditions: readonly Condition[]): ScheduleWarning[] {
  const warnings: ScheduleWarning[] = [];
  for (const [index, condition] of conditions.entries()) {
    const other = conditions.slice(0, index).find((before) => exclude(before, condition));
    if (other === undefined) continue;
    const at = conditions.indexOf(other);
    const message = `cannot hold together with /conditions/${at}: it never plays`;
    warnings.push({ code: "conditions-exclude", message, field: `/conditions/${index}` });
  }
  return warnings;
}

function exclude(a: Condition, b: Condition): boolean {
  if (a.type === "tag" && b.type === "tag") return a.tag === b.tag && a.is_present !== b.is_present;
  if (a.type !== "variable" || b.type !== "variable" || a.name !== b.name) return false;
  if (a.op === "equals") return !holds(b, a.value);
  if (b.op === "equals") return !holds(a, b.value);
  const [least, most] = a.op === "at_least" ? [a, b] : [b, a];
  return least.op === "at_least" && most.op === "at_most" && least.value > most.value;
}

function holds({ op, value: wanted }: Condition & { type: "variable" }, value: string | number | boolean): boolean {
  if (op === "equals") return value === wanted;
  if (op === "not_equals") return value !== wanted;
  if (typeof value !== "number" || typeof wanted !== "number") return false;
  return op === "at_least" ? value >= wanted : value <= wanted;
}

/** Days that are excepted though no window begins on them. */
function unusedExdates({ starts_at, rrule, exdates, timezone }: Schedule): ScheduleWarning[] {
  const start = momentOf(starts_at)!;
  // Which day an instant is on is known only where the zone is.
  if (rrule !== null && start.isUtc && timezone !== "UTC") return [];
  const recurrence = rrule === null ? null : recurrenceOf(parseRule(rrule), start.at, []);
  return exdates.flatMap((date, index): ScheduleWarning[] => {
    const day = dayOf(momentOf(`${date}T00:00`)!.at);
    if (recurrence !== null && daysBetween(recurrence, day, day).length > 0) return [];
    const message = rrule === null ? "has no effect without rrule" : `no window begins on ${date}: it has no effect`;
    return [{ code: "exdate-unused", message, field: `/exdates/${index}` }];
  });
}

/** Whether on none of some screens, in none of its next windows, it is what plays. */
async function outranked(
  parts: OutlookDependencies,
  db: Db,
  schedule: Schedule,
  players: readonly PlayerRow[],
  next: LiveWindow,
  dates: ReadonlyMap<string, readonly string[]>,
): Promise<ScheduleWarning[]> {
  const { calendar, clock, desired, foretell } = parts;
  // Whether a variable has its value by then nobody knows.
  if (schedule.conditions.some(({ type }) => type === "variable" || type === "tag")) return [];
  const winners = new Set<string>();
  for (const player of players) {
    const state = await desired.readInTransaction(db, player);
    const zone = timeZoneOf(parts, player);
    let window: LiveWindow | null = next;
    for (let count = 0; count < maxWindows && window !== null; count += 1) {
      const from = Math.max(window.from, clock.now());
      const until = Math.min(window.until, from + dayMs);
      for (const { by } of await foretell(state, [], zone, from, until)) {
        if (by === schedule.id) return [];
        winners.add(by);
      }
      window = Number.isFinite(window.until) ? await calendar.windowAfter(schedule, zone, window.until, dates) : null;
    }
  }
  if (players.length === 0) return [];
  const names = [...winners].slice(0, 3).join(", ");
  const message = `in its next windows other schedules play instead, on “${players[0]!.name}” for one: ${names}. Give it a higher priority`;
  return [{ code: "outranked", message, field: "/priority" }];
}

/** What holds on a player for a question of why. */
export async function interventionsOf(parts: OutlookDependencies, db: Db, player: PlayerRow): ReturnType<typeof confirmedInterventions> {
  const given = JSON.parse(player.variables) as Record<string, string | number | boolean>;
  return confirmedInterventions(db, player.id, given, parts.presence.latest(player.id));
}
