// Finds shares of interrupts that exceed the hour: schedules on one player that together want more than 100 % at one time.
import { dayMs } from "../base/time.ts";
import type { Condition } from "../protocol/scheduling/conditions.ts";
import type { Schedule } from "../protocol/scheduling/schedules.ts";
import { conditionCuts, type CalendarDates } from "./calendar/condition-cuts.ts";
import { intersect, joinIntervals, type Interval } from "./calendar/intervals.ts";
import { dayOf } from "./calendar/day-numbers.ts";
import { floatingClock } from "./calendar/time-zone.ts";
import { uncutWindows } from "./calendar/windows.ts";

/** A schedule with an interrupt. */
export type InterruptSchedule = Pick<
  Schedule,
  "name" | "interrupt" | "conditions" | "starts_at" | "ends_at" | "rrule" | "exdates" | "timezone"
>;

/** A schedule and when it is active, in wall times. */
export interface ActiveTimes {
  schedule: InterruptSchedule;
  intervals: readonly Interval[];
}

// Time zones are less than a day apart; every recurrence repeats within a year.
const behindDays = 1;
const aheadDays = 371;

/**
 * True if both schedules use the same clock, so that their wall times can be compared. A schedule that waits for a variable
 * cannot be compared, since variables change.
 */
export function areComparable(a: InterruptSchedule, b: InterruptSchedule): boolean {
  const sameClock = a.timezone === b.timezone && a.starts_at.endsWith("Z") === b.starts_at.endsWith("Z");
  return sameClock && [a, b].every(({ conditions }) => conditions.every(({ type }) => type !== "variable"));
}

/** When a schedule is active from yesterday to a year after `now`. Conditions of tags are ignored. */
export function activeTimesOf(schedule: InterruptSchedule, now: number, calendars: CalendarDates): ActiveTimes {
  const today = dayOf(now);
  const range: Interval = { from: (today - behindDays) * dayMs, until: (today + aheadDays) * dayMs };
  const windows = uncutWindows(schedule, floatingClock).touching(range.from, range.until);
  // Windows longer than their distance overlap: joining them leaves few. A calendar needs the day on which each begins.
  const needsDays = schedule.conditions.some(({ type }) => type === "calendar");
  const dates = new Map(schedule.conditions.flatMap((each) => datesOf(each, calendars)));
  const cuts = conditionCuts(schedule.conditions, floatingClock, dates);
  const cut = cuts.reduce((intervals, each) => each(intervals, range), needsDays ? windows : joinIntervals(windows));
  return { schedule, intervals: cut.flatMap((interval) => intersect(interval, range) ?? []) };
}

/** The sum of the shares of several schedules, in percent. */
export function sumOfShares(schedules: readonly InterruptSchedule[]): number {
  return schedules.reduce((total, { interrupt }) => total + interrupt!.share_percent, 0);
}

/**
 * The first time at which the schedules of one player, `own` among them, exceed the hour, as a text that names them and the
 * share that is left; null if there is none.
 */
export function findShareConflict(own: ActiveTimes, others: readonly ActiveTimes[]): string | null {
  const edges = [own, ...others].flatMap((times) =>
    times.intervals.flatMap(({ from, until }) => [
      { times, at: from, step: 1 },
      { times, at: until, step: -1 },
    ]),
  );
  // A schedule that ends at an instant makes room for one that begins then.
  edges.sort((a, b) => a.at - b.at || a.step - b.step);
  // Windows of one schedule may overlap: it is active until the last of them ends.
  const openWindows = new Map<ActiveTimes, number>();
  let share = 0;
  for (const { times, at, step } of edges) {
    const before = openWindows.get(times) ?? 0;
    const after = before + step;
    if (after === 0) openWindows.delete(times);
    else openWindows.set(times, after);
    if ((before === 0) === (after === 0)) continue;
    share += step * times.schedule.interrupt!.share_percent;
    if (step > 0 && openWindows.has(own) && round(share) > 100) {
      const conflicting = [...openWindows.keys()].filter((other) => other !== own).map(({ schedule }) => schedule);
      return describeConflict(conflicting, share, at);
    }
  }
  return null;
}

function datesOf(condition: Condition, calendars: CalendarDates): [string, readonly string[]][] {
  return condition.type === "calendar" ? [[condition.calendar_id, calendars.get(condition.calendar_id) ?? []]] : [];
}

function describeConflict(conflicting: readonly InterruptSchedule[], share: number, at: number): string {
  const names = conflicting.map(({ name, interrupt }) => `“${name}” (${interrupt!.share_percent} %)`).join(", ");
  const free = Math.max(0, round(100 - sumOfShares(conflicting)));
  const time = new Date(at).toISOString().slice(0, 16);
  return `together with ${names} it is ${round(share)} % of the hour at ${time}: at most ${free} % are left`;
}

function round(percent: number): number {
  return Math.round(10 * percent) / 10;
}
