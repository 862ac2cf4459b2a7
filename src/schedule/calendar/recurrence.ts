// Which days a recurrence rule names. Arithmetic on day numbers: knows nothing of zones of time or of the hour.
import type { Rule } from "./rrule.ts";

/** A rule anchored at its first day. Days are counted from 1970-01-01; `lastDay` is included. */
export interface Recurrence {
  rule: Rule;
  startDay: number;
  lastDay: number;
  /** Days on which it does not happen although the rule says so (EXDATE). */
  excludedDays: ReadonlySet<number>;
  /** The last months or years worked out: what is asked for day after day is asked of the same ones. */
  cachedPeriods: Map<number, readonly number[]>;
}

const dayMs = 86_400_000;
// 2200-01-01: no screen plans further, and every search has an end.
const furthestDay = 84_006;
// Where a month ends, the windows of a night are asked of two.
const maxWorked = 2;

/** The number of the day that holds a wall time in UTC ms. */
export function dayOf(wallMs: number): number {
  return Math.floor(wallMs / dayMs);
}

/**
 * Anchors `rule` at `startDay`. Days before it never count, and it counts itself only if the rule names it.
 * @param lastDay the last day that UNTIL allows; COUNT is worked out here.
 */
export function createRecurrence(rule: Rule, startDay: number, lastDay: number, except: ReadonlySet<number>): Recurrence {
  const open: Recurrence = { rule, startDay, lastDay: Math.min(lastDay, furthestDay), excludedDays: none, cachedPeriods: new Map() };
  if (rule.count === null) return { ...open, excludedDays: except };
  let left = rule.count;
  // COUNT counts the excepted days too (RFC 5545, section 3.8.5.1).
  const last = walk(open, startDay, open.lastDay, () => (left -= 1) === 0);
  return { ...open, lastDay: last ?? open.lastDay, excludedDays: except };
}

/** The days from `from` to `to`, both included, in order. Costs grow with the span, not with how long ago it began. */
export function daysBetween(recurrence: Recurrence, from: number, to: number): number[] {
  const found: number[] = [];
  const last = Math.min(to, recurrence.lastDay);
  if (last < from) return found;
  walk(recurrence, from, last, (day) => {
    if (!recurrence.excludedDays.has(day)) found.push(day);
    return false;
  });
  return found;
}

/** The first day from `from` on, looking no further than `to`; null when there is none. */
export function firstDay(recurrence: Recurrence, from: number, to: number): number | null {
  return walk(recurrence, from, Math.min(to, recurrence.lastDay), (day) => !recurrence.excludedDays.has(day));
}

const none: ReadonlySet<number> = new Set();

/** Goes from day to day until `isIt` says so. Returns that day; null when there is none. */
function walk(recurrence: Recurrence, from: number, to: number, isIt: (day: number) => boolean): number | null {
  const { rule, startDay } = recurrence;
  const first = Math.max(from, startDay);
  const anchorPeriod = periodOf(rule, startDay);
  const skipped = Math.max(0, periodOf(rule, first) - anchorPeriod);
  const lastPeriod = periodOf(rule, to);
  let period = anchorPeriod + Math.ceil(skipped / rule.interval) * rule.interval;
  for (; period <= lastPeriod; period += rule.interval) {
    for (const day of daysIn(recurrence, period)) {
      if (day >= first && day <= to && isIt(day)) return day;
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
      const { year, month } = civil(day);
      return year * 12 + month;
    }
    case "YEARLY":
      return civil(day).year;
  }
}

/** The days of one period in order, after all BY parts: the table of RFC 5545 section 3.3.10. */
function daysIn({ rule, startDay, cachedPeriods: worked }: Recurrence, period: number): readonly number[] {
  const known = worked.get(period);
  if (known !== undefined) return known;
  const days = picked(rule, candidates(rule, period, startDay));
  if (rule.frequency === "MONTHLY" || rule.frequency === "YEARLY") {
    if (worked.size === maxWorked) worked.clear();
    worked.set(period, days);
  }
  return days;
}

function picked({ bySetPos }: Rule, days: readonly number[]): readonly number[] {
  if (bySetPos.length === 0) return days;
  const places = new Set(bySetPos.flatMap((place) => days.at(place > 0 ? place - 1 : place) ?? []));
  return days.filter((day) => places.has(day));
}

function candidates(rule: Rule, period: number, startDay: number): number[] {
  const { frequency, byDay, byMonthDay, byMonth, weekStart } = rule;
  switch (frequency) {
    case "DAILY": {
      if (!isWeekday(rule, period)) return [];
      if (byMonth.length === 0 && byMonthDay.length === 0) return [period];
      const { year, month, date } = civil(period);
      return inMonths(byMonth, month) && isMonthDay(byMonthDay, year, month, date) ? [period] : [];
    }
    case "WEEKLY": {
      const first = period * 7 - 3 + weekStart;
      const isWanted = (day: number) => (byDay.length > 0 ? isWeekday(rule, day) : weekdayOf(day) === weekdayOf(startDay));
      return range(first, 7).filter((day) => isWanted(day) && (byMonth.length === 0 || inMonths(byMonth, civil(day).month)));
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
  // Without a month, a weekday's number counts within the year; days of the month then limit what it names.
  if (byDay.length > 0 && byMonth.length === 0) {
    const first = dayNumber(year, 0, 1);
    return numbered(rule, first, dayNumber(year + 1, 0, 1) - first).filter((day) => {
      const { month, date } = civil(day);
      return isMonthDay(byMonthDay, year, month, date);
    });
  }
  const everyMonth = range(1, 12);
  const start = civil(startDay);
  const months = byMonth.length > 0 ? byMonth.toSorted((a, b) => a - b) : byMonthDay.length > 0 ? everyMonth : [start.month + 1];
  return [...new Set(months)].flatMap((month) => monthDays(rule, year, month - 1, startDay));
}

function monthDays(rule: Rule, year: number, month: number, startDay: number): number[] {
  const { byDay, byMonthDay } = rule;
  const first = dayNumber(year, month, 1);
  const length = dayNumber(year, month + 1, 1) - first;
  const weekdaysOfMonth = byDay.length === 0 ? range(first, length) : numbered(rule, first, length);
  if (byMonthDay.length > 0) return weekdaysOfMonth.filter((day) => isMonthDay(byMonthDay, year, month, day - first + 1));
  if (byDay.length > 0) return weekdaysOfMonth;
  const { date } = civil(startDay);
  return date <= length ? [first + date - 1] : [];
}

/** The days of a span on the rule's weekdays, where a number picks one of them. */
function numbered({ byDay }: Rule, first: number, length: number): number[] {
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
  return byMonthDay.some((wanted) => wanted === date || wanted === date - length - 1);
}

function inMonths(byMonth: readonly number[], month: number): boolean {
  return byMonth.length === 0 || byMonth.includes(month + 1);
}

/** Monday 0 to Sunday 6. 1970-01-01 was a Thursday. */
export function weekdayOf(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}

function civil(day: number): { year: number; month: number; date: number } {
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
