// Computes the days of a recurrence rule. Arithmetic on day numbers: no time zones, no time of day.
import { midnightOf } from "./moments.ts";
import type { Rule } from "./rrule.ts";
import { floatingClock, type WallClock } from "./time-zone.ts";

/** A rule with its first and its last day, both included. Days are counted from 1970-01-01. */
export interface Recurrence {
  rule: Rule;
  startDay: number;
  lastDay: number;
  /** Days of the rule that are left out (EXDATE). */
  excludedDays: ReadonlySet<number>;
  /** The days of the last months or years that were computed: consecutive questions concern the same ones. */
  cachedPeriods: Map<number, readonly number[]>;
}

const dayMs = 86_400_000;
// 2200-01-01: the end of every search.
const maxDay = 84_006;
// A night at the end of a month needs both months.
const maxCachedPeriods = 2;
// Kiritimati is 14 hours ahead of UTC; no time zone is further ahead.
const maxAheadMs = 14 * 3_600_000;

/** The number of the day of a wall time. */
export function dayOf(wallMs: number): number {
  return Math.floor(wallMs / dayMs);
}

/**
 * The days of a rule whose first window begins at the wall time `start`.
 * @param clock of the schedule's time zone. With the floating clock an UNTIL in UTC includes the days of any time zone.
 */
export function scheduleRecurrence(rule: Rule, start: number, exdates: readonly string[], clock: WallClock): Recurrence {
  const lastDay = lastDayOf(rule, start - dayOf(start) * dayMs, clock);
  return createRecurrence(rule, dayOf(start), lastDay, new Set(exdates.map((date) => dayOf(midnightOf(date)))));
}

/**
 * The days of `rule` from `startDay` on, which itself counts only if the rule names it.
 * @param lastDay the last day that UNTIL allows; COUNT is applied here.
 */
export function createRecurrence(rule: Rule, startDay: number, lastDay: number, excludedDays: ReadonlySet<number>): Recurrence {
  const all: Recurrence = { rule, startDay, lastDay: Math.min(lastDay, maxDay), excludedDays: none, cachedPeriods: new Map() };
  if (rule.count === null) return { ...all, excludedDays };
  let left = rule.count;
  // COUNT includes the excluded days (RFC 5545, section 3.8.5.1).
  const last = findDay(all, startDay, all.lastDay, () => (left -= 1) === 0);
  return { ...all, lastDay: last ?? all.lastDay, excludedDays };
}

/** The days from `from` to `to`, both included, in order. The cost depends on the span, not on how long ago the rule began. */
export function daysBetween(recurrence: Recurrence, from: number, to: number): number[] {
  const found: number[] = [];
  const last = Math.min(to, recurrence.lastDay);
  if (last < from) return found;
  findDay(recurrence, from, last, (day) => {
    if (!recurrence.excludedDays.has(day)) found.push(day);
    return false;
  });
  return found;
}

/** The first day from `from` to `to`; null if there is none. */
export function firstDay(recurrence: Recurrence, from: number, to: number): number | null {
  return findDay(recurrence, from, Math.min(to, recurrence.lastDay), (day) => !recurrence.excludedDays.has(day));
}

const none: ReadonlySet<number> = new Set();

/** The last day whose window begins at UNTIL or before. An UNTIL in UTC is compared as an instant, any other as a wall time. */
function lastDayOf({ until }: Rule, timeOfDay: number, clock: WallClock): number {
  if (until === null) return Number.MAX_SAFE_INTEGER;
  if (!until.isUtc) return dayOf(until.at - timeOfDay);
  if (clock === floatingClock) return dayOf(until.at + maxAheadMs - timeOfDay);
  let day = dayOf(until.at - timeOfDay) + 2;
  while (clock.instantOf(day * dayMs + timeOfDay) > until.at) day -= 1;
  return day;
}

/** The first day of the rule from `from` to `to` for which `matches` is true, ignoring excluded days; null if there is none. */
function findDay(recurrence: Recurrence, from: number, to: number, matches: (day: number) => boolean): number | null {
  const { rule, startDay } = recurrence;
  const first = Math.max(from, startDay);
  const startPeriod = periodOf(rule, startDay);
  const skipped = Math.max(0, periodOf(rule, first) - startPeriod);
  const lastPeriod = periodOf(rule, to);
  let period = startPeriod + Math.ceil(skipped / rule.interval) * rule.interval;
  for (; period <= lastPeriod; period += rule.interval) {
    for (const day of daysIn(recurrence, period)) {
      if (day >= first && day <= to && matches(day)) return day;
    }
  }
  return null;
}

/** The number of the day, week, month or year that holds `day`. */
function periodOf({ frequency, weekStart }: Rule, day: number): number {
  switch (frequency) {
    case "DAILY":
      return day;
    case "WEEKLY":
      return Math.floor((day + 3 - weekStart) / 7);
    case "MONTHLY": {
      const { year, month } = dateOf(day);
      return year * 12 + month;
    }
    case "YEARLY":
      return dateOf(day).year;
  }
}

/** The days of one period in order, after all BY parts: the table of RFC 5545 section 3.3.10. */
function daysIn({ rule, startDay, cachedPeriods }: Recurrence, period: number): readonly number[] {
  const cached = cachedPeriods.get(period);
  if (cached !== undefined) return cached;
  const days = selectPositions(rule, expandPeriod(rule, period, startDay));
  if (rule.frequency === "MONTHLY" || rule.frequency === "YEARLY") {
    if (cachedPeriods.size === maxCachedPeriods) cachedPeriods.clear();
    cachedPeriods.set(period, days);
  }
  return days;
}

/** Applies BYSETPOS. */
function selectPositions({ bySetPos }: Rule, days: readonly number[]): readonly number[] {
  if (bySetPos.length === 0) return days;
  const selected = new Set(bySetPos.flatMap((position) => days.at(position > 0 ? position - 1 : position) ?? []));
  return days.filter((day) => selected.has(day));
}

function expandPeriod(rule: Rule, period: number, startDay: number): number[] {
  const { frequency, byDay, byMonthDay, byMonth, weekStart } = rule;
  switch (frequency) {
    case "DAILY": {
      if (!isWeekday(rule, period)) return [];
      if (byMonth.length === 0 && byMonthDay.length === 0) return [period];
      const { year, month, date } = dateOf(period);
      return inMonths(byMonth, month) && isMonthDay(byMonthDay, year, month, date) ? [period] : [];
    }
    case "WEEKLY": {
      const first = period * 7 - 3 + weekStart;
      const isNamed = (day: number) => (byDay.length > 0 ? isWeekday(rule, day) : weekdayOf(day) === weekdayOf(startDay));
      return range(first, 7).filter((day) => isNamed(day) && (byMonth.length === 0 || inMonths(byMonth, dateOf(day).month)));
    }
    case "MONTHLY": {
      const [year, month] = [Math.floor(period / 12), period % 12];
      return inMonths(byMonth, month) ? monthDays(rule, year, month, startDay) : [];
    }
    case "YEARLY":
      return yearDays(rule, period, startDay);
  }
}

function yearDays(rule: Rule, year: number, startDay: number): number[] {
  const { byDay, byMonthDay, byMonth } = rule;
  // Without BYMONTH the number of a weekday counts within the year; BYMONTHDAY then limits the result.
  if (byDay.length > 0 && byMonth.length === 0) {
    const first = dayNumber(year, 0, 1);
    return daysOnWeekdays(rule, first, dayNumber(year + 1, 0, 1) - first).filter((day) => {
      const { month, date } = dateOf(day);
      return isMonthDay(byMonthDay, year, month, date);
    });
  }
  const everyMonth = range(1, 12);
  const start = dateOf(startDay);
  const months = byMonth.length > 0 ? byMonth.toSorted((a, b) => a - b) : byMonthDay.length > 0 ? everyMonth : [start.month + 1];
  return [...new Set(months)].flatMap((month) => monthDays(rule, year, month - 1, startDay));
}

function monthDays(rule: Rule, year: number, month: number, startDay: number): number[] {
  const { byDay, byMonthDay } = rule;
  const first = dayNumber(year, month, 1);
  const length = dayNumber(year, month + 1, 1) - first;
  const weekdaysOfMonth = byDay.length === 0 ? range(first, length) : daysOnWeekdays(rule, first, length);
  if (byMonthDay.length > 0) return weekdaysOfMonth.filter((day) => isMonthDay(byMonthDay, year, month, day - first + 1));
  if (byDay.length > 0) return weekdaysOfMonth;
  const { date } = dateOf(startDay);
  return date <= length ? [first + date - 1] : [];
}

/** The days of a month or a year on the rule's weekdays. A numbered weekday (2MO) is one day of them. */
function daysOnWeekdays({ byDay }: Rule, first: number, length: number): number[] {
  return range(first, length).filter((day) => {
    const fromStart = Math.floor((day - first) / 7) + 1;
    const fromEnd = -Math.floor((first + length - 1 - day) / 7) - 1;
    return byDay.some(
      ({ weekday, ordinal }) => weekday === weekdayOf(day) && (ordinal === 0 || ordinal === fromStart || ordinal === fromEnd),
    );
  });
}

function isWeekday({ byDay }: Rule, day: number): boolean {
  return byDay.length === 0 || byDay.some(({ weekday }) => weekday === weekdayOf(day));
}

function isMonthDay(byMonthDay: readonly number[], year: number, month: number, date: number): boolean {
  if (byMonthDay.length === 0) return true;
  const length = dayNumber(year, month + 1, 1) - dayNumber(year, month, 1);
  return byMonthDay.some((named) => named === date || named === date - length - 1);
}

function inMonths(byMonth: readonly number[], month: number): boolean {
  return byMonth.length === 0 || byMonth.includes(month + 1);
}

/** Monday 0 to Sunday 6. 1970-01-01 was a Thursday. */
export function weekdayOf(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}

function dateOf(day: number): { year: number; month: number; date: number } {
  const at = new Date(day * dayMs);
  return { year: at.getUTCFullYear(), month: at.getUTCMonth(), date: at.getUTCDate() };
}

function dayNumber(year: number, month: number, date: number): number {
  return Date.UTC(year, month, date) / dayMs;
}

function range(first: number, length: number): number[] {
  const days: number[] = [];
  for (let index = 0; index < length; index += 1) days.push(first + index);
  return days;
}
